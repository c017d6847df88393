//! An operator's message to an agent.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An operator's message for the next agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OperatorMessage {
    /// Its one-based number in the run.
    pub number: u32,
    /// Its text.
    pub text: String,
}
