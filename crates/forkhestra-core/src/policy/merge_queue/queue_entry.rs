//! The work of one iteration in the merge queue.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::id::{CommitId, LaneNumber, UnitId};

/// The work of one iteration in a lane that is to land.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct QueueEntry {
    /// The lane.
    pub lane: LaneNumber,
    /// The attempt that made the work.
    pub unit: UnitId,
    /// The last commit of the work.
    pub commit: CommitId,
}
