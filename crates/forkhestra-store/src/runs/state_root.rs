//! The root directory of all stored state.

use std::fs;
use std::path::{Path, PathBuf};

use crate::disk::file_error::{FileError, found};
use crate::disk::untrusted_path::require_safe_root;
use crate::disk::{Disk, SYSTEM};
use crate::runs::find_run::{FindRunError, find_by_prefix};
use crate::runs::run_dir::RunDir;
use crate::runs::work_tree_dir::WorkTreeDir;

/// The root directory of all stored state. It need not exist yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateRoot {
    disk: &'static dyn Disk,
    path: PathBuf,
}

impl StateRoot {
    /// A state root on the disk of the operating system.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self::with_disk(&SYSTEM, path)
    }

    /// A state root that is changed through `disk`.
    pub fn with_disk(disk: &'static dyn Disk, path: impl Into<PathBuf>) -> Self {
        Self { disk, path: path.into() }
    }

    /// The path of the directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Requires that no other user can replace what is stored in the directory.
    pub fn require_trusted(&self) -> Result<(), FileError> {
        require_safe_root(&self.path)
    }

    /// The directory for the runs of a work tree. The path of the work tree must be absolute and
    /// canonical.
    pub fn work_tree(&self, work_tree: &Path) -> WorkTreeDir {
        WorkTreeDir::below(self.disk, &self.path, work_tree)
    }

    /// The runs of all work trees, newest first.
    pub fn runs(&self) -> Result<Vec<RunDir>, FileError> {
        let mut runs = Vec::new();
        for path in entries(&self.path)?.into_iter().filter(|path| path.is_dir()) {
            runs.extend(WorkTreeDir::at(self.disk, path).runs()?);
        }
        runs.sort_by(RunDir::newest_first);
        Ok(runs)
    }

    /// Finds a run of any work tree by a prefix of its id.
    pub fn find(&self, id_prefix: &str) -> Result<RunDir, FindRunError> {
        find_by_prefix(id_prefix, self.runs()?)
    }
}

/// The entries of a directory; none if it does not exist.
pub(crate) fn entries(directory: &Path) -> Result<Vec<PathBuf>, FileError> {
    let unreadable = |error| FileError::of("read", directory)(error);
    let listed = found(fs::read_dir(directory)).map_err(unreadable)?.into_iter().flatten();
    listed.map(|entry| entry.map(|entry| entry.path()).map_err(unreadable)).collect()
}
