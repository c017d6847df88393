//! The exit codes of `forge-tasks`. Scripts depend on them.

/// Success.
pub(crate) const DONE: u8 = 0;
/// Wrong use, a problem of the tasks, or an input/output error.
pub(crate) const ERROR: u8 = 1;
/// There is no task to claim.
pub(crate) const NOTHING_TO_CLAIM: u8 = 3;
/// `merge-file` cannot read or write a version. git takes codes above 128 for a failure, and lower
/// ones for a conflict.
pub(crate) const CANNOT_MERGE: u8 = 129;
pub(crate) use typeset::console::OUTPUT_CLOSED;
