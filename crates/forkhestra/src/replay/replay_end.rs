//! How a replay ends.

use std::thread;

use forkhestra_store::recording::{EndRecord, UnitRecord};
use rustix::process::{Signal, getpid, kill_process};

/// The end of a replay process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReplayEnd {
    Exit(u8),
    Signal(i32),
    /// The process waits until it is killed.
    Never,
}

impl ReplayEnd {
    /// The recorded end. An agent that forkhestra had ended does not end by itself in a replay
    /// either.
    pub(super) fn of(record: &UnitRecord) -> Self {
        if record.ended_because.is_some() {
            return Self::Never;
        }
        match record.end {
            // The system keeps only the lowest byte of an exit code.
            EndRecord::Exited(code) => Self::Exit(code.to_le_bytes()[0]),
            EndRecord::Signaled(signal) => Self::Signal(signal),
        }
    }

    /// Ends the process by a signal, or returns the exit code.
    pub(crate) fn take_place(self) -> u8 {
        match self {
            Self::Exit(code) => code,
            Self::Never => loop {
                thread::park();
            },
            Self::Signal(number) => {
                if let Some(signal) = Signal::from_named_raw(number) {
                    // If the signal does not end the process, the exit code reports it.
                    let _ = kill_process(getpid(), signal);
                }
                128_u8.saturating_add(u8::try_from(number).unwrap_or(u8::MAX))
            }
        }
    }
}
