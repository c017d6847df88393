//! An operator's message to an agent.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::id::LaneNumber;

/// An operator's message for the next agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OperatorMessage {
    /// Its one-based number in the run.
    pub number: u32,
    /// Its text.
    pub text: String,
    /// The lane whose next agent gets it; left out for the next agent of any lane. Since 4.0.
    // A line has the lane of its event as `lane`.
    #[serde(default, rename = "forLane", skip_serializing_if = "Option::is_none")]
    pub lane: Option<LaneNumber>,
}
