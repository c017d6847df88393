//! The system calls by which a program changes the world.

use std::fmt;

use clap::ValueEnum;

/// What kind of change a system call is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, ValueEnum)]
pub(super) enum SystemCall {
    /// Bytes into a file.
    Write,
    /// Bytes into anything else: the screen, a pipe, another thread that is to wake up.
    Send,
    /// A new file or directory, or one that is opened in case it is not there.
    Create,
    /// Another name for a file.
    Rename,
    /// A file or directory that goes.
    Remove,
    /// The length of a file, or the room it has.
    Resize,
    /// A wait for the disk.
    Sync,
    /// A lock that is taken or given back.
    Lock,
    /// A new process or thread.
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
