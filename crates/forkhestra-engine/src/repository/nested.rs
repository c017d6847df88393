//! Repositories inside a repository: submodules, and those that somebody put there. Git itself sees no
//! more of them than their commits.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::own_index::{Everything, OwnIndex};
use super::{Repository, Session};
use crate::files::{By, Files};
use crate::hash::{Hasher, hash};
use crate::ours::Ours;
use crate::work_tree::Unknown;

/// The indexes for a repository and for all repositories inside it.
#[derive(Debug, Clone)]
pub(crate) struct Indexes {
    scratch: PathBuf,
    own: OwnIndex,
    nested: BTreeMap<PathBuf, Self>,
}

impl Indexes {
    /// Keeps the indexes in a directory, and objects as well, if they do not go to the repository.
    pub(crate) fn new(scratch: PathBuf, objects: Option<PathBuf>) -> Self {
        let own = OwnIndex::new(scratch.join("index"), objects);
        Self { scratch, own, nested: BTreeMap::new() }
    }

    /// Sees everything in a repository, and takes in all files.
    pub(crate) fn look(
        &mut self,
        session: &Session<'_>,
        ours: &Ours,
        hasher: &mut Hasher,
    ) -> Result<Everything, Unknown> {
        let everything = self.own.look(session, ours)?;
        hasher.update(everything.tree.as_bytes());
        let mut files = Files { hasher, ours, deadline: session.deadline, by: By::Times };
        everything.rest.iter().try_for_each(|path| files.entry(path))?;
        self.nested.retain(|path, _| everything.nested.contains(path));
        self.look_into(&everything.nested, session, ours, hasher)?;
        Ok(everything)
    }

    pub(crate) const fn own(&self) -> &OwnIndex {
        &self.own
    }

    fn look_into(
        &mut self,
        all: &BTreeSet<PathBuf>,
        session: &Session<'_>,
        ours: &Ours,
        hasher: &mut Hasher,
    ) -> Result<(), Unknown> {
        for path in all.iter().filter(|path| path.join(".git").exists()) {
            hasher.update(path.as_os_str().as_bytes());
            hasher.update(b"\0");
            let found = Repository::find_nested(session.git, path, session.deadline)?;
            let Some(repository) = found.filter(|found| is_at(&found.top, path)) else {
                // What git does not know is looked at as files.
                Files { hasher, ours, deadline: session.deadline, by: By::Times }.entry(path)?;
                continue;
            };
            let inner = Session { repository: &repository, ..*session };
            hasher.update(inner.head()?.unwrap_or_default().as_bytes());
            let scratch = || {
                let name = hash(path.as_os_str().as_bytes());
                let scratch = self.scratch.join("nested").join(name);
                Self::new(scratch.clone(), Some(scratch.join("objects")))
            };
            let indexes = self.nested.entry(path.clone()).or_insert_with(scratch);
            indexes.look(&inner, ours, hasher)?;
        }
        Ok(())
    }
}

fn is_at(top: &Path, path: &Path) -> bool {
    top.canonicalize().ok() == path.canonicalize().ok()
}
