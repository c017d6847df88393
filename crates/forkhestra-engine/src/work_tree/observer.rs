//! Observes what the rules of a step require: the done file, the work tree and the tasks.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc;

use forkhestra_core::event::{AuxJob, AuxJobResult, FileStamp, Observation, TaskChanges};
use forkhestra_core::id::UnitId;
use forkhestra_core::machine::{Input, RunState, Workplace};
use forkhestra_core::plan::PlanStep;
use forkhestra_core::policy::{TaskQuery, polls_tasks};

use crate::launch::agent_command::tagged;
use crate::launch::workplace_settings::WorkplaceSettings;
use crate::ports::EnginePorts;
use crate::process::ChildProcesses;
use crate::recording::recording_capture::RecordingCapture;
use crate::recording::unit_recorder::{UnitOutcome, UnitRecorder};
use crate::repository::git_program::GitProgram;
use crate::repository::{CleanRooms, SnapshotStore};
use crate::run_loop::aux_jobs::CheckRoom;
use crate::run_loop::loop_message::LoopMessage;
use crate::run_loop::operator_notices::OperatorNotices;
use crate::run_loop::shared_thread_state::SharedThreadState;
use crate::task_tracker::TaskTracker;
use crate::work_tree::query::{ProtectionQuery, RoomQuery, WorkTreeQuery};
use crate::work_tree::worker::{WorkTreeJob, WorkTreeWorker, start_worker};
use crate::work_tree::{WorkTree, WorkTreePaths};

/// The subject of an observation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ObservationSubject {
    /// The state before a step.
    Step(usize),
    /// The state after an agent.
    Unit(UnitId),
}

impl ObservationSubject {
    pub(crate) const fn step(self) -> usize {
        match self {
            Self::Step(step) => step,
            Self::Unit(unit) => unit.step,
        }
    }

    /// The input with the result of the observation.
    pub(crate) fn input(self, observation: Observation) -> Input {
        match self {
            Self::Step(step) => Input::Observed { step, observation },
            Self::Unit(unit) => Input::WorkObserved { unit, observation },
        }
    }
}

/// The part of an observation that is available at once.
#[derive(Debug)]
pub(crate) struct QuickObservation {
    pub(crate) observation: Observation,
    /// The slow part, for the worker.
    query: Option<Box<WorkTreeQuery>>,
    /// Whether tasks must be released, which may be slow as well.
    releases_tasks: bool,
    /// Whether the open tasks must be listed, since the step begins.
    lists_tasks: bool,
    /// Whether the agent is being recorded. Its changes must be recorded first.
    is_recorded: bool,
}

impl QuickObservation {
    /// Whether the worker has something to do.
    pub(crate) fn needs_worker(&self) -> bool {
        self.query.is_some() || self.releases_tasks || self.lists_tasks || self.is_recorded
    }
}

/// Observes the work tree. Slow observations run in a worker thread. It is started at once, so that
/// a failure ends the run before it has begun anything.
pub(crate) struct WorkTreeObserver {
    directory: PathBuf,
    scratch: PathBuf,
    tree: WorkTree,
    rooms: CleanRooms,
    tasks: TaskTracker,
    notices: OperatorNotices,
    recorder: Option<Arc<dyn UnitRecorder>>,
    worker: mpsc::Sender<WorkTreeJob>,
    /// Whether the worker has got a job.
    is_used: bool,
}

impl WorkTreeObserver {
    pub(crate) fn new(
        settings: &WorkplaceSettings,
        ports: &EnginePorts,
        state: &RunState,
        children: Arc<ChildProcesses>,
        shared: &SharedThreadState,
    ) -> io::Result<Self> {
        let directory = settings.directory.clone();
        // Agents have files of their own beside it.
        let scratch = settings.scratch.join("look");
        // Tagged, so that a git process that survives a kill of the run can be found.
        let git = GitProgram::new(&tagged(&settings.environment, state), children);
        let recording = ports.recorder.as_ref().map(|recorder| recorder.directory());
        let own_paths: Vec<&Path> = [ports.state.as_path()].into_iter().chain(recording).collect();
        let places =
            WorkTreePaths::new(&directory, &scratch, &settings.persistent_directory, &own_paths);
        // The backup of the snapshots of all lanes is at the same place.
        let snapshots = state.plan.snapshots.then(|| {
            let numbers = shared.snapshots.clone();
            SnapshotStore::new(state.run.to_string(), &ports.persistent_directory, numbers)
        });
        let tree = WorkTree::new(places, git, snapshots, ports.secrets.clone());
        let rooms = CleanRooms::new(&settings.persistent_directory);
        let notices = shared.notices.of(settings.place);
        let holder = settings.task_holder(state);
        let is_lane = matches!(settings.place, Some(Workplace::Lane(_)));
        let tasks = TaskTracker::new(Arc::clone(&ports.tasks), &state.plan, holder, is_lane);
        let recorder = ports.recorder.clone();
        let capture = RecordingCapture::new(recorder.clone(), notices.clone());
        let worker = WorkTreeWorker::new(
            tree.clone(),
            rooms.clone(),
            tasks.clone(),
            notices.clone(),
            capture,
        );
        let worker = start_worker(worker, shared.sender.of(settings.place))?;
        let is_used = false;
        Ok(Self { directory, scratch, tree, rooms, tasks, notices, recorder, worker, is_used })
    }

    /// Makes the quick part of an observation, and determines the slow part.
    pub(crate) fn observe_quickly(
        &self,
        subject: ObservationSubject,
        state: &RunState,
    ) -> QuickObservation {
        let done_file = self.done_file(&state.plan.steps[subject.step() - 1]);
        let observation = Observation { done_file, ..Observation::default() };
        let query = WorkTreeQuery::of(subject, state);
        let is_repository = query.needs_repository() && self.tree.may_be_repository();
        let is_wanted = is_repository || query.needs_fingerprint() || query.protection.is_some();
        if !is_wanted {
            self.notices.report_once(self.tree.without_repository(&query));
        }
        let releases_tasks =
            matches!(subject, ObservationSubject::Unit(_)) && self.tasks.may_exist();
        let is_recorded = matches!(subject, ObservationSubject::Unit(_)) && self.recorder.is_some();
        let lists_tasks = query.begins && polls_tasks(&state.plan.steps[subject.step() - 1]);
        let query = is_wanted.then(|| Box::new(query));
        QuickObservation { observation, query, releases_tasks, lists_tasks, is_recorded }
    }

    /// Returns the observation if it is available at once. Otherwise a message delivers it.
    pub(crate) fn observe(
        &mut self,
        subject: ObservationSubject,
        state: &RunState,
    ) -> Option<Observation> {
        let quick = self.observe_quickly(subject, state);
        if !quick.needs_worker() {
            return Some(quick.observation);
        }
        let QuickObservation { observation, query, releases_tasks, lists_tasks, .. } = quick;
        if let (true, ObservationSubject::Unit(unit)) = (releases_tasks, subject) {
            // Our changes must not count as those of this or the next agent.
            self.release_tasks(unit);
        }
        self.submit(move |worker| {
            let seen = query.map(|query| worker.observe(&query)).unwrap_or_default();
            let open_tasks = if lists_tasks { worker.tasks.open_tasks() } else { None };
            let open_criteria =
                if lists_tasks { worker.tasks.open_criteria() } else { BTreeMap::new() };
            let done_file = observation.done_file;
            let observed = Observation { done_file, open_tasks, open_criteria, ..seen };
            Some(LoopMessage::Input(subject.input(observed)))
        });
        None
    }

    /// The stamp of the done file, if the step has one and it exists.
    pub(crate) fn done_file(&self, step: &PlanStep) -> Option<FileStamp> {
        let path = step.done_file.as_ref()?;
        stamp(&self.directory.join(&path.value))
    }

    /// Prepares a clean room. A message delivers the result.
    pub(crate) fn prepare_room(&mut self, unit: UnitId, query: RoomQuery) {
        self.submit(move |worker| {
            let room = worker.prepare_room(&query);
            Some(LoopMessage::CleanRoomPrepared { unit, room })
        });
    }

    /// Compares the protected files after an aux job. A message delivers the result of the job.
    pub(crate) fn judge(&mut self, aux_job: AuxJob, query: ProtectionQuery, answer: AuxJobResult) {
        self.submit(move |worker| {
            let answer = worker.judge(&query, answer);
            Some(LoopMessage::AuxJobResultReady { aux_job, answer })
        });
    }

    /// Reports notices to the operator, each one once.
    pub(crate) fn report_once(&self, notices: impl IntoIterator<Item = String>) {
        self.notices.report_once(notices);
    }

    /// Removes the clean room, with its home.
    pub(crate) fn clear_room(&mut self, room: CheckRoom) {
        self.submit(|worker| {
            drop(room);
            worker.clear_room();
            None
        });
    }

    /// Queries the tasks for a step. A message delivers the result.
    pub(crate) fn poll_tasks(&mut self, step: usize, state: &RunState) {
        let index = step - 1;
        let question = TaskQuery::of(&state.plan.steps[index], &state.steps[index].before);
        self.submit(move |worker| {
            // Checks and hooks may have claimed tasks as well.
            worker.release_tasks();
            let work = worker.tasks.work_for_holder(&question);
            Some(LoopMessage::Input(Input::TasksPolled { step, work }))
        });
    }

    /// Saves the content of the task database before an agent is started.
    pub(crate) fn save_task_baseline(&self) {
        self.notices.report_once(self.tasks.save_baseline().err());
    }

    /// Releases the tasks of an agent that was interrupted with an earlier process, before another
    /// one is started.
    pub(crate) fn release_interrupted_tasks(&self) {
        self.notices.report_once(self.tasks.release_tasks().err());
    }

    /// The changes to the task database by an agent that was interrupted with an earlier process.
    pub(crate) fn task_changes(&self) -> Option<TaskChanges> {
        self.tasks.changes()
    }

    /// Releases the tasks of an agent that has ended. A message reports its changes to the task
    /// database, if there are any.
    pub(crate) fn compare_tasks(&mut self, unit: UnitId) {
        if self.tasks.may_exist() {
            self.release_tasks(unit);
        }
    }

    fn release_tasks(&mut self, unit: UnitId) {
        self.submit(move |worker| {
            worker.release_tasks();
            let changes = worker.tasks.changes()?;
            Some(LoopMessage::Input(Input::TasksChanged { unit, changes }))
        });
    }

    /// Forgets the tree of the last observation, since an agent is about to be started.
    pub(crate) fn invalidate_tree(&mut self) {
        // Without a worker there was no observation.
        if self.is_used {
            self.submit(|worker| {
                worker.tree.invalidate_tree();
                None
            });
        }
    }

    /// Surveys the work in the repository since a step began. A message delivers the result.
    pub(crate) fn survey(&mut self, step: usize, before: Observation) {
        self.submit(move |worker| {
            let work = worker.survey(step, &before);
            Some(LoopMessage::Input(Input::WorkSurveyed { step, work }))
        });
    }

    /// Records the state before an agent. A message reports completion.
    pub(crate) fn begin_recording(&mut self, unit: UnitId) {
        self.submit(move |worker| {
            worker.capture.begin(&mut worker.tree, unit);
            Some(LoopMessage::RecordingBegun { unit })
        });
    }

    /// Records the changes of an agent, before all later jobs.
    pub(crate) fn end_recording(&mut self, unit: UnitId, outcome: UnitOutcome) {
        self.submit(move |worker| {
            worker.capture.end(&mut worker.tree, unit, outcome);
            None
        });
    }

    /// Starts no more processes. A running observation fails.
    pub(crate) fn stop(&self) {
        self.tree.git().stop();
    }

    /// Removes everything that must not outlive the run, after all processes have ended. The next
    /// clean room removes leftovers. Tasks of lanes that a resume continues stay with them.
    pub(crate) fn remove_leftovers(&self, keeps_tasks: bool) {
        if !keeps_tasks {
            // Claims of a run that is over do not block other runs.
            let _ = self.tasks.release_tasks();
        }
        let _ = self.rooms.clear_all();
    }

    /// Queues a job for the worker.
    fn submit(
        &mut self,
        job: impl FnOnce(&mut WorkTreeWorker) -> Option<LoopMessage> + Send + 'static,
    ) {
        if !self.is_used {
            self.is_used = true;
            // A killed run may have left files. The directory may not exist.
            let _ = fs::remove_dir_all(&self.scratch);
        }
        let worker = &self.worker;
        worker.send(Box::new(job)).expect("the worker takes jobs for as long as there is a sender");
    }
}

fn stamp(path: &Path) -> Option<FileStamp> {
    let metadata = fs::metadata(path).ok()?;
    let (seconds, nanoseconds) = (metadata.mtime(), metadata.mtime_nsec());
    let (inode, size) = (metadata.ino(), metadata.size());
    Some(FileStamp(format!("{seconds}.{nanoseconds:09}-{inode}-{size}")))
}
