//! What the exit code of `forge-tasks` says. These are a contract with scripts.

/// It is done.
pub(crate) const DONE: u8 = 0;
/// Something is wrong with what was asked for, with the tasks, or with the disk.
pub(crate) const ERROR: u8 = 1;
/// There is no task to claim.
pub(crate) const NOTHING_TO_CLAIM: u8 = 3;
/// Standard output was closed under us: 128 + SIGPIPE, as if the signal had ended us.
pub(crate) const OUTPUT_CLOSED: u8 = 141;
