//! What was changed on a disk, in order, and what of it a power failure cannot take.

use std::collections::BTreeSet;
use std::ffi::OsString;

use forkhestra_core::event::Event;

/// A file or directory, whatever it is called.
pub(crate) type Inode = usize;

/// Something that happened.
#[derive(Debug, Clone)]
pub(crate) enum DiskLogEntry {
    /// The disk was changed.
    Changed(DiskChange),
    /// The bytes of a file were made to last.
    Synced(Inode),
    /// They were to be made to last, and that failed.
    NotSynced(Inode),
    /// The names in a directory were made to last.
    DirectorySynced(Inode),
    /// What whoever uses the disk takes for granted from here on.
    Noted(JournalNote),
}

/// A change that may get lost.
#[derive(Debug, Clone)]
pub(crate) enum DiskChange {
    /// Something new and empty got a name.
    Named { directory: Inode, name: OsString, inode: Inode, what: InodeKind },
    /// A name was taken away.
    Removed { directory: Inode, name: OsString },
    /// A name was given to what had another one.
    Renamed { directory: Inode, from: OsString, to: OsString },
    /// Bytes were written.
    Written { file: Inode, offset: usize, bytes: Vec<u8> },
    /// A file got another length.
    Resized { file: Inode, length: usize },
}

/// What can have a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InodeKind {
    File,
    Directory,
}

/// What the writer of a journal knows.
#[derive(Debug, Clone)]
pub(crate) enum JournalNote {
    /// This run has a journal.
    Begun(u64),
    /// An event is being appended.
    Appending(Box<Event>),
    /// It was appended.
    Appended,
    /// This is what a process found in the journal before it went on with it.
    Found(Vec<Event>),
}

/// The changes in these entries, and whether each is sure to be still there after a power failure.
///
/// Bytes and lengths are sure after a sync of their file, and names after a sync of their directory.
/// A sync that failed may have given up what was written before it, so that no later one saves it.
pub(crate) fn changes(entries: &[DiskLogEntry]) -> Vec<(&DiskChange, bool)> {
    let mut synced = BTreeSet::new();
    let mut changes = Vec::new();
    for entry in entries.iter().rev() {
        match entry {
            DiskLogEntry::Changed(change) => {
                changes.push((change, synced.contains(&change.saved_with())));
            }
            DiskLogEntry::Synced(inode) | DiskLogEntry::DirectorySynced(inode) => {
                synced.insert(*inode);
            }
            DiskLogEntry::NotSynced(file) => {
                synced.remove(file);
            }
            DiskLogEntry::Noted(_) => {}
        }
    }
    changes.reverse();
    changes
}

impl DiskChange {
    /// What has to be synced.
    fn saved_with(&self) -> Inode {
        match self {
            Self::Named { directory, .. }
            | Self::Removed { directory, .. }
            | Self::Renamed { directory, .. } => *directory,
            Self::Written { file, .. } | Self::Resized { file, .. } => *file,
        }
    }
}
