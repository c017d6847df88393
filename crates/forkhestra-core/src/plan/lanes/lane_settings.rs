//! What a lane is made with.

use serde::{Deserialize, Serialize};

use crate::limit::{HumanDuration, Limit};

/// The settings of the lanes of a stage. A lane is a clone of the repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LaneSettings {
    /// The shell command that prepares a new lane.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub setup: Option<String>,
    /// Patterns of files that git ignores and that a lane gets a copy of, relative to the working
    /// directory; none if `.worktreeinclude` names them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copy: Option<Vec<String>>,
    /// Paths of caches that a lane takes over from the last lane of its number, relative to the
    /// working directory.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keep: Vec<String>,
    /// The timeout of the set-up.
    pub timeout: Limit<HumanDuration>,
}
