//! Faults of disk calls.

use std::io;
use std::path::PathBuf;

use rustix::io::Errno;

/// A call that changes the disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DiskCall {
    pub(crate) kind: Kind,
    /// Relative to the root directory.
    pub(crate) path: PathBuf,
}

/// The kind of a call.
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

/// How a call fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DiskFailure {
    /// The disk is full, and nothing is done.
    Full,
    /// Half of the bytes are written, and then the disk is full.
    FullHalfway,
    /// All bytes but the last are written, and then the disk is full.
    FullAtTheEnd,
    /// The disk is broken, and nothing is done.
    Broken,
    /// The call takes effect, but returns an error.
    BrokenAfterwards,
    /// The process is killed before the call.
    Killed,
}

impl DiskFailure {
    /// The failures that are returned as errors.
    pub(crate) const REPORTED: [Self; 5] =
        [Self::Full, Self::FullHalfway, Self::FullAtTheEnd, Self::Broken, Self::BrokenAfterwards];

    /// How many of `length` bytes are written.
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

    /// Whether some bytes are written before the error.
    pub(crate) const fn is_partial(self) -> bool {
        matches!(self, Self::FullHalfway | Self::FullAtTheEnd)
    }

    /// Whether this failure is distinct for such a call.
    pub(crate) fn can_happen_to(self, kind: Kind) -> bool {
        match self {
            Self::FullHalfway | Self::FullAtTheEnd => kind == Kind::Write,
            // A lock that was refused and taken is dropped with the file.
            Self::BrokenAfterwards => kind != Kind::Lock,
            Self::Full | Self::Broken | Self::Killed => true,
        }
    }
}

/// Which calls fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DiskFault {
    /// The first failing call, from zero.
    pub(crate) call: usize,
    pub(crate) failure: DiskFailure,
    pub(crate) lasts: FaultDuration,
}

impl DiskFault {
    /// All combinations of these calls and failures that are possible.
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

/// How many calls fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FaultDuration {
    Once,
    /// All, until the disk is repaired.
    UntilMended,
}
