//! Files that are written completely or not at all.

use std::fs::File;
use std::io::{self, Write};

use rustix::fs::{AtFlags, Mode, OFlags, RenameFlags};
use rustix::fs::{fchmod, fsync, linkat, openat, renameat_with, unlinkat};
use rustix::io::Errno;

use super::directory_handle::DirectoryHandle;

const NEW_FILE: Mode = Mode::from_raw_mode(0o666);

/// A writer holds the lock and writes one file at a time, so one name is enough. A file that a
/// killed writer left is found by this name.
pub(crate) const TEMPORARY: &str = ".forge-tasks.tmp";

/// A file that is complete and synced, but not in its place yet. It is removed on drop unless it
/// was placed.
///
/// It is always in the directory of tasks, also if it is for the archive, so that a killed writer
/// can leave it in one place only.
#[derive(Debug)]
pub(crate) struct TemporaryFile<'a> {
    pub(crate) folder: &'a DirectoryHandle,
    pub(crate) content: &'a [u8],
    pub(crate) is_placed: bool,
}

impl<'a> TemporaryFile<'a> {
    /// Writes a file; with the permissions of another one, or those that new files have.
    pub(crate) fn write(
        folder: &'a DirectoryHandle,
        content: &'a [u8],
        permissions: Option<Mode>,
    ) -> io::Result<Self> {
        let flags =
            OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = openat(folder, TEMPORARY, flags, permissions.unwrap_or(NEW_FILE))?;
        // From here on it is removed on drop.
        let temporary = Self { folder, content, is_placed: false };
        if let Some(permissions) = permissions {
            fchmod(&file, permissions)?;
        }
        let mut file = File::from(file);
        file.write_all(content)?;
        file.sync_data()?;
        Ok(temporary)
    }

    /// Puts it where no other file is.
    pub(crate) fn create(mut self, folder: &DirectoryHandle, name: &str) -> Result<(), Errno> {
        move_to_free((self.folder, TEMPORARY), (folder, name))?;
        self.is_placed = true;
        Ok(())
    }
}

impl Drop for TemporaryFile<'_> {
    fn drop(&mut self) {
        if !self.is_placed {
            remove_leftover(self.folder);
        }
    }
}

/// Renames a file, but never onto another one.
pub(crate) fn move_to_free(
    (folder, name): (&DirectoryHandle, &str),
    (new_folder, new_name): (&DirectoryHandle, &str),
) -> Result<(), Errno> {
    match renameat_with(folder, name, new_folder, new_name, RenameFlags::NOREPLACE) {
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {}
        done => return done,
    }
    // Some file systems cannot do this in one step; then there are two names for a moment.
    linkat(folder, name, new_folder, new_name, AtFlags::empty())?;
    unlinkat(folder, name, AtFlags::empty())
}

/// Syncs the names in a directory, so that they survive a power failure.
pub(crate) fn make_last(folder: &DirectoryHandle) -> io::Result<()> {
    match fsync(folder) {
        // This file system does not support it.
        Err(Errno::INVAL | Errno::NOTSUP) => Ok(()),
        done => Ok(done?),
    }
}

/// Removes the temporary file of a killed writer. The caller must hold the lock.
pub(crate) fn remove_leftover(folder: &DirectoryHandle) {
    // The next writer tries again, and reports why it fails.
    let _ = unlinkat(folder, TEMPORARY, AtFlags::empty());
}
