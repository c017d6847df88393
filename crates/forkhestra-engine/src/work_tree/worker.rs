//! The worker thread for slow jobs on a work tree: observations, clean rooms, surveys.

use std::path::PathBuf;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use forkhestra_core::event::{FileStamp, Observation, WorkSummary};
use forkhestra_core::id::UnitId;
use forkhestra_core::limit::{HumanDuration, Limit};
use forkhestra_core::machine::CleanRoomFailure;
use forkhestra_core::policy::TaskQuery;

use crate::protected::{ProtectedFiles, ProtectedVerdict};
use crate::recording::recording_capture::RecordingCapture;
use crate::recording::unit_recorder::UnitOutcome;
use crate::repository::git_program::GitError;
use crate::repository::{CleanRoomError, CleanRooms, GitSession};
use crate::run_loop::loop_message::{LoopMessage, LoopSender};
use crate::run_loop::operator_notices::OperatorNotices;
use crate::task_tracker::TaskTracker;
use crate::work_tree::observer::ObservationSubject;
use crate::work_tree::query::WorkTreeQuery;
use crate::work_tree::{WorkTree, WorkTreeObservation};

/// Upper bound for preparing a clean room.
const PATIENCE: Duration = Duration::from_secs(600);

/// A job for the worker thread.
#[derive(Debug)]
pub(crate) enum WorkTreeJob {
    /// Observe the facts of a step's query, if there is one.
    Observe {
        about: ObservationSubject,
        done_file: Option<FileStamp>,
        wanted: Option<Box<WorkTreeQuery>>,
        /// Whether the open tasks are to be listed.
        tasks: bool,
    },
    /// Release the tasks that an agent still claims, before the observation, and report its changes
    /// to the task database.
    ReleaseTasks {
        unit: UnitId,
    },
    /// Forget the tree of the last observation: an agent is about to be started.
    InvalidateTree,
    /// Query the tasks for a step.
    PollTasks {
        step: usize,
        question: TaskQuery,
    },
    PrepareCleanRoom {
        unit: UnitId,
        keep: Vec<String>,
        timeout: Limit<HumanDuration>,
    },
    ClearCleanRoom,
    /// Survey the work since a step began.
    SurveyWork {
        step: usize,
        before: Box<Observation>,
    },
    /// Record the state before an agent.
    BeginRecording {
        unit: UnitId,
    },
    /// Record the changes of an agent.
    EndRecording {
        unit: UnitId,
        deeds: Box<UnitOutcome>,
    },
}

/// The state of the worker thread.
pub(crate) struct WorkTreeWorker {
    tree: WorkTree,
    protected: ProtectedFiles,
    rooms: CleanRooms,
    tasks: TaskTracker,
    notices: OperatorNotices,
    capture: RecordingCapture,
}

/// Starts a thread that processes all jobs in order.
pub(crate) fn start_worker(
    mut sights: WorkTreeWorker,
    sender: LoopSender,
) -> mpsc::Sender<WorkTreeJob> {
    let (requests, queue) = mpsc::channel::<WorkTreeJob>();
    thread::spawn(move || {
        for request in queue {
            if let Some(message) = sights.answer(request) {
                sender.send(message);
            }
        }
    });
    requests
}

impl WorkTreeWorker {
    pub(crate) fn new(
        tree: WorkTree,
        rooms: CleanRooms,
        tasks: TaskTracker,
        notices: OperatorNotices,
        capture: RecordingCapture,
    ) -> Self {
        let places = tree.places();
        let protected = ProtectedFiles::new(&places.directory, &places.kept);
        Self { tree, protected, rooms, tasks, notices, capture }
    }

    fn answer(&mut self, request: WorkTreeJob) -> Option<LoopMessage> {
        match request {
            WorkTreeJob::Observe { about, done_file, wanted, tasks } => {
                let seen = wanted.map(|wanted| self.look(&wanted)).unwrap_or_default();
                let open_tasks = if tasks { self.tasks.open_tasks() } else { None };
                Some(LoopMessage::Observed {
                    about,
                    sight: Observation { done_file, open_tasks, ..seen },
                })
            }
            WorkTreeJob::ReleaseTasks { unit } => {
                self.give_back();
                let changes = self.tasks.changes();
                changes.map(|changes| LoopMessage::TasksChanged { unit, changes })
            }
            WorkTreeJob::InvalidateTree => {
                self.tree.invalidate_tree();
                None
            }
            WorkTreeJob::PollTasks { step, question } => {
                // Checks and hooks may have claimed tasks as well.
                self.give_back();
                Some(LoopMessage::TasksPolled { step, work: self.tasks.task_work(&question) })
            }
            WorkTreeJob::PrepareCleanRoom { unit, keep, timeout } => {
                let room = self.prepare_room(&keep, timeout);
                Some(LoopMessage::CleanRoomPrepared { unit, room })
            }
            WorkTreeJob::ClearCleanRoom => {
                self.clear_room();
                None
            }
            WorkTreeJob::SurveyWork { step, before } => {
                let work = self.survey(step, &before);
                Some(LoopMessage::WorkSurveyed { step, work })
            }
            WorkTreeJob::BeginRecording { unit } => {
                self.capture.begin(&mut self.tree, unit);
                Some(LoopMessage::RecordingBegun { unit })
            }
            WorkTreeJob::EndRecording { unit, deeds } => {
                self.capture.end(&mut self.tree, unit, *deeds);
                None
            }
        }
    }

    fn give_back(&self) {
        self.notices.report_once(self.tasks.release_tasks().err());
    }

    fn look(&mut self, wanted: &WorkTreeQuery) -> Observation {
        let protected = self.protected(wanted);
        let WorkTreeObservation { tree, signals, uncommitted, snapshot, notices } =
            self.tree.observe(wanted);
        self.notices.report_once(notices);
        Observation { tree, signals, protected, uncommitted, snapshot, ..Observation::default() }
    }

    fn protected(&mut self, wanted: &WorkTreeQuery) -> Option<forkhestra_core::event::PathList> {
        let protection = wanted.protection.as_ref()?;
        let ours = &self.tree.places().own_paths;
        let ProtectedVerdict { changed, notice } = if wanted.begins {
            self.protected.begin(wanted.step, protection, ours, self.tree.git())
        } else {
            self.protected.verify(wanted.step, protection, ours)
        };
        self.notices.report_once(notice);
        Some(changed)
    }

    fn prepare_room(
        &mut self,
        keep: &[String],
        timeout: Limit<HumanDuration>,
    ) -> Result<PathBuf, CleanRoomFailure> {
        // The requester stops waiting after its timeout, and later jobs must not be delayed.
        let patience = match timeout {
            Limit::At(limit) => limit.duration().min(PATIENCE),
            Limit::Off => PATIENCE,
        };
        let deadline = Instant::now() + patience;
        let broken = |error: GitError| CleanRoomFailure::Machine(error.to_string());
        let repository = self.tree.repository(deadline).map_err(broken)?;
        let outside =
            || format!("there can be no clean room: {}", self.tree.missing_repository_reason());
        let repository = repository.ok_or_else(|| CleanRoomFailure::Machine(outside()))?;
        let session = GitSession { git: self.tree.git(), repository: &repository, deadline };
        let directory = &self.tree.places().directory;
        let room =
            self.rooms.prepare(&session, directory, keep).map_err(CleanRoomError::into_failure)?;
        if self.rooms.lacks_submodules() {
            let notice =
                "submodules are not checked out in clean rooms; a `setup` command can do that";
            self.notices.report_once([notice.to_owned()]);
        }
        Ok(room)
    }

    fn clear_room(&self) {
        // After the end of the run, the main thread clears the room.
        let cleared = self.tree.git().prepare(|| Ok(self.rooms.clear()));
        if let Ok(Err(error)) = cleared {
            self.notices
                .report_once([format!("the clean room cannot be taken away whole: {error}")]);
        }
    }

    fn survey(&mut self, step: usize, before: &Observation) -> Option<WorkSummary> {
        match self.tree.survey(before) {
            Ok(work) => work,
            Err(error) if error.is_over() => None,
            Err(error) => {
                let notice = format!("what was made in step {step} is not known: {error}");
                self.notices.report_once([notice]);
                None
            }
        }
    }
}
