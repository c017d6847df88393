//! What events say of agents whose stream we understand. All of it is there since 2.0.

use forkhestra_core::cost;
use forkhestra_core::event;
use forkhestra_core::time::{NotATimestamp, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::words;

words! {
    /// The ways such an agent can end.
    OutcomeClass {
        Finished, TurnLimit, Budget, UsageLimit, Overloaded, Authentication, Billing,
        ContextTooLong, Refused, Misconfigured, Interrupted, Crashed,
    }
}

words! {
    /// Why an agent is not believed that the work is done.
    Refusal { NoWork, ChecksFailed, ProtectedFiles, UncommittedWork }
}

/// How an agent's own stream says that an iteration went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Outcome {
    /// Which way it is.
    pub class: OutcomeClass,
    /// What the agent said about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// When a usage limit is reset.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resets: Option<Moment>,
}

/// What an agent did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Activity {
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
pub struct Heard {
    /// How it went.
    pub outcome: Outcome,
    /// What it did.
    pub activity: Activity,
}

/// What was spent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Spend {
    /// Tokens read by the model, and neither from nor into a cache.
    pub input: u64,
    /// Tokens written by the model.
    pub output: u64,
    /// Tokens read from a cache.
    pub cache_read: u64,
    /// Tokens written into a cache for a short time.
    pub cache_write: u64,
    /// Tokens written into a cache for an hour; left out if there are none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cache_write_1h: u64,
    /// The part whose price is known, in billionths of a US dollar, so that it is exact.
    pub nanodollars: u64,
    /// Whether there is another part; left out if there is none.
    #[serde(default, skip_serializing_if = "is_false")]
    pub unpriced: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands references")]
const fn is_zero(number: &u64) -> bool {
    *number == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands references")]
const fn is_false(truth: &bool) -> bool {
    !*truth
}

/// A moment as it is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(extend("format" = "date-time"))]
pub struct Moment(pub Timestamp);

impl TryFrom<String> for Moment {
    type Error = NotATimestamp;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Timestamp::parse(&text).map(Self)
    }
}

impl From<Moment> for String {
    fn from(moment: Moment) -> Self {
        moment.0.to_string()
    }
}

impl From<&event::Outcome> for Outcome {
    fn from(outcome: &event::Outcome) -> Self {
        let event::Outcome { class, message, resets } = outcome;
        Self { class: (*class).into(), message: message.clone(), resets: resets.map(Moment) }
    }
}

impl From<Outcome> for event::Outcome {
    fn from(outcome: Outcome) -> Self {
        let Outcome { class, message, resets } = outcome;
        Self { class: class.into(), message, resets: resets.map(|moment| moment.0) }
    }
}

impl From<event::Activity> for Activity {
    fn from(activity: event::Activity) -> Self {
        let event::Activity { turns, tool_calls, denials, retries } = activity;
        Self { turns, tool_calls, denials, retries }
    }
}

impl From<Activity> for event::Activity {
    fn from(activity: Activity) -> Self {
        let Activity { turns, tool_calls, denials, retries } = activity;
        Self { turns, tool_calls, denials, retries }
    }
}

impl From<&event::Heard> for Heard {
    fn from(heard: &event::Heard) -> Self {
        let event::Heard { outcome, activity } = heard;
        Self { outcome: outcome.into(), activity: (*activity).into() }
    }
}

impl From<Heard> for event::Heard {
    fn from(heard: Heard) -> Self {
        Self { outcome: heard.outcome.into(), activity: heard.activity.into() }
    }
}

impl From<cost::Spend> for Spend {
    fn from(spend: cost::Spend) -> Self {
        let cost::Tokens { input, output, cache_read, cache_write, cache_write_1h } = spend.tokens;
        let nanodollars = spend.dollars.nanos();
        let unpriced = spend.unpriced;
        Self { input, output, cache_read, cache_write, cache_write_1h, nanodollars, unpriced }
    }
}

impl From<Spend> for cost::Spend {
    fn from(spend: Spend) -> Self {
        let Spend { input, output, cache_read, cache_write, cache_write_1h, nanodollars, unpriced } =
            spend;
        let tokens = cost::Tokens { input, output, cache_read, cache_write, cache_write_1h };
        Self { tokens, dollars: cost::Dollars::from_nanos(nanodollars), unpriced }
    }
}
