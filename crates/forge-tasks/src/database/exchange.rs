//! Putting a file in the place of another, unless somebody has changed that one.
//!
//! Whoever edits a file with a program of their own holds no lock, and can save it between any two
//! calls of ours. So the two files change places in one step, and what came out is looked at: nothing
//! is thrown away that nobody has read.

use std::io;

use rustix::fs::{RenameFlags, renameat, renameat_with};
use rustix::io::Errno;

use super::atomic::{TEMPORARY, Temporary, move_to_free, remove_leftover};
use super::folder::{Folder, Unreadable};

/// A file, by its directory and its name there.
#[derive(Debug, Clone, Copy)]
pub(super) struct Target<'a> {
    pub(super) folder: &'a Folder,
    pub(super) name: &'a str,
}

/// Why a file is as it was.
#[derive(Debug)]
pub(super) enum Unplaced {
    /// It is not what was read, or it is gone.
    Changed,
    /// The system refused.
    Refused(io::Error),
}

impl<E: Into<io::Error>> From<E> for Unplaced {
    fn from(error: E) -> Self {
        Self::Refused(error.into())
    }
}

/// Gives a file another content, if it still has the old one. Its permissions stay.
pub(super) fn overwrite(
    tasks: &Folder,
    target: Target<'_>,
    old: &[u8],
    new: &[u8],
) -> Result<(), Unplaced> {
    let permissions = target.folder.permissions_of(target.name);
    let temporary = Temporary::write(tasks, new, permissions)?;
    // Nearly always this is soon enough, and then no reader ever sees what is taken back.
    target.must_hold(old)?;
    temporary.replace(target, old)
}

/// Removes a file, if it still has the content that was read.
pub(super) fn remove(tasks: &Folder, target: Target<'_>, old: &[u8]) -> Result<(), Unplaced> {
    target.must_hold(old)?;
    take_away(tasks, target, old)
}

/// As [`remove`], where somebody may have been faster than a first look.
pub(super) fn take_away(tasks: &Folder, target: Target<'_>, old: &[u8]) -> Result<(), Unplaced> {
    let aside = Target { folder: tasks, name: TEMPORARY };
    match move_to_free((target.folder, target.name), (tasks, TEMPORARY)) {
        Err(Errno::NOENT) => return Err(Unplaced::Changed),
        moved => moved?,
    }
    let is_same = aside.must_hold(old);
    if is_same.is_err() {
        match move_to_free((tasks, TEMPORARY), (target.folder, target.name)) {
            // Somebody saved it once more, and that is newer.
            Ok(()) | Err(Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
    }
    remove_leftover(tasks);
    is_same
}

impl Target<'_> {
    /// Refuses if the content of the file is another one.
    pub(super) fn must_hold(self, expected: &[u8]) -> Result<(), Unplaced> {
        match self.folder.bytes(self.name) {
            Ok(bytes) if bytes == expected => Ok(()),
            Ok(_) | Err(Unreadable::Gone | Unreadable::Link | Unreadable::NotAFile) => {
                Err(Unplaced::Changed)
            }
            Err(Unreadable::Refused(error)) => Err(Unplaced::Refused(error)),
        }
    }
}

impl Temporary<'_> {
    /// Puts it where another file is, if that is what was read.
    pub(super) fn replace(self, target: Target<'_>, old: &[u8]) -> Result<(), Unplaced> {
        match self.exchange(target) {
            Ok(()) => {}
            Err(Errno::NOENT) => return Err(Unplaced::Changed),
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => return self.rename_over(target),
            Err(error) => return Err(error.into()),
        }
        // What was there has our name now, and is removed by it.
        self.place().must_hold(old).or_else(|why| {
            self.put_back(target)?;
            Err(why)
        })
    }

    /// Undoes an exchange, unless somebody saved the file once more, over our content: then that is the
    /// newest, and it stays.
    pub(super) fn put_back(&self, target: Target<'_>) -> Result<(), Unplaced> {
        match self.exchange(target) {
            // Somebody removed it, over our content.
            Err(Errno::NOENT) => return Ok(()),
            exchanged => exchanged?,
        }
        match self.place().must_hold(self.content) {
            Err(Unplaced::Changed) => Ok(self.exchange(target)?),
            done => done,
        }
    }

    fn exchange(&self, target: Target<'_>) -> Result<(), Errno> {
        let Target { folder, name } = self.place();
        renameat_with(folder, name, target.folder, target.name, RenameFlags::EXCHANGE)
    }

    fn place(&self) -> Target<'_> {
        Target { folder: self.folder, name: TEMPORARY }
    }

    /// All that can be done on file systems where files cannot change places.
    fn rename_over(mut self, target: Target<'_>) -> Result<(), Unplaced> {
        let Target { folder, name } = self.place();
        renameat(folder, name, target.folder, target.name)?;
        self.is_placed = true;
        Ok(())
    }
}
