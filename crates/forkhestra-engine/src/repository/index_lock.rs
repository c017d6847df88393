//! Lock files of git.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use super::worktree_entries::remove_file;

/// The time between two looks at a lock file.
const LOCK_POLL: Duration = Duration::from_millis(50);

/// Waits until no other git process has the index locked. Returns the lock file if that takes longer
/// than the timeout.
pub(crate) fn wait_for_lock(index: &Path, timeout: Duration) -> Result<(), PathBuf> {
    let lock = index.with_added_extension("lock");
    let deadline = Instant::now() + timeout;
    while lock.exists() {
        if Instant::now() >= deadline {
            return Err(lock);
        }
        thread::sleep(LOCK_POLL);
    }
    Ok(())
}

/// Removes the lock of a file that a killed git process left: it is as old as the evidence that the
/// process ran, or newer, and it stays the same for longer than git has a ref locked.
pub(super) fn remove_abandoned_lock(
    of: &Path,
    evidence: &Path,
    timeout: Duration,
) -> io::Result<()> {
    let lock = of.with_added_extension("lock");
    let since = fs::metadata(evidence)?.modified()?;
    let identity = || {
        let found = fs::symlink_metadata(&lock).ok()?;
        Some((found.dev(), found.ino(), found.modified().ok()?))
    };
    let Some(before) = identity().filter(|(_, _, modified)| *modified >= since) else {
        return Ok(());
    };
    let is_abandoned = wait_for_lock(of, timeout).is_err() && identity() == Some(before);
    if is_abandoned { remove_file(&lock) } else { Ok(()) }
}

/// Removes all lock files of refs below a directory in which no git process is at work. Links are not
/// followed.
pub(super) fn remove_locks_below(directory: &Path) -> io::Result<()> {
    let entries = match fs::read_dir(directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        let (path, kind) = (entry.path(), entry.file_type()?);
        if kind.is_dir() {
            remove_locks_below(&path)?;
        } else if path.extension().is_some_and(|extension| extension == "lock") {
            remove_file(&path)?;
        }
    }
    Ok(())
}
