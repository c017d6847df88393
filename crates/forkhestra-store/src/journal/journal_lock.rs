//! One writer per journal.
//!
//! A person may let two runs share a work tree, but nobody can let two processes share a journal:
//! each would count lines on its own. So whoever writes has the file itself locked. As with the
//! lock of the work tree, a process that is forked off shares it, and it goes with the last of them.

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
    LockError, PAUSE, TRIES, is_locked_in_time, is_taken, parse_owner,
};

/// The right to append to the journal of one run. Nothing that is in the journal changes by it.
#[derive(Debug)]
#[must_use = "a lock that is dropped locks nothing"]
pub struct JournalLock {
    run: RunDir,
    file: Box<dyn DiskFile>,
    is_given_back: bool,
}

impl JournalLock {
    /// Takes the lock of a run that goes on.
    pub fn acquire(run: &RunDir, owner: &LockOwner) -> Result<Self, LockError> {
        Self::take(run, files::open_to_append(run.disk(), &run.journal())?, owner)
    }

    /// Creates the journal of a run, and locks it.
    pub(crate) fn create(run: &RunDir, owner: &LockOwner) -> Result<Self, LockError> {
        Self::take(run, files::create_to_append(run.disk(), &run.journal())?, owner)
    }

    /// Who has the journal of a run that is going on, if that is known.
    pub fn owner_of(run: &RunDir) -> Result<Option<LockOwner>, FileError> {
        owner_in(&run.owner_file())
    }

    fn take(run: &RunDir, file: Box<dyn DiskFile>, owner: &LockOwner) -> Result<Self, LockError> {
        if !is_locked(&*file).map_err(FileError::of("lock", &run.journal()))? {
            let owner = named_in_time(&run.owner_file())?;
            return Err(LockError::GoingOn { run: run.run().clone(), owner });
        }
        // Whoever repaired the journal while we waited has put another file in its place.
        if !is_named(&*file, &run.journal())? {
            return Self::acquire(run, owner);
        }
        // From here on the name is removed, also if it cannot be written to its end.
        let lock = Self { run: run.clone(), file, is_given_back: false };
        // Only for messages: it is read only while the lock is held.
        files::write(run.disk(), &run.owner_file(), owner.to_json().as_bytes())?;
        Ok(lock)
    }

    /// The run.
    pub(crate) fn run(&self) -> &RunDir {
        &self.run
    }

    /// Goes on with the same journal at another place.
    pub(crate) fn move_to(&mut self, run: RunDir) {
        self.run = run;
    }

    /// Goes on with another file, which has taken the place of the journal and is locked.
    pub(crate) fn continue_with(&mut self, file: Box<dyn DiskFile>) {
        self.file = file;
    }

    /// Gives the lock back also for processes that were forked off and have it too.
    pub(crate) fn release_for_all(mut self) -> Result<(), FileError> {
        self.forget_owner();
        self.is_given_back = true;
        flock(self.file.as_fd(), FlockOperation::Unlock)
            .map_err(|error| FileError::of("unlock", &self.run.journal())(error.into()))
    }

    /// Whether nobody else has the journal by now, since a process that we have it with has given it
    /// back for us.
    pub(crate) fn is_exclusive(&self) -> bool {
        !self.is_given_back && !is_taken(&*self.file)
    }

    fn forget_owner(&self) {
        // A name that stays is as good as one that somebody left who was killed: nobody reads it.
        let _ = self.run.disk().remove_file(&self.run.owner_file());
    }

    /// The journal, to be appended to.
    pub(crate) fn file(&self) -> &dyn DiskFile {
        &*self.file
    }
}

/// Whoever comes while this is still locked does not hear who has it; but nobody finds a name there
/// when the run is over.
impl Drop for JournalLock {
    fn drop(&mut self) {
        if self.is_exclusive() {
            self.forget_owner();
        }
    }
}

/// Locks a journal, if nobody else has.
pub(crate) fn is_locked(file: &dyn DiskFile) -> io::Result<bool> {
    match is_locked_in_time(file) {
        // The lock of the work tree does not work there either, which stops everybody but those who
        // do without it.
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

/// Who has a journal. Whoever has just taken it is about to write its name.
fn named_in_time(path: &Path) -> Result<Option<LockOwner>, FileError> {
    let mut named = owner_in(path)?;
    for _ in 0..TRIES {
        if named.is_some() {
            break;
        }
        thread::sleep(PAUSE);
        named = owner_in(path)?;
    }
    Ok(named)
}

/// Who has a journal; nobody knows if an older version wrote it.
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

    /// Somebody opened the journal before it was repaired, and got the lock of what is the damaged
    /// one by then.
    #[test]
    fn what_was_replaced_while_somebody_waited_is_not_written() {
        let directory = tempfile::tempdir().expect("there is room");
        let tree = StateRoot::new(directory.path()).work_tree(Path::new("/a"));
        let (id, moment) = (RunId::from_random(1), Timestamp::default());
        let run = tree.create_run(&LockProof::Waived, &id, moment).expect("there is room");
        let owner = LockOwner { pid: 1, run: id, since: moment };
        drop(JournalLock::create(&run, &owner).expect("there is room"));
        let opened_before = files::open_to_append(run.disk(), &run.journal()).expect("it is there");
        let new = run.path().join("new");
        fs::write(&new, "").expect("there is room");
        fs::rename(&new, run.journal()).expect("it is ours");
        let lock = JournalLock::take(&run, opened_before, &owner).expect("nobody has it");
        assert!(is_named(lock.file(), &run.journal()).expect("it is there"));
    }
}
