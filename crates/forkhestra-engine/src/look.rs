//! Sees what the rules of a step ask for: the done file, and the work tree.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc;

use forkhestra_core::event::{Sight, Stamp, TaskChanges};
use forkhestra_core::id::UnitId;
use forkhestra_core::machine::{RoomFailure, RunState};
use forkhestra_core::plan::{CleanRoom, Step};
use forkhestra_core::policy::{TaskQuestion, TaskWork, asks_tasks};

use crate::agent_command::tagged;
use crate::git::Git;
use crate::message::{Message, Sender};
use crate::notices::Notices;
use crate::process::Children;
use crate::recorder::{Deeds, Recorder};
use crate::repository::Rooms;
use crate::scribe::Scribe;
use crate::setting::Setting;
use crate::sights::{Request, Sights, start};
use crate::task_desk::TaskDesk;
use crate::wanted::Wanted;
use crate::work_tree::{Places, WorkTree};

/// What a look is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum About {
    /// What is there before a step.
    Step(usize),
    /// What an agent left.
    Unit(UnitId),
}

impl About {
    pub(crate) const fn step(self) -> usize {
        match self {
            Self::Step(step) => step,
            Self::Unit(unit) => unit.step,
        }
    }
}

/// What can be seen at once.
#[derive(Debug)]
pub(crate) struct Glance {
    pub(crate) sight: Sight,
    /// What there is to see beside that, which takes a while.
    wanted: Option<Box<Wanted>>,
    /// Whether tasks have to be given back, which may take a while as well.
    gives_back: bool,
    /// Whether the open tasks are listed, since the step begins with them.
    lists_tasks: bool,
    /// Whether what the agent did is being recorded, which must come before anything else.
    is_recorded: bool,
}

impl Glance {
    /// Whether there is more to do than this.
    pub(crate) fn is_more(&self) -> bool {
        self.wanted.is_some() || self.gives_back || self.lists_tasks || self.is_recorded
    }
}

/// Looks. A work tree takes a while, so that is done in a thread, which is started when the first
/// step asks for it.
pub(crate) struct Looker {
    directory: PathBuf,
    scratch: PathBuf,
    tree: WorkTree,
    rooms: Rooms,
    tasks: TaskDesk,
    notices: Notices,
    recorder: Option<Arc<dyn Recorder>>,
    sender: Sender,
    thread: Option<mpsc::Sender<Request>>,
}

impl Looker {
    pub(crate) fn new(
        setting: &Setting,
        state: &RunState,
        children: Arc<Children>,
        sender: Sender,
    ) -> Self {
        let directory = PathBuf::from(&state.plan.working_directory);
        // Agents have files of their own beside it.
        let scratch = setting.scratch.join("look");
        // Git is gone in a moment, unless it stands still when we are killed.
        let git = Git::new(&tagged(&setting.environment, state), children);
        let recording = setting.recorder.as_ref().map(|recorder| recorder.place());
        let ours: Vec<&Path> = [setting.state.as_path()].into_iter().chain(recording).collect();
        let places = Places::new(&directory, &scratch, &setting.kept, &ours);
        let run = state.plan.snapshots.then(|| state.run.to_string());
        let tree = WorkTree::new(places, git, run);
        let (rooms, notices) = (Rooms::new(&setting.kept), Notices::new(sender.clone()));
        let tasks = TaskDesk::new(Arc::clone(&setting.tasks), state);
        let recorder = setting.recorder.clone();
        Self { directory, scratch, tree, rooms, tasks, notices, recorder, sender, thread: None }
    }

    /// Sees what can be seen at once, and says what cannot.
    pub(crate) fn glance(&self, about: About, state: &RunState) -> Glance {
        let done_file = self.done_file(&state.plan.steps[about.step() - 1]);
        let sight = Sight { done_file, ..Sight::default() };
        let wanted = Wanted::of(about, state);
        let is_repository = wanted.is_about_repository() && self.tree.may_be_repository();
        let is_wanted = is_repository || wanted.compares() || wanted.protection.is_some();
        if !is_wanted {
            self.notices.extend(self.tree.without_repository(&wanted));
        }
        let gives_back = matches!(about, About::Unit(_)) && self.tasks.is_there();
        let is_recorded = matches!(about, About::Unit(_)) && self.recorder.is_some();
        let lists_tasks = wanted.begins && asks_tasks(&state.plan.steps[about.step() - 1]);
        let wanted = is_wanted.then(|| Box::new(wanted));
        Glance { sight, wanted, gives_back, lists_tasks, is_recorded }
    }

    /// Sees at once what can be seen at once. Otherwise a message will tell.
    pub(crate) fn look(&mut self, about: About, state: &RunState) -> Option<Sight> {
        let glance = self.glance(about, state);
        if !glance.is_more() {
            return Some(glance.sight);
        }
        let Glance { sight: Sight { done_file, .. }, wanted, gives_back, lists_tasks, .. } = glance;
        if let (true, About::Unit(unit)) = (gives_back, about) {
            // What we change must not look like what the agent, or the next one, has done. If nobody
            // is there to do it, it is done when the run ends.
            let _ = self.thread().send(Request::GiveBack { unit });
        }
        let request = Request::Look { about, done_file, wanted, tasks: lists_tasks };
        // A thread that is gone has said why in a message.
        self.thread().send(request).err().map(|_| Sight::default())
    }

    /// The state of the done file, if the step has one and it is there.
    pub(crate) fn done_file(&self, step: &Step) -> Option<Stamp> {
        let path = step.done_file.as_ref()?;
        stamp(&self.directory.join(&path.value))
    }

    /// Makes a clean room; a message will tell.
    pub(crate) fn prepare_room(&mut self, unit: UnitId, room: &CleanRoom) {
        let (keep, timeout) = (room.keep.clone(), room.timeout);
        let request = Request::PrepareRoom { unit, keep, timeout };
        if self.thread().send(request).is_err() {
            let why = "the thread that makes clean rooms is gone".to_owned();
            let room = Err(RoomFailure::OfTheMachine(why));
            self.sender.send(Message::RoomPrepared { unit, room });
        }
    }

    /// Takes the clean room of an iteration away.
    pub(crate) fn clear_room(&mut self, _: UnitId) {
        // If nobody is there to do it, it is done when the run ends.
        let _ = self.thread().send(Request::ClearRoom);
    }

    /// Sees whether there are tasks to do for a step; a message will tell.
    pub(crate) fn ask_tasks(&mut self, step: usize, state: &RunState) {
        let index = step - 1;
        let question = TaskQuestion::of(&state.plan.steps[index], &state.steps[index].before);
        if self.thread().send(Request::AskTasks { step, question }).is_err() {
            let work = TaskWork::Unknown("the task database cannot be asked".to_owned());
            self.sender.send(Message::TasksTold { step, work });
        }
    }

    /// Remembers what the task database holds before an agent is started.
    pub(crate) fn remember_tasks(&self) {
        self.notices.extend(self.tasks.remember().err());
    }

    /// Gives back the tasks of an agent that was cut off with us, before another one is started.
    pub(crate) fn take_up(&self) {
        self.notices.extend(self.tasks.give_back().err());
    }

    /// What an agent that was cut off with an earlier process changed in the task database.
    pub(crate) fn task_changes(&self) -> Option<TaskChanges> {
        self.tasks.changes()
    }

    /// Gives back the tasks of an agent that is gone. A message reports what it changed in the task
    /// database, if anything.
    pub(crate) fn compare_tasks(&mut self, unit: UnitId) {
        if self.tasks.is_there() {
            // A thread that is gone has said why in a message.
            let _ = self.thread().send(Request::GiveBack { unit });
        }
    }

    /// An agent is about to be started: the files of the last look are no longer the current ones.
    pub(crate) fn forget_tree(&self) {
        if let Some(thread) = &self.thread {
            // A thread that is gone surveys nothing either.
            let _ = thread.send(Request::ForgetTree);
        }
    }

    /// Sees what was made of the repository since a step began; a message will tell.
    pub(crate) fn survey(&mut self, step: usize, before: &Sight) {
        let request = Request::Survey { step, before: Box::new(before.clone()) };
        if self.thread().send(request).is_err() {
            self.sender.send(Message::Surveyed { step, work: None });
        }
    }

    /// Has the state before an agent recorded. A message will tell, unless this says that there is nobody to
    /// do it.
    pub(crate) fn begin_recording(&mut self, unit: UnitId) -> bool {
        self.thread().send(Request::BeginRecording { unit }).is_ok()
    }

    /// Has what an agent did recorded, before anything that is asked for later.
    pub(crate) fn end_recording(&mut self, unit: UnitId, deeds: Deeds) {
        // A thread that is gone has said why in a message, and the unit is not recorded.
        let _ = self.thread().send(Request::EndRecording { unit, deeds: Box::new(deeds) });
    }

    /// Starts nothing more. A look that is going on comes to nothing.
    pub(crate) fn stop(&self) {
        self.tree.git().stop();
    }

    /// Removes what must not outlive the run, now that nothing is started any more and nothing that was
    /// started is left. What cannot be removed is left for whoever makes the next room.
    pub(crate) fn leave_nothing(&self) {
        // What stays taken by a run that is over holds nobody back.
        let _ = self.tasks.give_back();
        let _ = self.rooms.clear();
    }

    fn thread(&mut self) -> &mpsc::Sender<Request> {
        self.thread.get_or_insert_with(|| {
            // A run that was killed may have left something. What was never made is clean.
            let _ = fs::remove_dir_all(&self.scratch);
            let (notices, sender) = (self.notices.clone(), self.sender.clone());
            let (tree, rooms) = (self.tree.clone(), self.rooms.clone());
            let scribe = Scribe::new(self.recorder.clone(), notices.clone());
            start(Sights::new(tree, rooms, self.tasks.clone(), notices, scribe), sender)
        })
    }
}

fn stamp(path: &Path) -> Option<Stamp> {
    let metadata = fs::metadata(path).ok()?;
    let (seconds, nanoseconds) = (metadata.mtime(), metadata.mtime_nsec());
    let (inode, size) = (metadata.ino(), metadata.size());
    Some(Stamp(format!("{seconds}.{nanoseconds:09}-{inode}-{size}")))
}
