//! The outcome of an iteration according to the agent's own stream.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::wire::words;
use crate::time::Timestamp;

// The set is closed: every outcome maps to one of these, and `policy::outcome_decision` decides
// what a loop does about each.
words! {
    /// How an agent whose stream is parsed can end.
    #[derive(PartialOrd, Ord, Hash)]
    OutcomeClass(as_str) {
        /// It finished its work by its own account.
        Finished = "finished",
        /// It used up its turns.
        TurnLimit = "turn_limit",
        /// It used up its budget.
        Budget = "budget",
        /// Its provider refuses this account until a certain time.
        UsageLimit = "usage_limit",
        /// Its provider is overloaded or limits the request rate.
        Overloaded = "overloaded",
        /// Its provider rejects its credentials.
        Authentication = "authentication",
        /// Its provider requires payment, or would charge in an unwanted way.
        Billing = "billing",
        /// Its prompt is longer than its model's context.
        ContextTooLong = "context_too_long",
        /// Its model refuses to answer.
        Refused = "refused",
        /// Its command line or configuration is wrong.
        Misconfigured = "misconfigured",
        /// A third party ended it.
        Interrupted = "interrupted",
        /// It failed in any other way.
        Crashed = "crashed",
    }
}

impl OutcomeClass {
    /// Whether the provider may serve the agent again after a wait.
    pub const fn is_waited_for(self) -> bool {
        matches!(self, Self::UsageLimit | Self::Overloaded)
    }
}

/// The outcome of an iteration according to the agent's own stream.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgentOutcome {
    /// The class of the outcome.
    pub class: OutcomeClass,
    /// The agent's own message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// When a usage limit is reset.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resets: Option<Timestamp>,
}

impl AgentOutcome {
    /// An outcome without a message or a reset time.
    pub const fn of(class: OutcomeClass) -> Self {
        Self { class, message: None, resets: None }
    }
}

impl fmt::Display for AgentOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.message {
            Some(message) => write!(f, "{}: {message}", self.class.as_str()),
            None => f.write_str(self.class.as_str()),
        }
    }
}

/// What an agent did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentActivity {
    // Subagents are not included.
    /// Answers of the model.
    pub turns: u32,
    /// Tool calls.
    pub tool_calls: u32,
    /// Tool calls that were denied.
    pub denials: u32,
    /// Requests that were repeated.
    pub retries: u32,
}

/// The summary of an agent's stream.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StreamSummary {
    /// The outcome.
    pub outcome: AgentOutcome,
    /// What the agent did.
    pub activity: AgentActivity,
}
