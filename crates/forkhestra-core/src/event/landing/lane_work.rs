//! The commits of a lane that the integration ref does not have.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::id::{CommitId, LaneNumber, UnitId};

/// The commits of a lane that the integration ref does not have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LaneWork {
    /// The last commit.
    pub commit: CommitId,
    /// The first line of the message of a merge commit.
    pub subject: String,
    /// The number of commits.
    pub commits: u32,
    /// The lines that they add.
    pub added: u64,
    /// The lines that they remove.
    pub removed: u64,
    /// The tasks that the agent set to Done.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tasks: Vec<String>,
}

/// Work of a lane that lands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LandedWork {
    /// The number of the lane.
    pub lane: LaneNumber,
    /// The last iteration of the work.
    pub unit: UnitId,
    /// The work.
    #[serde(flatten)]
    pub work: LaneWork,
}
