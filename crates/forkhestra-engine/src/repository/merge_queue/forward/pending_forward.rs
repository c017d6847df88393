//! A move of the user's work tree that is in progress, or was interrupted.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::regular_file;
use crate::repository::index_lock::{remove_abandoned_lock, wait_for_lock};
use crate::repository::merge_queue::MergeQueueError;
use crate::repository::worktree_entries::{remove_any, remove_file};
use crate::repository::{GitRepository, remove_tree};

/// The directory in the directory of git.
const DIRECTORY: &str = "forkhestra-forward";

/// The file in it that the lock of the index is a link to.
const TOKEN: &str = "token";

const RECORD: &str = "record.json";

/// The format of records.
const VERSION: u32 = 1;

/// How long to wait for another git process that has the index locked.
const LOCK_TIMEOUT: Duration = Duration::from_secs(2);

/// The directory of a move, and the lock of git's index.
#[derive(Debug)]
pub(super) struct PendingForward {
    pub(super) directory: PathBuf,
    /// The lock file of git's index.
    lock: PathBuf,
    /// The file of `HEAD`.
    head: PathBuf,
    /// The directory that all work trees of the repository share.
    common: PathBuf,
}

/// The two commits of a move.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ForwardRecord {
    version: u32,
    pub(super) branch: String,
    pub(super) from: String,
    pub(super) to: String,
}

impl ForwardRecord {
    pub(super) fn new(branch: &str, from: &str, to: &str) -> Self {
        let (branch, from, to) = (branch.to_owned(), from.to_owned(), to.to_owned());
        Self { version: VERSION, branch, from, to }
    }
}

impl PendingForward {
    pub(super) fn of(repository: &GitRepository) -> Self {
        let lock = repository.index.with_added_extension("lock");
        let (git_dir, common) = (&repository.git_dir, repository.common.clone());
        Self { directory: git_dir.join(DIRECTORY), lock, head: git_dir.join("HEAD"), common }
    }

    /// The record of a move that was interrupted. The lock that it left is removed.
    pub(super) fn recover(&self) -> Result<Option<ForwardRecord>, MergeQueueError> {
        if !self.directory.is_dir() {
            return Ok(None);
        }
        self.unlock()?;
        let path = self.directory.join(RECORD);
        match regular_file::read(&path) {
            Ok(content) => {
                let record: Option<ForwardRecord> = serde_json::from_slice(&content).ok();
                let record = record.filter(|record| record.version == VERSION);
                record.iter().try_for_each(|record| self.remove_ref_locks(record))?;
                Ok(record)
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(MergeQueueError::file(&path)(error)),
        }
    }

    /// Removes the locks of a git process that was killed while it moved the branch.
    fn remove_ref_locks(&self, record: &ForwardRecord) -> Result<(), MergeQueueError> {
        let evidence = self.directory.join(RECORD);
        for locked in [self.head.clone(), self.common.join(&record.branch)] {
            let removed = remove_abandoned_lock(&locked, &evidence, LOCK_TIMEOUT);
            removed.map_err(MergeQueueError::file(&locked))?;
        }
        Ok(())
    }

    /// Creates the directory and locks the index. The record of an interrupted move stays. Returns the
    /// lock file if another process has the index locked.
    pub(super) fn begin(&self) -> Result<Result<(), PathBuf>, MergeQueueError> {
        let failed = || MergeQueueError::file(&self.directory);
        let prepare = || {
            for entry in fs::read_dir(&self.directory).into_iter().flatten() {
                let path = entry?.path();
                if path.file_name().is_some_and(|name| name != RECORD) {
                    remove_any(&path)?;
                }
            }
            fs::create_dir_all(&self.directory)?;
            File::create_new(self.directory.join(TOKEN)).map(drop)
        };
        prepare().map_err(failed())?;
        let index = self.lock.with_extension("");
        if let Err(lock) = wait_for_lock(&index, LOCK_TIMEOUT) {
            return Ok(Err(lock));
        }
        match fs::hard_link(self.directory.join(TOKEN), &self.lock) {
            Ok(()) => Ok(Ok(())),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                Ok(Err(self.lock.clone()))
            }
            Err(error) => Err(MergeQueueError::file(&self.lock)(error)),
        }
    }

    /// Records the move durably. From now on files may change.
    pub(super) fn record(&self, record: &ForwardRecord) -> Result<(), MergeQueueError> {
        let path = self.directory.join(RECORD);
        let write = || {
            let new = path.with_extension("new");
            let mut file = File::create(&new)?;
            file.write_all(&serde_json::to_vec(record)?)?;
            file.sync_all()?;
            fs::rename(&new, &path)?;
            File::open(&self.directory)?.sync_all()
        };
        write().map_err(MergeQueueError::file(&path))
    }

    /// Removes the lock, and then the directory by which it is known.
    pub(super) fn finish(&self) -> Result<(), MergeQueueError> {
        self.unlock()?;
        remove_tree(&self.directory).map_err(MergeQueueError::file(&self.directory))
    }

    /// Removes the lock of the index if it is ours.
    pub(super) fn unlock(&self) -> Result<(), MergeQueueError> {
        let file = |path: &Path| fs::symlink_metadata(path).map(|it| (it.dev(), it.ino())).ok();
        let is_ours =
            file(&self.lock).is_some_and(|lock| file(&self.directory.join(TOKEN)) == Some(lock));
        match is_ours {
            true => remove_file(&self.lock).map_err(MergeQueueError::file(&self.lock)),
            false => Ok(()),
        }
    }
}
