//! The lock file of git's index.

use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

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
