//! The programs that checks, hooks and set-ups run, as they were when the run began.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A program as it was when the run began or was resumed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PinnedProgram {
    /// Its name or path in a check or a hook.
    pub name: String,
    /// Where it was found; none if it was not there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Device, inode, size and times of its file.
    #[serde(default)]
    pub stamp: String,
    /// The SHA-256 digest of its file; none for a large file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
}
