//! Observes repositories inside a repository: submodules and others. Git itself reports only their
//! commits.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::git_program::GitError;
use super::own_index::{IndexObservation, OwnIndex, refuse_special_file, refuse_special_files};
use super::untracked_files::UntrackedFiles;
use super::{GitRepository, GitSession, text};
use crate::fnv_hasher::{FnvHasher, hash};
use crate::work_tree::WorkTreeError;
use crate::work_tree::file_tree_hasher::{FileComparison, FileTreeHasher};
use crate::work_tree::own_paths::OwnPaths;

/// The result of observing a repository and all repositories inside it.
#[derive(Debug)]
pub(crate) struct NestedObservation {
    pub(crate) index: IndexObservation,
    /// Repositories inside it with uncommitted files.
    pub(crate) uncommitted: BTreeSet<PathBuf>,
}

/// The indexes of a repository and of all repositories inside it.
#[derive(Debug, Clone)]
pub(crate) struct NestedIndexes {
    scratch: PathBuf,
    own: OwnIndex,
    nested: BTreeMap<PathBuf, Self>,
}

impl NestedIndexes {
    /// Keeps the indexes in a directory, and the objects in `objects` if they do not go to the
    /// repository, and then decides about untracked files by `untracked`.
    pub(crate) fn new(
        scratch: PathBuf,
        objects: Option<PathBuf>,
        untracked: Option<UntrackedFiles>,
    ) -> Self {
        let own = OwnIndex::new(scratch.join("index"), objects, untracked);
        Self { scratch, own, nested: BTreeMap::new() }
    }

    /// Observes a repository and adds all its files to the hash.
    pub(crate) fn observe(
        &mut self,
        session: &GitSession<'_>,
        own_paths: &OwnPaths,
        hasher: &mut FnvHasher,
    ) -> Result<NestedObservation, WorkTreeError> {
        refuse_special_files(session.repository)?;
        let everything = self.own.observe(session, own_paths)?;
        hasher.update(everything.tree.as_bytes());
        let mut files =
            FileTreeHasher::new(hasher, own_paths, session.deadline, FileComparison::Times);
        everything.rest.iter().try_for_each(|path| files.entry(path))?;
        self.nested.retain(|path, _| everything.nested.contains(path));
        let uncommitted = self.observe_nested(&everything.nested, session, own_paths, hasher)?;
        Ok(NestedObservation { index: everything, uncommitted })
    }

    pub(crate) const fn own(&self) -> &OwnIndex {
        &self.own
    }

    fn observe_nested(
        &mut self,
        all: &BTreeSet<PathBuf>,
        session: &GitSession<'_>,
        own_paths: &OwnPaths,
        hasher: &mut FnvHasher,
    ) -> Result<BTreeSet<PathBuf>, WorkTreeError> {
        let mut uncommitted = BTreeSet::new();
        for path in all.iter().filter(|path| path.join(".git").exists()) {
            hasher.update(path.as_os_str().as_bytes());
            hasher.update(b"\0");
            for name in [".git/HEAD", ".git/config"] {
                refuse_special_file(&path.join(name))?;
            }
            let found = GitRepository::find_nested(session.git, path, session.deadline)?;
            let Some(repository) = found.filter(|found| is_at(&found.top, path)) else {
                // A directory that is not a repository is hashed as files.
                let by = FileComparison::Times;
                FileTreeHasher::new(hasher, own_paths, session.deadline, by).entry(path)?;
                continue;
            };
            let inner = GitSession { repository: &repository, ..*session };
            let head = inner.head()?;
            hasher.update(head.as_deref().unwrap_or_default().as_bytes());
            let scratch = || {
                let name = hash(path.as_os_str().as_bytes());
                let scratch = self.scratch.join("nested").join(name);
                Self::new(scratch.clone(), Some(scratch.join("objects")), None)
            };
            let indexes = self.nested.entry(path.clone()).or_insert_with(scratch);
            let seen = indexes.observe(&inner, own_paths, hasher)?;
            let tree = head.map(|head| tree_of(&inner, &head)).transpose()?.flatten();
            let is_committed = tree.is_some_and(|tree| tree == seen.index.tree)
                && seen.index.rest.is_empty()
                && seen.index.untracked.is_empty()
                && seen.uncommitted.is_empty();
            if !is_committed {
                uncommitted.insert(path.clone());
            }
        }
        Ok(uncommitted)
    }
}

fn tree_of(session: &GitSession<'_>, commit: &str) -> Result<Option<String>, GitError> {
    let tree =
        session.query(&["rev-parse", "--quiet", "--verify", &format!("{commit}^{{tree}}")])?;
    Ok(tree.map(|tree| text(&tree)))
}

fn is_at(top: &Path, path: &Path) -> bool {
    top.canonicalize().ok() == path.canonicalize().ok()
}
