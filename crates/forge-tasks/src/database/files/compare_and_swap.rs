//! Replacing a file only if it has not changed since it was read.
//!
//! An editor holds no lock and can save a file between any two system calls. So the two files are
//! exchanged in one step, and the old one is read again: no unread content is lost.

use std::io;

use rustix::fs::{RenameFlags, renameat, renameat_with};
use rustix::io::Errno;

use super::directory_handle::{DirectoryHandle, FileReadError};
use super::temporary_file::{TEMPORARY, TemporaryFile, move_to_free, remove_leftover};

/// A file, by its directory and its name there.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SwapTarget<'a> {
    pub(crate) folder: &'a DirectoryHandle,
    pub(crate) name: &'a str,
}

/// Why a file was not replaced.
#[derive(Debug)]
pub(crate) enum SwapError {
    /// The file has changed since it was read, or is gone.
    Changed,
    /// The system refused.
    Refused(io::Error),
}

impl<E: Into<io::Error>> From<E> for SwapError {
    fn from(error: E) -> Self {
        Self::Refused(error.into())
    }
}

/// Gives a file another content, if it still has the old one. Its permissions stay.
pub(crate) fn overwrite(
    tasks: &DirectoryHandle,
    target: SwapTarget<'_>,
    old: &[u8],
    new: &[u8],
) -> Result<(), SwapError> {
    let permissions = target.folder.permissions_of(target.name);
    let temporary = TemporaryFile::write(tasks, new, permissions)?;
    // This catches nearly all changes before a reader can see the new content.
    target.must_hold(old)?;
    temporary.replace(target, old)
}

/// Removes a file, if it still has the content that was read.
pub(crate) fn remove(
    tasks: &DirectoryHandle,
    target: SwapTarget<'_>,
    old: &[u8],
) -> Result<(), SwapError> {
    target.must_hold(old)?;
    take_away(tasks, target, old)
}

/// As [`remove`], without the first comparison.
pub(crate) fn take_away(
    tasks: &DirectoryHandle,
    target: SwapTarget<'_>,
    old: &[u8],
) -> Result<(), SwapError> {
    let aside = SwapTarget { folder: tasks, name: TEMPORARY };
    match move_to_free((target.folder, target.name), (tasks, TEMPORARY)) {
        Err(Errno::NOENT) => return Err(SwapError::Changed),
        moved => moved?,
    }
    let is_same = aside.must_hold(old);
    if is_same.is_err() {
        match move_to_free((tasks, TEMPORARY), (target.folder, target.name)) {
            // An editor saved it once more, and that is newer.
            Ok(()) | Err(Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
    }
    remove_leftover(tasks);
    is_same
}

impl SwapTarget<'_> {
    /// Refuses if the content of the file is another one.
    pub(crate) fn must_hold(self, expected: &[u8]) -> Result<(), SwapError> {
        match self.folder.bytes(self.name) {
            Ok(bytes) if bytes == expected => Ok(()),
            Ok(_) | Err(FileReadError::Gone | FileReadError::Link | FileReadError::NotAFile) => {
                Err(SwapError::Changed)
            }
            Err(FileReadError::Refused(error)) => Err(SwapError::Refused(error)),
        }
    }
}

impl TemporaryFile<'_> {
    /// Replaces another file, if that still is what was read.
    pub(crate) fn replace(self, target: SwapTarget<'_>, old: &[u8]) -> Result<(), SwapError> {
        match self.exchange(target) {
            Ok(()) => {}
            Err(Errno::NOENT) => return Err(SwapError::Changed),
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => return self.rename_over(target),
            Err(error) => return Err(error.into()),
        }
        // The old file has the temporary name now and is removed with it.
        self.place().must_hold(old).or_else(|why| {
            self.put_back(target)?;
            Err(why)
        })
    }

    /// Undoes an exchange, unless an editor saved the file meanwhile: then that is the newest
    /// content, and it stays.
    pub(crate) fn put_back(&self, target: SwapTarget<'_>) -> Result<(), SwapError> {
        match self.exchange(target) {
            // Another process removed it meanwhile.
            Err(Errno::NOENT) => return Ok(()),
            exchanged => exchanged?,
        }
        match self.place().must_hold(self.content) {
            Err(SwapError::Changed) => Ok(self.exchange(target)?),
            done => done,
        }
    }

    fn exchange(&self, target: SwapTarget<'_>) -> Result<(), Errno> {
        let SwapTarget { folder, name } = self.place();
        renameat_with(folder, name, target.folder, target.name, RenameFlags::EXCHANGE)
    }

    fn place(&self) -> SwapTarget<'_> {
        SwapTarget { folder: self.folder, name: TEMPORARY }
    }

    /// The fallback for file systems that cannot exchange files.
    fn rename_over(mut self, target: SwapTarget<'_>) -> Result<(), SwapError> {
        let SwapTarget { folder, name } = self.place();
        renameat(folder, name, target.folder, target.name)?;
        self.is_placed = true;
        Ok(())
    }
}
