//! The system calls that change state.

use std::fmt;

use clap::ValueEnum;

/// The kind of a system call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, ValueEnum)]
pub(super) enum SystemCall {
    /// Writes to a file.
    Write,
    /// Writes to anything else: the terminal, a pipe, or an event that wakes another thread.
    Send,
    /// Creates a file or directory, or opens a file that may not exist.
    Create,
    /// Renames a file.
    Rename,
    /// Removes a file or directory.
    Remove,
    /// Changes the length of a file or its reserved space.
    Resize,
    /// Waits for the disk.
    Sync,
    /// Takes or releases a lock.
    Lock,
    /// Creates a process or thread.
    Spawn,
}

impl SystemCall {
    pub(super) const ALL: [Self; 9] = [
        Self::Write,
        Self::Send,
        Self::Create,
        Self::Rename,
        Self::Remove,
        Self::Resize,
        Self::Sync,
        Self::Lock,
        Self::Spawn,
    ];
}

impl fmt::Display for SystemCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Write => "write",
            Self::Send => "send",
            Self::Create => "create",
            Self::Rename => "rename",
            Self::Remove => "remove",
            Self::Resize => "resize",
            Self::Sync => "sync",
            Self::Lock => "lock",
            Self::Spawn => "spawn",
        })
    }
}
