//! The directory of one search, below that of its run.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::launch::agent_command::RUN_TAG;
use crate::launch::tools_directory::create_private_directory;
use crate::process::sweep;
use crate::repository::remove_tree;
use crate::work_tree::file_content::is_missing;
use crate::work_tree::own_paths::real_path;

/// The directory below that of the run, and the prefix of the names in it.
const NAME: &str = "bisect";

/// The file that a search holds locked.
const LOCK: &str = "lock";

/// Upper bound for ending the processes of a killed search.
const SWEEP_TIMEOUT: Duration = Duration::from_secs(5);

/// The directory of one search: its checkout and its temporary files. Several searches can use the same
/// run, each with a directory of its own.
#[derive(Debug)]
pub struct BisectDirectory {
    path: PathBuf,
    run_directory: PathBuf,
    /// Held as long as a process of the search exists.
    _lock: File,
}

impl BisectDirectory {
    /// Creates the directory, after removing what killed searches of the run left.
    pub fn create(run_directory: &Path) -> io::Result<Self> {
        let run_directory = real_path(run_directory);
        let _alone = lock_directory(&run_directory)?;
        let all = run_directory.join(NAME);
        remove_leftovers(&all)?;
        let path = create_private_directory(&all, NAME)?;
        let lock = File::create_new(path.join(LOCK))?;
        lock.lock()?;
        Ok(Self { path, run_directory, _lock: lock })
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The name, which is also the tag of all processes of the search.
    pub fn tag(&self) -> OsString {
        self.path.file_name().unwrap_or_default().to_owned()
    }

    /// The directory for temporary files.
    pub fn scratch(&self) -> PathBuf {
        self.path.join("scratch")
    }

    /// Removes it. It may be called again.
    pub fn remove(&self) -> io::Result<()> {
        let _alone = lock_directory(&self.run_directory)?;
        remove_tree(&self.path)?;
        match fs::remove_dir(self.run_directory.join(NAME)) {
            Err(error) if !is_missing(&error) && !is_used(&error) => Err(error),
            _ => Ok(()),
        }
    }
}

/// Waits until no other search of the run creates or removes its directory.
fn lock_directory(directory: &Path) -> io::Result<File> {
    let file = File::open(directory)?;
    file.lock()?;
    Ok(file)
}

/// Removes the directories of searches that were killed, and ends their processes.
fn remove_leftovers(all: &Path) -> io::Result<()> {
    let entries = match fs::read_dir(all) {
        Err(error) if is_missing(&error) => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let path = entry?.path();
        let lock = File::open(path.join(LOCK));
        let is_held =
            lock.is_ok_and(|lock| matches!(lock.try_lock(), Err(TryLockError::WouldBlock)));
        if !is_held {
            // Processes that cannot be ended keep no directory.
            sweep(OsStr::new(RUN_TAG), path.file_name().unwrap_or_default(), SWEEP_TIMEOUT);
            remove_tree(&path)?;
        }
    }
    Ok(())
}

/// Whether a directory was not removed because another search uses it.
fn is_used(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::DirectoryNotEmpty
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_removes_what_killed_ones_left_and_nothing_else() {
        let temporary = tempfile::tempdir().expect("there is room");
        let run = temporary.path();
        let killed = BisectDirectory::create(run).expect("the place is ours");
        let left = killed.path().to_owned();
        drop(killed);
        assert!(left.exists());
        let one = BisectDirectory::create(run).expect("the place is ours");
        assert!(!left.exists(), "its lock is free");
        let other = BisectDirectory::create(run).expect("the place is ours");
        assert!(one.path().exists(), "its lock is held");
        one.remove().expect("it is ours");
        assert!(other.path().exists());
        other.remove().expect("it is ours");
        other.remove().expect("nothing is left to do");
        assert_eq!(fs::read_dir(run).expect("it is there").count(), 0);
    }
}
