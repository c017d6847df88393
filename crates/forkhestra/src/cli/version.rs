//! Which program this is.

/// The version, as `--version` and the journals of runs have it.
pub(crate) const CURRENT: &str = env!("CARGO_PKG_VERSION");
