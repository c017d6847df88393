//! How an agent's own stream says that an iteration went.

use std::fmt;

use crate::time::Timestamp;

/// The ways an agent whose stream is understood can end. The set is closed: whatever an agent says,
/// it comes to one of these, and what a loop does about each is decided in one place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OutcomeClass {
    /// It came to the end of its work, whatever that is worth.
    Finished,
    /// It took as many turns as it may.
    TurnLimit,
    /// It spent as much as it may.
    Budget,
    /// Its provider serves this account no more until a certain time.
    UsageLimit,
    /// Its provider has too much to do, or gets too many requests at once.
    Overloaded,
    /// Its provider does not know who it is.
    Authentication,
    /// Its provider wants to be paid, or would be paid in a way that is not wanted.
    Billing,
    /// What it was asked is longer than its model can read.
    ContextTooLong,
    /// Its model does not want to answer.
    Refused,
    /// It does not start in the way it was started.
    Misconfigured,
    /// Somebody else ended it.
    Interrupted,
    /// It failed in any other way.
    Crashed,
}

impl OutcomeClass {
    /// All that there are.
    pub const ALL: [Self; 12] = [
        Self::Finished,
        Self::TurnLimit,
        Self::Budget,
        Self::UsageLimit,
        Self::Overloaded,
        Self::Authentication,
        Self::Billing,
        Self::ContextTooLong,
        Self::Refused,
        Self::Misconfigured,
        Self::Interrupted,
        Self::Crashed,
    ];

    /// The class as one word, as events and summaries say it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Finished => "finished",
            Self::TurnLimit => "turn_limit",
            Self::Budget => "budget",
            Self::UsageLimit => "usage_limit",
            Self::Overloaded => "overloaded",
            Self::Authentication => "authentication",
            Self::Billing => "billing",
            Self::ContextTooLong => "context_too_long",
            Self::Refused => "refused",
            Self::Misconfigured => "misconfigured",
            Self::Interrupted => "interrupted",
            Self::Crashed => "crashed",
        }
    }

    /// Whether the provider may serve the agent again after a wait.
    pub const fn is_waited_for(self) -> bool {
        matches!(self, Self::UsageLimit | Self::Overloaded)
    }
}

/// How an agent's own stream says that an iteration went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// Which way it is.
    pub class: OutcomeClass,
    /// What the agent said about it, in its own words; one short line.
    pub message: Option<String>,
    /// When a usage limit is reset, if that is known.
    pub resets: Option<Timestamp>,
}

impl Outcome {
    /// An outcome without anything else to say about it.
    pub const fn of(class: OutcomeClass) -> Self {
        Self { class, message: None, resets: None }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.message {
            Some(message) => write!(f, "{}: {message}", self.class.word()),
            None => f.write_str(self.class.word()),
        }
    }
}

/// What an agent did, as far as its stream tells.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Activity {
    /// Answers of the model, those of subagents not included.
    pub turns: u32,
    /// Tools it called.
    pub tool_calls: u32,
    /// Tools it was not allowed to call.
    pub denials: u32,
    /// Requests to its provider that it had to repeat.
    pub retries: u32,
}

/// What was heard from an agent whose stream is understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heard {
    /// How it went.
    pub outcome: Outcome,
    /// What it did.
    pub activity: Activity,
}
