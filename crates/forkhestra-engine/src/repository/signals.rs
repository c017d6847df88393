//! What can be told from one another of a repository.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use forkhestra_core::event::{Fingerprint, Signals};

use super::nested::Indexes;
use super::{Session, own_index::OwnIndex};
use crate::files::{By, Files};
use crate::hash::Hasher;
use crate::ours::Ours;
use crate::work_tree::Unknown;

/// Where tasks are kept, which git may have been told to ignore.
pub(crate) const TASKS: &str = "forge/tasks";

/// Looks at one repository again and again.
#[derive(Debug, Clone)]
pub(crate) struct Looks {
    indexes: Indexes,
}

/// What a look at a repository shows.
#[derive(Debug)]
pub(crate) struct Looked {
    pub(crate) signals: Signals,
    /// The tree that a commit of everything would have.
    pub(crate) tree: String,
    /// What is not in it: what is too large or cannot be read, and other repositories.
    pub(crate) left_out: BTreeSet<PathBuf>,
}

/// Where the trees go that are made while looking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Objects {
    /// To files of our own.
    Ours,
    /// To the repository, where they last.
    Lasting,
}

impl Looks {
    pub(crate) fn new(scratch: PathBuf, objects: Objects) -> Self {
        let own = (objects == Objects::Ours).then(|| scratch.join("objects"));
        Self { indexes: Indexes::new(scratch, own) }
    }

    /// Sees everything that can be told.
    pub(crate) fn look(
        &mut self,
        session: &Session<'_>,
        directory: &Path,
        ours: &Ours,
    ) -> Result<Looked, Unknown> {
        let head = session.head()?;
        let mut files = Hasher::new();
        let everything = self.indexes.look(session, ours, &mut files)?;
        let tasks = directory.join(TASKS);
        let tasks = if tasks.is_dir() {
            let mut hasher = Hasher::new();
            // We ourselves write them, to give back what agents have left.
            let mut files =
                Files { hasher: &mut hasher, ours, deadline: session.deadline, by: By::Contents };
            files.directory(&tasks)?;
            Some(Fingerprint(hasher.finish()))
        } else {
            None
        };
        let (index, files) = (Fingerprint(everything.staged), Fingerprint(files.finish()));
        let left_out = everything.rest.into_iter().chain(everything.nested).collect();
        let signals = Signals { head, index, files, tasks };
        Ok(Looked { signals, tree: everything.tree, left_out })
    }

    /// The index with which trees are made.
    pub(crate) const fn own(&self) -> &OwnIndex {
        self.indexes.own()
    }
}

/// The whole state of a repository in one.
pub(crate) fn whole(signals: &Signals) -> Fingerprint {
    let Signals { head, index, files, tasks } = signals;
    let mut hasher = Hasher::new();
    let tasks = tasks.as_ref().map_or("", |tasks| tasks.0.as_str());
    for part in [head.as_deref().unwrap_or_default(), &index.0, &files.0, tasks] {
        hasher.update(part.as_bytes());
        hasher.update(b"\0");
    }
    Fingerprint(hasher.finish())
}
