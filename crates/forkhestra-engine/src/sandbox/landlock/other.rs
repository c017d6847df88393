//! Landlock exists only on Linux.

use super::sandbox_paths::SandboxPaths;

/// Not supported.
pub(super) fn restrict_thread(_: &SandboxPaths) -> Result<(), String> {
    version().map(drop).map_err(str::to_owned)
}

/// Not supported.
pub(super) fn version() -> Result<i32, &'static str> {
    Err("Landlock exists only on Linux")
}

/// Nothing: there is no version.
pub(super) fn gaps(_: i32) -> Vec<String> {
    Vec::new()
}
