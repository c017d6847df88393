//! Sees what the rules of a step ask for: the done file, and the work tree.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc;
use std::thread;

use forkhestra_core::event::{Sight, Stamp};
use forkhestra_core::id::UnitId;
use forkhestra_core::limit::Limit;
use forkhestra_core::machine::RunState;
use forkhestra_core::plan::Step;

use crate::agent_command::tagged;
use crate::git::Git;
use crate::message::{Message, Sender};
use crate::process::Children;
use crate::setting::Setting;
use crate::work_tree::{Places, Seen, WorkTree};

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
    sender: Sender,
    thread: Option<mpsc::Sender<(About, Option<Stamp>)>>,
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
        let places = Places::new(directory.clone(), scratch.clone(), setting.state.clone());
        let tree = WorkTree::new(places, git);
        Self { directory, scratch, tree, sender, thread: None }
    }

    /// Sees at once what can be seen at once. Otherwise a message will tell.
    pub(crate) fn look(&mut self, about: About, step: &Step) -> Option<Sight> {
        let done_file = self.done_file(step);
        if step.limits.stagnation.value == Limit::Off && !step.require_work {
            return Some(Sight { done_file, tree: None });
        }
        if self.thread.is_none() {
            // A run that was killed may have left something.
            self.clean_up();
        }
        let thread = self.thread.get_or_insert_with(|| start(self.tree.clone(), &self.sender));
        // A thread that is gone has said why in a message.
        thread.send((about, done_file)).err().map(|_| Sight::default())
    }

    /// The state of the done file, if the step has one and it is there.
    pub(crate) fn done_file(&self, step: &Step) -> Option<Stamp> {
        let path = step.done_file.as_ref()?;
        stamp(&self.directory.join(&path.value))
    }

    /// Starts nothing more. A look that is going on comes to nothing.
    pub(crate) fn stop(&self) {
        self.tree.stop();
    }

    /// Removes what was needed for looking.
    fn clean_up(&self) {
        // What was never made, or is gone, is clean.
        let _ = fs::remove_dir_all(&self.scratch);
    }
}

fn start(mut tree: WorkTree, sender: &Sender) -> mpsc::Sender<(About, Option<Stamp>)> {
    let (requests, queue) = mpsc::channel::<(About, Option<Stamp>)>();
    let sender = sender.clone();
    thread::spawn(move || {
        for (about, done_file) in queue {
            let Seen { tree, notice } = tree.look();
            sender.send(Message::Looked { about, sight: Sight { done_file, tree }, notice });
        }
    });
    requests
}

fn stamp(path: &Path) -> Option<Stamp> {
    let metadata = fs::metadata(path).ok()?;
    let (seconds, nanoseconds) = (metadata.mtime(), metadata.mtime_nsec());
    let (inode, size) = (metadata.ino(), metadata.size());
    Some(Stamp(format!("{seconds}.{nanoseconds:09}-{inode}-{size}")))
}
