//! What a person has to say to an agent.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A message for the next agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OperatorMessage {
    /// The number of the message in the run, from one.
    pub number: u32,
    /// What it says.
    pub text: String,
}
