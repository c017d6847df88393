//! The worker thread for slow jobs on a work tree: observations, clean rooms, surveys.

use std::io;
use std::path::PathBuf;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use forkhestra_core::event::{Observation, PathList, WorkSummary};
use forkhestra_core::limit::{HumanDuration, Limit};
use forkhestra_core::machine::CleanRoomFailure;

use crate::protected::{ProtectedFiles, ProtectedVerdict};
use crate::recording::recording_capture::RecordingCapture;
use crate::repository::git_program::GitError;
use crate::repository::{CleanRoomError, CleanRooms, GitSession};
use crate::run_loop::loop_message::{LoopMessage, LoopSender};
use crate::run_loop::operator_notices::OperatorNotices;
use crate::task_tracker::TaskTracker;
use crate::work_tree::query::WorkTreeQuery;
use crate::work_tree::{WorkTree, WorkTreeObservation};

/// Upper bound for preparing a clean room.
const CLEAN_ROOM_TIMEOUT: Duration = Duration::from_secs(600);

/// A job for the worker thread. It may return a message for the loop.
pub(crate) type WorkTreeJob = Box<dyn FnOnce(&mut WorkTreeWorker) -> Option<LoopMessage> + Send>;

/// The state of the worker thread.
pub(crate) struct WorkTreeWorker {
    pub(super) tree: WorkTree,
    protected: ProtectedFiles,
    rooms: CleanRooms,
    pub(super) tasks: TaskTracker,
    notices: OperatorNotices,
    pub(super) capture: RecordingCapture,
}

/// Starts a thread that processes all jobs in order.
pub(crate) fn start_worker(
    mut worker: WorkTreeWorker,
    sender: LoopSender,
) -> io::Result<mpsc::Sender<WorkTreeJob>> {
    let (jobs, queue) = mpsc::channel::<WorkTreeJob>();
    thread::Builder::new().name("work tree".to_owned()).spawn(move || {
        for job in queue {
            if let Some(message) = job(&mut worker) {
                sender.send(message);
            }
        }
    })?;
    Ok(jobs)
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
        let protected = ProtectedFiles::new(&places.directory, &places.persistent_directory);
        Self { tree, protected, rooms, tasks, notices, capture }
    }

    /// Releases the tasks that agents, checks and hooks still claim.
    pub(super) fn release_tasks(&self) {
        self.notices.report_once(self.tasks.release_tasks().err());
    }

    pub(super) fn observe(&mut self, query: &WorkTreeQuery) -> Observation {
        let protected = self.protected(query);
        let WorkTreeObservation { tree, signals, uncommitted, snapshot, notices } =
            self.tree.observe(query);
        self.notices.report_once(notices);
        Observation { tree, signals, protected, uncommitted, snapshot, ..Observation::default() }
    }

    fn protected(&mut self, query: &WorkTreeQuery) -> Option<PathList> {
        let protection = query.protection.as_ref()?;
        let own_paths = &self.tree.places().own_paths;
        let ProtectedVerdict { changed, notice } = if query.begins {
            self.protected.begin(query.step, protection, own_paths, self.tree.git())
        } else {
            self.protected.verify(query.step, protection, own_paths)
        };
        self.notices.report_once(notice);
        Some(changed)
    }

    pub(super) fn prepare_room(
        &mut self,
        keep: &[String],
        timeout: Limit<HumanDuration>,
    ) -> Result<PathBuf, CleanRoomFailure> {
        // The requester stops waiting after its timeout, and later jobs must not be delayed.
        let time_limit = match timeout {
            Limit::At(limit) => limit.duration().min(CLEAN_ROOM_TIMEOUT),
            Limit::Off => CLEAN_ROOM_TIMEOUT,
        };
        let deadline = Instant::now() + time_limit;
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

    pub(super) fn clear_room(&self) {
        // After the end of the run, the main thread clears the room.
        let cleared = self.tree.git().prepare(|| Ok(self.rooms.clear()));
        if let Ok(Err(error)) = cleared {
            self.notices
                .report_once([format!("the clean room cannot be taken away whole: {error}")]);
        }
    }

    pub(super) fn survey(&mut self, step: usize, before: &Observation) -> Option<WorkSummary> {
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
