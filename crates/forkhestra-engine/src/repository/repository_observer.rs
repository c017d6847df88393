//! What can be told from one another of a repository.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use forkhestra_core::event::{Fingerprint, WorkTreeFingerprints};

use super::nested_indexes::NestedIndexes;
use super::{GitSession, own_index::OwnIndex};
use crate::fnv_hasher::FnvHasher;
use crate::work_tree::WorkTreeError;
use crate::work_tree::file_tree_hasher::{FileComparison, FileTreeHasher};
use crate::work_tree::own_paths::OwnPaths;

/// Where tasks are kept, which git may have been told to ignore.
pub(crate) const TASKS: &str = "forge/tasks";

/// Looks at one repository again and again.
#[derive(Debug, Clone)]
pub(crate) struct RepositoryObserver {
    indexes: NestedIndexes,
}

/// What a look at a repository shows.
#[derive(Debug)]
pub(crate) struct RepositoryObservation {
    pub(crate) signals: WorkTreeFingerprints,
    /// The tree that a commit of everything would have.
    pub(crate) tree: String,
    /// What is not in it: what is too large or cannot be read, and other repositories.
    pub(crate) left_out: BTreeSet<PathBuf>,
}

/// Where the trees go that are made while looking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ObjectTarget {
    /// To files of our own.
    Ours,
    /// To the repository, where they last.
    Lasting,
}

impl RepositoryObserver {
    pub(crate) fn new(scratch: PathBuf, objects: ObjectTarget) -> Self {
        let own = (objects == ObjectTarget::Ours).then(|| scratch.join("objects"));
        Self { indexes: NestedIndexes::new(scratch, own) }
    }

    /// Sees everything that can be told.
    pub(crate) fn observe(
        &mut self,
        session: &GitSession<'_>,
        directory: &Path,
        ours: &OwnPaths,
    ) -> Result<RepositoryObservation, WorkTreeError> {
        let head = session.head()?;
        let mut files = FnvHasher::new();
        let everything = self.indexes.observe(session, ours, &mut files)?;
        let tasks = directory.join(TASKS);
        let tasks = if tasks.is_dir() {
            let mut hasher = FnvHasher::new();
            // We ourselves write them, to give back what agents have left.
            let mut files = FileTreeHasher {
                hasher: &mut hasher,
                own_paths: ours,
                deadline: session.deadline,
                by: FileComparison::Contents,
            };
            files.directory(&tasks)?;
            Some(Fingerprint(hasher.finish()))
        } else {
            None
        };
        let (index, files) = (Fingerprint(everything.staged), Fingerprint(files.finish()));
        let left_out = everything.rest.into_iter().chain(everything.nested).collect();
        let signals = WorkTreeFingerprints { head, index, files, tasks };
        Ok(RepositoryObservation { signals, tree: everything.tree, left_out })
    }

    /// The index with which trees are made.
    pub(crate) const fn own(&self) -> &OwnIndex {
        self.indexes.own()
    }
}

/// The whole state of a repository in one.
pub(crate) fn whole_fingerprint(signals: &WorkTreeFingerprints) -> Fingerprint {
    let WorkTreeFingerprints { head, index, files, tasks } = signals;
    let mut hasher = FnvHasher::new();
    let tasks = tasks.as_ref().map_or("", |tasks| tasks.0.as_str());
    for part in [head.as_deref().unwrap_or_default(), &index.0, &files.0, tasks] {
        hasher.update(part.as_bytes());
        hasher.update(b"\0");
    }
    Fingerprint(hasher.finish())
}
