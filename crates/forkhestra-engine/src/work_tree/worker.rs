//! The worker thread for slow jobs on a work tree: observations, clean rooms, surveys.

use std::io;
use std::path::PathBuf;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use forkhestra_core::event::{AuxJobResult, BaselineDigests, Observation, PathList, WorkSummary};
use forkhestra_core::limit::Limit;
use forkhestra_core::machine::CleanRoomFailure;

use crate::protected::{ProtectedFiles, ProtectedVerdict};
use crate::recording::recording_capture::RecordingCapture;
use crate::repository::git_program::GitError;
use crate::repository::{CleanRoomError, CleanRoomRequest, CleanRooms, GitSession};
use crate::run_loop::loop_message::{LoopMessage, LoopSender};
use crate::run_loop::operator_notices::OperatorNotices;
use crate::task_tracker::TaskTracker;
use crate::work_tree::query::{ProtectionQuery, RoomQuery, WorkTreeQuery};
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
        self.notices.report_once(self.tasks.release_after_agent().err());
    }

    pub(super) fn observe(&mut self, query: &WorkTreeQuery) -> Observation {
        let protected = self.protected(query);
        let seen = self.tree.observe(query);
        let WorkTreeObservation { tree, signals, uncommitted, snapshot, .. } = seen;
        self.notices.report_once(seen.notices);
        let (protected, digest) = protected.unzip();
        let digests =
            BaselineDigests { protected: digest.flatten(), uncommitted: seen.uncommitted_digest };
        let baselines = (digests != BaselineDigests::default()).then_some(digests);
        let other = Observation::default();
        Observation { tree, signals, protected, uncommitted, snapshot, baselines, ..other }
    }

    fn protected(&mut self, query: &WorkTreeQuery) -> Option<(PathList, Option<String>)> {
        let protection = query.protection.as_ref()?;
        let own_paths = &self.tree.places().own_paths;
        let ProtectedVerdict { changed, notice, digest } = if query.begins_fork {
            self.protected.begin_fork(query.step, protection, own_paths, self.tree.git())
        } else if query.begins {
            let git = self.tree.git();
            self.protected.begin(query.step, protection, own_paths, git, &query.unrestored)
        } else {
            let digest = query.baselines.protected.as_deref();
            self.protected.verify(query.step, protection, own_paths, digest)
        };
        self.notices.report_once(notice);
        Some((changed, digest))
    }

    pub(super) fn prepare_room(&mut self, query: &RoomQuery) -> Result<PathBuf, CleanRoomFailure> {
        // The requester stops waiting after its timeout, and later jobs must not be delayed.
        let time_limit = match query.room.timeout {
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
        let request = CleanRoomRequest {
            directory: &self.tree.places().directory,
            keep: &query.room.keep,
            run_base: query.run_base.as_deref(),
            step_base: query.step_base.as_deref(),
            lists_changes: query.protection.is_some(),
        };
        let room = self.rooms.prepare(&session, request).map_err(CleanRoomError::into_failure)?;
        self.notices.report_once(room.notices.iter().cloned());
        self.protected.leave_room();
        if let Some(protection) = &query.protection {
            let digest = query.digest.as_deref();
            let changed = self.protected.verify_committed(query.step, protection, &room, digest);
            if !changed.is_empty() {
                return Err(CleanRoomFailure::ProtectedFiles(changed));
            }
            let entered = self.protected.enter_room(protection, &room.work);
            entered.map_err(CleanRoomFailure::Machine)?;
        }
        Ok(room.work)
    }

    /// Refuses the result of a job that changed protected files: what ran after the change was not
    /// what the user named.
    pub(super) fn judge(&mut self, query: &ProtectionQuery, answer: AuxJobResult) -> AuxJobResult {
        let own_paths = &self.tree.places().own_paths;
        let changed = self.protected.changed_by_job(query, own_paths);
        if changed.is_empty() {
            return answer;
        }
        let more = match changed.more {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let message = format!(
            "protected files are changed after this command ran: {}{more}",
            changed.listed.join(", ")
        );
        AuxJobResult { passed: Some(false), message: Some(message), ..answer }
    }

    pub(super) fn clear_room(&mut self) {
        self.protected.leave_room();
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
