//! How what is played ends.

use std::thread;

use forkhestra_store::recording::{EndRecord, UnitRecord};
use rustix::process::{Signal, getpid, kill_process};

/// How to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReplayEnd {
    /// With this code.
    Exit(u8),
    /// By this signal.
    Signal(i32),
    /// Not by itself.
    Never,
}

impl ReplayEnd {
    /// The end that was recorded. What we had to end ourselves does not end by itself now either.
    pub(super) fn of(record: &UnitRecord) -> Self {
        if record.ended_because.is_some() {
            return Self::Never;
        }
        match record.end {
            // The system gives no more of a code than a byte.
            EndRecord::Exited(code) => Self::Exit(code.to_le_bytes()[0]),
            EndRecord::Signaled(signal) => Self::Signal(signal),
        }
    }

    /// Ends, or gives the exit code to end with.
    pub(crate) fn take_place(self) -> u8 {
        match self {
            Self::Exit(code) => code,
            Self::Never => loop {
                thread::park();
            },
            Self::Signal(number) => {
                if let Some(signal) = Signal::from_named_raw(number) {
                    // If it does not end us the code still says what should have.
                    let _ = kill_process(getpid(), signal);
                }
                128_u8.saturating_add(u8::try_from(number).unwrap_or(u8::MAX))
            }
        }
    }
}
