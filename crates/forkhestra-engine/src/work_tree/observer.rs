//! Sees what the rules of a step ask for: the done file, and the work tree.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc;

use forkhestra_core::event::{FileStamp, Observation, TaskChanges};
use forkhestra_core::id::UnitId;
use forkhestra_core::machine::{CleanRoomFailure, RunState};
use forkhestra_core::plan::{CleanRoom, PlanStep};
use forkhestra_core::policy::{TaskQuery, TaskWork, asks_tasks};

use crate::launch::agent_command::tagged;
use crate::ports::EnginePorts;
use crate::process::ChildProcesses;
use crate::recording::recording_capture::RecordingCapture;
use crate::recording::unit_recorder::{UnitOutcome, UnitRecorder};
use crate::repository::CleanRooms;
use crate::repository::git_program::GitProgram;
use crate::run_loop::loop_message::{LoopMessage, LoopSender};
use crate::run_loop::operator_notices::OperatorNotices;
use crate::task_tracker::TaskTracker;
use crate::work_tree::query::WorkTreeQuery;
use crate::work_tree::worker::{WorkTreeJob, WorkTreeWorker, start_worker};
use crate::work_tree::{WorkTree, WorkTreePaths};

/// What a look is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ObservationSubject {
    /// What is there before a step.
    Step(usize),
    /// What an agent left.
    Unit(UnitId),
}

impl ObservationSubject {
    pub(crate) const fn step(self) -> usize {
        match self {
            Self::Step(step) => step,
            Self::Unit(unit) => unit.step,
        }
    }
}

/// What can be seen at once.
#[derive(Debug)]
pub(crate) struct QuickObservation {
    pub(crate) observation: Observation,
    /// What there is to see beside that, which takes a while.
    query: Option<Box<WorkTreeQuery>>,
    /// Whether tasks have to be given back, which may take a while as well.
    gives_back: bool,
    /// Whether the open tasks are listed, since the step begins with them.
    lists_tasks: bool,
    /// Whether what the agent did is being recorded, which must come before anything else.
    is_recorded: bool,
}

impl QuickObservation {
    /// Whether there is more to do than this.
    pub(crate) fn needs_worker(&self) -> bool {
        self.query.is_some() || self.gives_back || self.lists_tasks || self.is_recorded
    }
}

/// Looks. A work tree takes a while, so that is done in a thread, which is started when the first
/// step asks for it.
pub(crate) struct WorkTreeObserver {
    directory: PathBuf,
    scratch: PathBuf,
    tree: WorkTree,
    rooms: CleanRooms,
    tasks: TaskTracker,
    notices: OperatorNotices,
    recorder: Option<Arc<dyn UnitRecorder>>,
    sender: LoopSender,
    thread: Option<mpsc::Sender<WorkTreeJob>>,
}

impl WorkTreeObserver {
    pub(crate) fn new(
        setting: &EnginePorts,
        state: &RunState,
        children: Arc<ChildProcesses>,
        sender: LoopSender,
    ) -> Self {
        let directory = PathBuf::from(&state.plan.working_directory);
        // Agents have files of their own beside it.
        let scratch = setting.scratch.join("look");
        // Git is gone in a moment, unless it stands still when we are killed.
        let git = GitProgram::new(&tagged(&setting.environment, state), children);
        let recording = setting.recorder.as_ref().map(|recorder| recorder.directory());
        let ours: Vec<&Path> = [setting.state.as_path()].into_iter().chain(recording).collect();
        let places = WorkTreePaths::new(&directory, &scratch, &setting.kept, &ours);
        let run = state.plan.snapshots.then(|| state.run.to_string());
        let tree = WorkTree::new(places, git, run);
        let (rooms, notices) =
            (CleanRooms::new(&setting.kept), OperatorNotices::new(sender.clone()));
        let tasks = TaskTracker::new(Arc::clone(&setting.tasks), state);
        let recorder = setting.recorder.clone();
        Self { directory, scratch, tree, rooms, tasks, notices, recorder, sender, thread: None }
    }

    /// Sees what can be seen at once, and says what cannot.
    pub(crate) fn observe_quickly(
        &self,
        about: ObservationSubject,
        state: &RunState,
    ) -> QuickObservation {
        let done_file = self.done_file(&state.plan.steps[about.step() - 1]);
        let sight = Observation { done_file, ..Observation::default() };
        let wanted = WorkTreeQuery::of(about, state);
        let is_repository = wanted.needs_repository() && self.tree.may_be_repository();
        let is_wanted = is_repository || wanted.needs_fingerprint() || wanted.protection.is_some();
        if !is_wanted {
            self.notices.report_once(self.tree.without_repository(&wanted));
        }
        let gives_back = matches!(about, ObservationSubject::Unit(_)) && self.tasks.may_exist();
        let is_recorded = matches!(about, ObservationSubject::Unit(_)) && self.recorder.is_some();
        let lists_tasks = wanted.begins && asks_tasks(&state.plan.steps[about.step() - 1]);
        let wanted = is_wanted.then(|| Box::new(wanted));
        QuickObservation { observation: sight, query: wanted, gives_back, lists_tasks, is_recorded }
    }

    /// Sees at once what can be seen at once. Otherwise a message will tell.
    pub(crate) fn observe(
        &mut self,
        about: ObservationSubject,
        state: &RunState,
    ) -> Option<Observation> {
        let glance = self.observe_quickly(about, state);
        if !glance.needs_worker() {
            return Some(glance.observation);
        }
        let QuickObservation {
            observation: Observation { done_file, .. },
            query: wanted,
            gives_back,
            lists_tasks,
            ..
        } = glance;
        if let (true, ObservationSubject::Unit(unit)) = (gives_back, about) {
            // What we change must not look like what the agent, or the next one, has done. If nobody
            // is there to do it, it is done when the run ends.
            let _ = self.thread().send(WorkTreeJob::ReleaseTasks { unit });
        }
        let request = WorkTreeJob::Observe { about, done_file, wanted, tasks: lists_tasks };
        // A thread that is gone has said why in a message.
        self.thread().send(request).err().map(|_| Observation::default())
    }

    /// The state of the done file, if the step has one and it is there.
    pub(crate) fn done_file(&self, step: &PlanStep) -> Option<FileStamp> {
        let path = step.done_file.as_ref()?;
        stamp(&self.directory.join(&path.value))
    }

    /// Makes a clean room; a message will tell.
    pub(crate) fn prepare_room(&mut self, unit: UnitId, room: &CleanRoom) {
        let (keep, timeout) = (room.keep.clone(), room.timeout);
        let request = WorkTreeJob::PrepareCleanRoom { unit, keep, timeout };
        if self.thread().send(request).is_err() {
            let why = "the thread that makes clean rooms is gone".to_owned();
            let room = Err(CleanRoomFailure::Machine(why));
            self.sender.send(LoopMessage::CleanRoomPrepared { unit, room });
        }
    }

    /// Takes the clean room of an iteration away.
    pub(crate) fn clear_room(&mut self, _: UnitId) {
        // If nobody is there to do it, it is done when the run ends.
        let _ = self.thread().send(WorkTreeJob::ClearCleanRoom);
    }

    /// Sees whether there are tasks to do for a step; a message will tell.
    pub(crate) fn poll_tasks(&mut self, step: usize, state: &RunState) {
        let index = step - 1;
        let question = TaskQuery::of(&state.plan.steps[index], &state.steps[index].before);
        if self.thread().send(WorkTreeJob::PollTasks { step, question }).is_err() {
            let work = TaskWork::Unknown("the task database cannot be asked".to_owned());
            self.sender.send(LoopMessage::TasksPolled { step, work });
        }
    }

    /// Remembers what the task database holds before an agent is started.
    pub(crate) fn save_task_baseline(&self) {
        self.notices.report_once(self.tasks.save_baseline().err());
    }

    /// Gives back the tasks of an agent that was cut off with us, before another one is started.
    pub(crate) fn release_interrupted_tasks(&self) {
        self.notices.report_once(self.tasks.release_tasks().err());
    }

    /// What an agent that was cut off with an earlier process changed in the task database.
    pub(crate) fn task_changes(&self) -> Option<TaskChanges> {
        self.tasks.changes()
    }

    /// Gives back the tasks of an agent that is gone. A message reports what it changed in the task
    /// database, if anything.
    pub(crate) fn compare_tasks(&mut self, unit: UnitId) {
        if self.tasks.may_exist() {
            // A thread that is gone has said why in a message.
            let _ = self.thread().send(WorkTreeJob::ReleaseTasks { unit });
        }
    }

    /// An agent is about to be started: the files of the last look are no longer the current ones.
    pub(crate) fn invalidate_tree(&self) {
        if let Some(thread) = &self.thread {
            // A thread that is gone surveys nothing either.
            let _ = thread.send(WorkTreeJob::InvalidateTree);
        }
    }

    /// Sees what was made of the repository since a step began; a message will tell.
    pub(crate) fn survey(&mut self, step: usize, before: &Observation) {
        let request = WorkTreeJob::SurveyWork { step, before: Box::new(before.clone()) };
        if self.thread().send(request).is_err() {
            self.sender.send(LoopMessage::WorkSurveyed { step, work: None });
        }
    }

    /// Has the state before an agent recorded. A message will tell, unless this says that there is nobody to
    /// do it.
    pub(crate) fn begin_recording(&mut self, unit: UnitId) -> bool {
        self.thread().send(WorkTreeJob::BeginRecording { unit }).is_ok()
    }

    /// Has what an agent did recorded, before anything that is asked for later.
    pub(crate) fn end_recording(&mut self, unit: UnitId, deeds: UnitOutcome) {
        // A thread that is gone has said why in a message, and the unit is not recorded.
        let _ = self.thread().send(WorkTreeJob::EndRecording { unit, deeds: Box::new(deeds) });
    }

    /// Starts nothing more. A look that is going on comes to nothing.
    pub(crate) fn stop(&self) {
        self.tree.git().stop();
    }

    /// Removes what must not outlive the run, now that nothing is started any more and nothing that was
    /// started is left. What cannot be removed is left for whoever makes the next room.
    pub(crate) fn remove_leftovers(&self) {
        // What stays taken by a run that is over holds nobody back.
        let _ = self.tasks.release_tasks();
        let _ = self.rooms.clear();
    }

    fn thread(&mut self) -> &mpsc::Sender<WorkTreeJob> {
        self.thread.get_or_insert_with(|| {
            // A run that was killed may have left something. What was never made is clean.
            let _ = fs::remove_dir_all(&self.scratch);
            let (notices, sender) = (self.notices.clone(), self.sender.clone());
            let (tree, rooms) = (self.tree.clone(), self.rooms.clone());
            let scribe = RecordingCapture::new(self.recorder.clone(), notices.clone());
            start_worker(
                WorkTreeWorker::new(tree, rooms, self.tasks.clone(), notices, scribe),
                sender,
            )
        })
    }
}

fn stamp(path: &Path) -> Option<FileStamp> {
    let metadata = fs::metadata(path).ok()?;
    let (seconds, nanoseconds) = (metadata.mtime(), metadata.mtime_nsec());
    let (inode, size) = (metadata.ino(), metadata.size());
    Some(FileStamp(format!("{seconds}.{nanoseconds:09}-{inode}-{size}")))
}
