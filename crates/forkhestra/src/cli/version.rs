//! The version of the programs.

/// The version printed by `--version` and written to journals.
pub(crate) const CURRENT: &str = env!("CARGO_PKG_VERSION");
