//! One writer per journal.
//!
//! A person may let two runs share a work tree, but nobody can let two processes share a journal:
//! each would count lines on its own. So whoever writes has the file itself locked. As with the
//! lock of the work tree, a process that is forked off shares it, and it goes with the last of them.

use std::io;
use std::path::Path;

use rustix::io::Errno;

use crate::disk::DiskFile;
use crate::error::FileError;
use crate::files;
use crate::lock::{LockError, is_locked_in_time, written_in};
use crate::owner::Owner;
use crate::run_dir::RunDir;

/// The right to append to the journal of one run. Nothing that is in the journal changes by it.
#[derive(Debug)]
#[must_use = "a lock that is dropped locks nothing"]
pub struct JournalLock {
    run: RunDir,
    file: Box<dyn DiskFile>,
}

impl JournalLock {
    /// Takes the lock of a run that goes on.
    pub fn acquire(run: &RunDir, owner: &Owner) -> Result<Self, LockError> {
        Self::take(run, files::open_to_append(run.disk(), &run.journal())?, owner)
    }

    /// Creates the journal of a run, and locks it.
    pub(crate) fn create(run: &RunDir, owner: &Owner) -> Result<Self, LockError> {
        Self::take(run, files::create_to_append(run.disk(), &run.journal())?, owner)
    }

    fn take(run: &RunDir, file: Box<dyn DiskFile>, owner: &Owner) -> Result<Self, LockError> {
        match is_locked_in_time(&*file) {
            Ok(true) => {}
            Ok(false) => {
                let owner = owner_in(&run.owner_file())?;
                return Err(LockError::GoingOn { run: run.run().clone(), owner });
            }
            // The lock of the work tree does not work there either, which stops everybody but those
            // who do without it.
            Err(error) if are_locks_unknown(&error) => {}
            Err(error) => return Err(FileError::of("lock", &run.journal())(error).into()),
        }
        // From here on the name is removed, also if it cannot be written to its end.
        let lock = Self { run: run.clone(), file };
        // Only for messages: it is read only while the lock is held.
        files::write(run.disk(), &run.owner_file(), owner.to_json().as_bytes())?;
        Ok(lock)
    }

    /// The run.
    pub(crate) fn run(&self) -> &RunDir {
        &self.run
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
        // A name that stays is as good as one that somebody left who was killed: nobody reads it.
        let _ = self.run.disk().remove_file(&self.run.owner_file());
    }
}

/// Who has a journal; nobody knows if an older version wrote it.
fn owner_in(path: &Path) -> Result<Option<Owner>, FileError> {
    match written_in(path) {
        Err(error) if error.source.kind() == io::ErrorKind::NotFound => Ok(None),
        found => found,
    }
}

fn are_locks_unknown(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::Unsupported
        || error.raw_os_error() == Some(Errno::NOLCK.raw_os_error())
}
