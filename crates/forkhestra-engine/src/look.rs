//! Sees what the rules of a step ask for: the done file, and the work tree.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc;

use forkhestra_core::event::{Sight, Stamp};
use forkhestra_core::id::UnitId;
use forkhestra_core::machine::{RoomFailure, RunState};
use forkhestra_core::plan::{CleanRoom, Step};

use crate::agent_command::tagged;
use crate::git::Git;
use crate::message::{Message, Sender};
use crate::notices::Notices;
use crate::process::Children;
use crate::repository::Rooms;
use crate::setting::Setting;
use crate::sights::{Request, Sights, start};
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

/// Looks. A work tree takes a while, so that is done in a thread, which is started when the first
/// step asks for it.
pub(crate) struct Looker {
    directory: PathBuf,
    scratch: PathBuf,
    tree: WorkTree,
    rooms: Rooms,
    notices: Notices,
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
        let places = Places::new(&directory, &scratch, &setting.kept, &setting.state);
        let run = state.plan.snapshots.then(|| state.run.to_string());
        let tree = WorkTree::new(places, git, run);
        let (rooms, notices) = (Rooms::new(&setting.kept), Notices::new(sender.clone()));
        Self { directory, scratch, tree, rooms, notices, sender, thread: None }
    }

    /// Sees at once what can be seen at once. Otherwise a message will tell.
    pub(crate) fn look(&mut self, about: About, state: &RunState) -> Option<Sight> {
        let done_file = self.done_file(&state.plan.steps[about.step() - 1]);
        let wanted = Wanted::of(about, state);
        let is_repository = wanted.is_about_repository() && self.tree.may_be_repository();
        if !is_repository && !wanted.work && wanted.protection.is_none() {
            self.notices.extend(wanted.is_missed(&self.tree.outside()));
            return Some(Sight { done_file, ..Sight::default() });
        }
        let request = Request::Look { about, done_file, wanted: Box::new(wanted) };
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
            let why = "nobody is there to make a clean room".to_owned();
            let room = Err(RoomFailure::OfTheMachine(why));
            self.sender.send(Message::RoomPrepared { unit, room });
        }
    }

    /// Takes the clean room of an iteration away.
    pub(crate) fn clear_room(&mut self, _: UnitId) {
        // If nobody is there to do it, it is done when the run ends.
        let _ = self.thread().send(Request::ClearRoom);
    }

    /// Sees what was made of the repository since a step began; a message will tell.
    pub(crate) fn survey(&mut self, step: usize, before: &Sight) {
        let request = Request::Survey { step, before: Box::new(before.clone()) };
        if self.thread().send(request).is_err() {
            self.sender.send(Message::Surveyed { step, work: None });
        }
    }

    /// Starts nothing more. A look that is going on comes to nothing.
    pub(crate) fn stop(&self) {
        self.tree.git().stop();
    }

    /// Removes what must not outlive the run, now that nothing is started any more and nothing that was
    /// started is left. What cannot be removed is left for whoever makes the next room.
    pub(crate) fn leave_nothing(&self) {
        let _ = self.rooms.clear();
    }

    fn thread(&mut self) -> &mpsc::Sender<Request> {
        self.thread.get_or_insert_with(|| {
            // A run that was killed may have left something. What was never made is clean.
            let _ = fs::remove_dir_all(&self.scratch);
            let (notices, sender) = (self.notices.clone(), self.sender.clone());
            start(Sights::new(self.tree.clone(), self.rooms.clone(), notices), sender)
        })
    }
}

fn stamp(path: &Path) -> Option<Stamp> {
    let metadata = fs::metadata(path).ok()?;
    let (seconds, nanoseconds) = (metadata.mtime(), metadata.mtime_nsec());
    let (inode, size) = (metadata.ino(), metadata.size());
    Some(Stamp(format!("{seconds}.{nanoseconds:09}-{inode}-{size}")))
}
