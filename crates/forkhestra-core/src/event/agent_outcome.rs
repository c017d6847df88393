//! How an agent's own stream says that an iteration went.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::wire::words;
use crate::time::Timestamp;

// The ways an agent whose stream is understood can end. The set is closed: whatever an agent says,
// it comes to one of these, and what a loop does about each is decided in one place.
words! {
    /// The ways such an agent can end.
    #[derive(PartialOrd, Ord, Hash)]
    OutcomeClass(as_str) {
        /// It came to the end of its work, whatever that is worth.
        Finished = "finished",
        /// It took as many turns as it may.
        TurnLimit = "turn_limit",
        /// It spent as much as it may.
        Budget = "budget",
        /// Its provider serves this account no more until a certain time.
        UsageLimit = "usage_limit",
        /// Its provider has too much to do, or gets too many requests at once.
        Overloaded = "overloaded",
        /// Its provider does not know who it is.
        Authentication = "authentication",
        /// Its provider wants to be paid, or would be paid in a way that is not wanted.
        Billing = "billing",
        /// What it was asked is longer than its model can read.
        ContextTooLong = "context_too_long",
        /// Its model does not want to answer.
        Refused = "refused",
        /// It does not start in the way it was started.
        Misconfigured = "misconfigured",
        /// Somebody else ended it.
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

/// How an agent's own stream says that an iteration went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgentOutcome {
    /// Which way it is.
    pub class: OutcomeClass,
    /// What the agent said about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// When a usage limit is reset.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resets: Option<Timestamp>,
}

impl AgentOutcome {
    /// An outcome without anything else to say about it.
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
    // Those of subagents are not included.
    /// Answers of the model.
    pub turns: u32,
    /// Tools it called.
    pub tool_calls: u32,
    /// Tools it was not allowed to call.
    pub denials: u32,
    /// Requests that it had to repeat.
    pub retries: u32,
}

/// What was heard from an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StreamSummary {
    /// How it went.
    pub outcome: AgentOutcome,
    /// What it did.
    pub activity: AgentActivity,
}
