//! Fingerprints the state of a repository.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use forkhestra_core::event::{Fingerprint, WorkTreeFingerprints};

use super::nested_indexes::NestedIndexes;
use super::untracked_files::{UntrackedFiles, WithheldFiles};
use super::{GitSession, own_index::OwnIndex};
use crate::fnv_hasher::FnvHasher;
use crate::regular_file;
use crate::secret_finder::SecretFinder;
use crate::work_tree::WorkTreeError;
use crate::work_tree::file_tree_hasher::{FileComparison, FileTreeHasher};
use crate::work_tree::own_paths::OwnPaths;

/// The directory of tasks, which git may ignore.
pub(crate) const TASKS: &str = "forge/tasks";

/// Observes one repository repeatedly.
#[derive(Debug, Clone)]
pub(crate) struct RepositoryObserver {
    indexes: NestedIndexes,
}

/// The result of observing a repository.
#[derive(Debug)]
pub(crate) struct RepositoryObservation {
    pub(crate) signals: WorkTreeFingerprints,
    /// The tree that a commit of all files would have.
    pub(crate) tree: String,
    /// Files that are not in it: too large, unreadable, withheld, or other repositories.
    pub(crate) left_out: BTreeSet<PathBuf>,
    /// Those that are certainly not committed.
    pub(crate) uncommitted: BTreeSet<PathBuf>,
    /// Untracked files that must not be stored in the repository.
    pub(crate) withheld: WithheldFiles,
}

/// Where the objects of an observation are stored.
#[derive(Debug, Clone)]
pub(crate) enum ObjectTarget {
    /// In temporary files.
    Ours,
    /// In the repository, permanently, without untracked files that contain these secrets or look
    /// like secrets.
    Lasting(SecretFinder),
}

impl RepositoryObserver {
    pub(crate) fn new(scratch: PathBuf, objects: ObjectTarget) -> Self {
        let (own, untracked) = match objects {
            ObjectTarget::Ours => (Some(scratch.join("objects")), None),
            ObjectTarget::Lasting(secrets) => (None, Some(UntrackedFiles::new(secrets))),
        };
        Self { indexes: NestedIndexes::new(scratch, own, untracked) }
    }

    /// An observer with the same treatment of untracked files that writes nothing to the repository.
    pub(crate) fn temporary(&self, scratch: PathBuf) -> Self {
        let (own, untracked) = (Some(scratch.join("objects")), self.own().untracked().cloned());
        Self { indexes: NestedIndexes::new(scratch, own, untracked) }
    }

    /// Observes all parts of the state.
    pub(crate) fn observe(
        &mut self,
        session: &GitSession<'_>,
        directory: &Path,
        own_paths: &OwnPaths,
    ) -> Result<RepositoryObservation, WorkTreeError> {
        let head = session.head()?;
        let mut files = FnvHasher::new();
        let seen = self.indexes.observe(session, own_paths, &mut files)?;
        let (everything, mut uncommitted) = (seen.index, seen.uncommitted);
        let tasks = directory.join(TASKS);
        let tasks = if tasks.is_dir() {
            let mut hasher = FnvHasher::new();
            // By content, since releasing tasks rewrites these files.
            let by = FileComparison::Contents;
            FileTreeHasher::new(&mut hasher, own_paths, session.deadline, by).directory(&tasks)?;
            Some(Fingerprint(hasher.finish()))
        } else {
            None
        };
        let (index, files) = (Fingerprint(everything.staged), Fingerprint(files.finish()));
        uncommitted.extend(everything.rest.iter().chain(&everything.untracked).cloned());
        let left_out = everything.rest.into_iter().chain(everything.nested).collect();
        let branch = checked_out_branch(&session.repository.git_dir);
        let signals = WorkTreeFingerprints { head, branch, index, files, tasks };
        let (tree, withheld) = (everything.tree, everything.withheld);
        Ok(RepositoryObservation { signals, tree, left_out, uncommitted, withheld })
    }

    /// The index with which trees are built.
    pub(crate) const fn own(&self) -> &OwnIndex {
        self.indexes.own()
    }
}

/// The full name of the branch that is checked out. Git is not asked: this is read with every
/// observation.
fn checked_out_branch(git_dir: &Path) -> Option<String> {
    let head = regular_file::read_text(&git_dir.join("HEAD")).ok()?;
    let branch = head.trim_end().strip_prefix("ref: ")?;
    // A repository that keeps its refs in tables has this in place of the branch.
    (branch != "refs/heads/.invalid").then(|| branch.to_owned())
}

/// The fingerprint of all parts together.
pub(crate) fn whole_fingerprint(signals: &WorkTreeFingerprints) -> Fingerprint {
    let WorkTreeFingerprints { head, branch: _, index, files, tasks } = signals;
    let mut hasher = FnvHasher::new();
    let tasks = tasks.as_ref().map_or("", |tasks| tasks.0.as_str());
    for part in [head.as_deref().unwrap_or_default(), &index.0, &files.0, tasks] {
        hasher.update(part.as_bytes());
        hasher.update(b"\0");
    }
    Fingerprint(hasher.finish())
}
