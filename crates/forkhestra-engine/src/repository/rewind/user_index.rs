//! The index of the user: saved, restored, and set to a commit.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::RewindError;
use super::head_state::LOCK_TIMEOUT;
use crate::repository::index_lock::wait_for_lock;
use crate::repository::{GitSession, copy_index};

/// The index of the user, with the files by which it is saved and restored.
pub(in crate::repository) struct SavedIndex {
    /// Its copy.
    pub(in crate::repository) copy: PathBuf,
    /// The file that becomes the index.
    pub(in crate::repository) restored: PathBuf,
}

impl SavedIndex {
    /// Copies the index of the user. One that is split is written as a whole.
    pub(in crate::repository) fn save(&self, session: &GitSession<'_>) -> Result<(), RewindError> {
        let copy = &self.copy;
        copy_index(&session.repository.index, copy).map_err(RewindError::file(copy))?;
        if copy.exists() && is_split(&session.repository.git_dir) {
            let variables = [("GIT_INDEX_FILE", copy.clone().into_os_string())];
            session.require_with(&variables, &["update-index", "--force-write-index"])?;
        }
        let sync = || if copy.exists() { File::open(copy)?.sync_all() } else { Ok(()) };
        sync().map_err(RewindError::file(copy))
    }

    /// Replaces the index by its copy. Its lock is a link to a file of ours, so that it is known as
    /// ours if we are killed before it is renamed.
    pub(super) fn restore(&self, session: &GitSession<'_>) -> Result<(), RewindError> {
        let (copy, index) = (&self.copy, &session.repository.index);
        let restore = || {
            if !copy.exists() {
                return match fs::remove_file(index) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                    _ => Ok(()),
                };
            }
            let ours = &self.restored;
            fs::copy(copy, ours)?;
            File::open(ours)?.sync_all()?;
            let lock = index.with_added_extension("lock");
            fs::hard_link(ours, &lock)?;
            fs::rename(&lock, index)
        };
        wait_for_index(session)?;
        restore().map_err(RewindError::file(index))?;
        refresh_index(session);
        Ok(())
    }

    /// Removes a lock of the index that an undo has left when it was killed.
    pub(super) fn remove_own_lock(&self, session: &GitSession<'_>) -> Result<(), RewindError> {
        let lock = session.repository.index.with_added_extension("lock");
        let file = |path: &Path| fs::symlink_metadata(path).map(|it| (it.dev(), it.ino())).ok();
        let is_ours = file(&lock).is_some_and(|lock| file(&self.restored) == Some(lock));
        match is_ours {
            true => fs::remove_file(&lock).map_err(RewindError::file(&lock)),
            false => Ok(()),
        }
    }
}

/// Lets the index of the user have the files of a commit.
pub(super) fn set_index(session: &GitSession<'_>, head: Option<&str>) -> Result<(), RewindError> {
    wait_for_index(session)?;
    match head {
        Some(head) => session.require(&["read-tree", "--reset", head])?,
        None => session.require(&["read-tree", "--empty"])?,
    };
    refresh_index(session);
    Ok(())
}

/// Notes the times of files in the index, so that git need not read them again.
pub(super) fn refresh_index(session: &GitSession<'_>) {
    let args = ["update-index", "-q", "--refresh"].map(OsStr::new);
    // Only the speed of the next `git status` depends on it.
    let _ = session.attempt_with(&[], &args);
}

/// Waits for another git process that has the index locked.
fn wait_for_index(session: &GitSession<'_>) -> Result<(), RewindError> {
    let is_locked = |lock: PathBuf| {
        RewindError::Git(format!("another git process has the index locked: {}", lock.display()))
    };
    wait_for_lock(&session.repository.index, LOCK_TIMEOUT).map_err(is_locked)
}

/// Whether the index has a part in another file.
fn is_split(git_dir: &Path) -> bool {
    let Ok(entries) = fs::read_dir(git_dir) else { return false };
    entries.flatten().any(|entry| entry.file_name().as_bytes().starts_with(b"sharedindex."))
}
