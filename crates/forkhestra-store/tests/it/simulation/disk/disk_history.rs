//! The history of a disk, and which of its changes survive a power failure.

use std::collections::BTreeSet;
use std::ffi::OsString;

use forkhestra_core::event::Event;

/// A file or directory, independent of its name.
pub(crate) type Inode = usize;

/// An entry of the history.
#[derive(Debug, Clone)]
pub(crate) enum DiskLogEntry {
    Changed(DiskChange),
    /// The bytes of a file were synced.
    Synced(Inode),
    /// A sync of a file failed.
    NotSynced(Inode),
    /// The names in a directory were synced.
    DirectorySynced(Inode),
    /// What the user of the disk relies on from here on.
    Noted(JournalNote),
}

/// A change that may get lost.
#[derive(Debug, Clone)]
pub(crate) enum DiskChange {
    /// A new, empty inode got a name.
    Named {
        directory: Inode,
        name: OsString,
        inode: Inode,
        what: InodeKind,
    },
    Removed {
        directory: Inode,
        name: OsString,
    },
    Renamed {
        directory: Inode,
        from: OsString,
        to: OsString,
    },
    Written {
        file: Inode,
        offset: usize,
        bytes: Vec<u8>,
    },
    Resized {
        file: Inode,
        length: usize,
    },
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
    /// The append succeeded.
    Appended,
    /// The events that a process found in the journal before it resumed the run.
    Found(Vec<Event>),
}

/// The changes in these entries, and whether each is certain to survive a power failure.
///
/// Bytes and lengths are certain after a sync of their file, and names after a sync of their
/// directory. A failed sync may have dropped earlier writes, so that no later sync saves them.
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
    /// The inode whose sync makes this change durable.
    fn saved_with(&self) -> Inode {
        match self {
            Self::Named { directory, .. }
            | Self::Removed { directory, .. }
            | Self::Renamed { directory, .. } => *directory,
            Self::Written { file, .. } | Self::Resized { file, .. } => *file,
        }
    }
}
