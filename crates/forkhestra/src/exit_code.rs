//! What the exit code of `forkhestra` says. These are a contract with scripts.

use std::process::ExitCode;

/// Everything is done.
pub(crate) const COMPLETE: u8 = 0;
/// Something is wrong with what was asked for, or could not be done at all.
pub(crate) const ERROR: u8 = 2;
/// Standard output was closed under us: 128 + SIGPIPE, as if the signal had ended us.
pub(crate) const OUTPUT_CLOSED: u8 = 141;

/// The same number for the operating system.
pub(crate) fn of(code: u8) -> ExitCode {
    ExitCode::from(code)
}

/// A process of ours was ended by a signal.
pub(crate) fn of_signal(signal: i32) -> u8 {
    u8::try_from(signal).map_or(ERROR, |signal| 128_u8.saturating_add(signal))
}
