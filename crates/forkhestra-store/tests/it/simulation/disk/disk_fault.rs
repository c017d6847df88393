//! What can go wrong with a call.

use std::io;
use std::path::PathBuf;

use rustix::io::Errno;

/// A call that changes something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DiskCall {
    pub(crate) kind: Kind,
    /// Below the top.
    pub(crate) path: PathBuf,
}

/// What a call does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    CreateDirectory,
    Open,
    Write,
    SyncData,
    SyncDirectory,
    SetLength,
    Reserve,
    Rename,
    RemoveFile,
    Lock,
}

/// How a call goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DiskFailure {
    /// No space is left, and nothing is done.
    Full,
    /// Half of it is written, and then no space is left.
    FullHalfway,
    /// All but the last byte is written, and then no space is left.
    FullAtTheEnd,
    /// The disk is broken, and nothing is done.
    Broken,
    /// All is done, but an error is reported.
    BrokenAfterwards,
    /// The process does not live to make the call.
    Killed,
}

impl DiskFailure {
    /// Those of which the process hears.
    pub(crate) const REPORTED: [Self; 5] =
        [Self::Full, Self::FullHalfway, Self::FullAtTheEnd, Self::Broken, Self::BrokenAfterwards];

    /// How many of so many bytes are written.
    pub(crate) const fn written_of(self, length: usize) -> usize {
        match self {
            Self::FullHalfway => length.div_ceil(2),
            Self::FullAtTheEnd => length - 1,
            Self::Full | Self::Broken | Self::Killed => 0,
            Self::BrokenAfterwards => length,
        }
    }

    pub(crate) fn error(self) -> io::Error {
        match self {
            Self::Full | Self::FullHalfway | Self::FullAtTheEnd => Errno::NOSPC.into(),
            Self::Broken | Self::BrokenAfterwards | Self::Killed => Errno::IO.into(),
        }
    }

    /// Whether something is written before the error.
    pub(crate) const fn is_partial(self) -> bool {
        matches!(self, Self::FullHalfway | Self::FullAtTheEnd)
    }

    /// Whether this can happen to such a call in a way of its own.
    pub(crate) fn can_happen_to(self, kind: Kind) -> bool {
        match self {
            Self::FullHalfway | Self::FullAtTheEnd => kind == Kind::Write,
            // A lock that was refused and taken is dropped with the file.
            Self::BrokenAfterwards => kind != Kind::Lock,
            Self::Full | Self::Broken | Self::Killed => true,
        }
    }
}

/// Which calls go wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DiskFault {
    /// The first one, counted from zero.
    pub(crate) call: usize,
    pub(crate) failure: DiskFailure,
    pub(crate) lasts: FaultDuration,
}

impl DiskFault {
    /// Each of these calls with each of these failures that can happen to it.
    pub(crate) fn each(
        calls: &[DiskCall],
        failures: &[DiskFailure],
        lasts: FaultDuration,
    ) -> Vec<(DiskCall, Self)> {
        let mut faults = Vec::new();
        for (number, call) in calls.iter().enumerate() {
            for failure in failures.iter().filter(|it| it.can_happen_to(call.kind)) {
                faults.push((call.clone(), Self { call: number, failure: *failure, lasts }));
            }
        }
        faults
    }
}

/// How many calls go wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FaultDuration {
    /// One.
    Once,
    /// All, until somebody mends the disk.
    UntilMended,
}
