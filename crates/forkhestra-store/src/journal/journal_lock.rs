//! The lock that allows one writer per journal.
//!
//! The operator can let two runs share a work tree, but two processes must never share a journal:
//! each would number lines on its own. So the writer locks the journal file itself. As with the
//! lock of the work tree, forked processes share the lock. It is released when the last of them
//! ends.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::thread;

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use crate::disk::DiskFile;
use crate::disk::file_error::FileError;
use crate::disk::files;
use crate::runs::lock_owner::LockOwner;
use crate::runs::run_dir::RunDir;
use crate::runs::work_tree_lock::{
    LockError, MAX_ATTEMPTS, RETRY_DELAY, is_taken_over, lock_with_retries, parse_owner,
};

/// The right to append to the journal of one run. Taking it does not change the journal.
#[derive(Debug)]
#[must_use = "a lock that is dropped locks nothing"]
pub struct JournalLock {
    run: RunDir,
    file: Box<dyn DiskFile>,
    is_given_back: bool,
}

impl JournalLock {
    /// Locks the journal of an existing run.
    pub fn acquire(run: &RunDir, owner: &LockOwner) -> Result<Self, LockError> {
        run.require_trusted()?;
        Self::take(run, files::open_to_append(run.disk(), &run.journal())?, owner)
    }

    /// Creates and locks the journal of a new run.
    pub(crate) fn create(run: &RunDir, owner: &LockOwner) -> Result<Self, LockError> {
        Self::take(run, files::create_to_append(run.disk(), &run.journal())?, owner)
    }

    /// The current owner of a run's journal, if it is known.
    pub fn owner_of(run: &RunDir) -> Result<Option<LockOwner>, FileError> {
        owner_in(&run.owner_file())
    }

    fn take(run: &RunDir, file: Box<dyn DiskFile>, owner: &LockOwner) -> Result<Self, LockError> {
        if !try_lock(&*file).map_err(FileError::of("lock", &run.journal()))? {
            let owner = read_owner_with_retries(&run.owner_file())?;
            return Err(LockError::RunActive { run: run.run().clone(), owner });
        }
        // A repair may have replaced the file while this process waited for the lock.
        if !is_named(&*file, &run.journal())? {
            return Self::acquire(run, owner);
        }
        // From here on dropping the lock removes the owner file, even if writing it fails halfway.
        let lock = Self { run: run.clone(), file, is_given_back: false };
        // The owner file is informational. It is only read while the lock is held.
        files::write(run.disk(), &run.owner_file(), owner.to_json().as_bytes())?;
        Ok(lock)
    }

    pub(crate) fn run(&self) -> &RunDir {
        &self.run
    }

    /// Updates the path of the journal after the run was moved.
    pub(crate) fn move_to(&mut self, run: RunDir) {
        self.run = run;
    }

    /// Switches to a locked file that has replaced the journal.
    pub(crate) fn continue_with(&mut self, file: Box<dyn DiskFile>) {
        self.file = file;
    }

    /// Releases the lock, also for forked processes that share it.
    pub(crate) fn release_for_all(mut self) -> Result<(), FileError> {
        self.forget_owner();
        self.is_given_back = true;
        flock(self.file.as_fd(), FlockOperation::Unlock)
            .map_err(|error| FileError::of("unlock", &self.run.journal())(error.into()))
    }

    /// Whether no other process has taken the journal. One can after a forked process released the
    /// lock for all.
    pub(crate) fn is_exclusive(&self) -> bool {
        !self.is_given_back && !is_taken_over(&*self.file)
    }

    fn forget_owner(&self) {
        // A leftover owner file is harmless: it is ignored when the journal is not locked.
        let _ = self.run.disk().remove_file(&self.run.owner_file());
    }

    /// The journal file, open for appending.
    pub(crate) fn file(&self) -> &dyn DiskFile {
        &*self.file
    }
}

/// Removes the owner file before the lock is released. A process that fails to take the lock in
/// between does not learn the owner, but no owner file outlives the run.
impl Drop for JournalLock {
    fn drop(&mut self) {
        if self.is_exclusive() {
            self.forget_owner();
        }
    }
}

/// Locks a journal. Returns `false` if another process holds the lock.
pub(crate) fn try_lock(file: &dyn DiskFile) -> io::Result<bool> {
    match lock_with_retries(file) {
        // The lock of the work tree does not work there either. That refuses every run without
        // `--no-lock`.
        Err(error) if are_locks_unknown(&error) => Ok(true),
        locked => locked,
    }
}

fn is_named(file: &dyn DiskFile, path: &Path) -> Result<bool, FileError> {
    let identity = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
    let there = fs::metadata(path).map_err(FileError::of("find", path))?;
    let held = file.metadata().map_err(FileError::of("find", path))?;
    Ok(identity(there) == identity(held))
}

/// Reads the owner, with retries: a process that has just taken the lock may not have written the
/// owner file yet.
fn read_owner_with_retries(path: &Path) -> Result<Option<LockOwner>, FileError> {
    let mut named = owner_in(path)?;
    for _ in 0..MAX_ATTEMPTS {
        if named.is_some() {
            break;
        }
        thread::sleep(RETRY_DELAY);
        named = owner_in(path)?;
    }
    Ok(named)
}

/// Reads the owner file. Older versions write none.
fn owner_in(path: &Path) -> Result<Option<LockOwner>, FileError> {
    match parse_owner(path) {
        Err(error) if error.source.kind() == io::ErrorKind::NotFound => Ok(None),
        found => found,
    }
}

fn are_locks_unknown(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::Unsupported
        || error.raw_os_error() == Some(Errno::NOLCK.raw_os_error())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use forkhestra_core::id::RunId;
    use forkhestra_core::time::Timestamp;

    use super::*;
    use crate::runs::state_root::StateRoot;
    use crate::runs::work_tree_lock::LockProof;

    /// A process opens the journal before a repair, and gets the lock of the replaced, damaged
    /// file.
    #[test]
    fn a_file_replaced_during_the_wait_is_not_written() {
        let directory = tempfile::tempdir().expect("there is room");
        let tree = StateRoot::new(directory.path()).work_tree(Path::new("/a"));
        let (id, timestamp) = (RunId::from_random(1), Timestamp::default());
        let run = tree.create_run(&LockProof::Waived, &id, timestamp).expect("there is room");
        let owner = LockOwner { pid: 1, run: id, since: timestamp };
        drop(JournalLock::create(&run, &owner).expect("there is room"));
        let opened_before = files::open_to_append(run.disk(), &run.journal()).expect("it is there");
        let new = run.path().join("new");
        fs::write(&new, "").expect("there is room");
        fs::rename(&new, run.journal()).expect("it is ours");
        let lock = JournalLock::take(&run, opened_before, &owner).expect("the lock is free");
        assert!(is_named(lock.file(), &run.journal()).expect("it is there"));
    }
}
