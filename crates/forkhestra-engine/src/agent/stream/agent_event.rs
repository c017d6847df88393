//! Events of agents' streams, in one vocabulary for all agents.

use std::borrow::Cow;
use std::time::Duration;

use forkhestra_core::event::AgentOutcome;
use forkhestra_core::time::Timestamp;

/// An event of an agent's stream.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentEvent<'a> {
    /// Whether it is a subagent's. It is displayed but does not affect the run.
    pub nested: bool,
    pub kind: AgentEventKind<'a>,
}

/// The kinds of events.
#[derive(Debug, Clone, PartialEq)]
pub enum AgentEventKind<'a> {
    /// The agent has started and describes itself. It may occur more than once.
    Begun(AgentReady<'a>),
    /// The model begins another answer. Its text so far was not the last message.
    Turn,
    /// A piece of the model's text.
    Text {
        /// The piece. Pieces are concatenated without separators.
        text: Cow<'a, str>,
        purpose: TextPurpose,
    },
    /// The text that was reported in pieces is complete.
    TextEnd,
    /// Reasoning of the model.
    Thinking(Cow<'a, str>),
    ToolCall(ToolCall<'a>),
    ToolResult(ToolResult<'a>),
    /// The agent repeats a request to its provider.
    Retry(ProviderRetry<'a>),
    /// The state of the account's limit.
    Limit(LimitNotice<'a>),
    Denial(ToolDenial<'a>),
    /// An error, which need not be the end.
    Error(Cow<'a, str>),
    /// The agent has finished, unless further events follow.
    Result(AgentConclusion<'a>),
    /// A line that is not an event, including its line break if there is one.
    Plain(&'a [u8]),
    /// An unknown event, by its name.
    Unknown(Cow<'a, str>),
    /// A line that is too long to be parsed.
    Skipped {
        bytes: u64,
    },
}

/// The purpose of a piece of text. Some agents report text twice: in pieces as it arrives, and
/// again as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextPurpose {
    /// To be displayed and scanned.
    Both,
    /// To be displayed only: it will be repeated.
    Screen,
    /// To be scanned only: it was displayed before.
    Record,
}

/// A started agent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AgentReady<'a> {
    pub session: Option<Cow<'a, str>>,
    pub model: Option<Cow<'a, str>>,
    /// The source of its API key, in the agent's terms.
    pub key_source: Option<Cow<'a, str>>,
}

/// A tool call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCall<'a> {
    pub id: Cow<'a, str>,
    /// The tool's name in the agent's terms.
    pub name: Cow<'a, str>,
    /// A summary of its input: a command, a path, a pattern.
    pub brief: Cow<'a, str>,
    /// The whole input, as JSON.
    pub input: Cow<'a, str>,
}

/// The result of a tool call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolResult<'a> {
    /// The id of the call.
    pub id: Cow<'a, str>,
    pub text: Cow<'a, str>,
    pub is_error: bool,
}

/// A repeated request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderRetry<'a> {
    /// The number of the retry, counted from one.
    pub attempt: u32,
    /// The maximum of retries, if it is known.
    pub max_attempts: Option<u32>,
    /// The delay before the retry.
    pub delay: Option<Duration>,
    /// The status of the response, if there was one.
    pub status: Option<u16>,
    /// The reason in the agent's words.
    pub why: Cow<'a, str>,
    /// The time without a response, if no other reason is known.
    pub unanswered: Option<Duration>,
}

/// The state of a limit.
#[derive(Debug, Clone, PartialEq)]
pub struct LimitNotice<'a> {
    pub is_reached: bool,
    pub resets: Option<Timestamp>,
    /// Which limit it is.
    pub window: Option<Cow<'a, str>>,
    /// The used part, from 0 to 1.
    pub used: Option<f64>,
}

/// A denied tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolDenial<'a> {
    pub tool: Cow<'a, str>,
    /// A summary of its input, if it is known.
    pub brief: Cow<'a, str>,
    /// The reason in the agent's words.
    pub why: Cow<'a, str>,
}

/// The conclusion of an agent's work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentConclusion<'a> {
    pub outcome: AgentOutcome,
    /// The last message, if the result repeats it.
    pub text: Option<Cow<'a, str>>,
}

impl<'a> From<AgentEventKind<'a>> for AgentEvent<'a> {
    /// An event of the main agent.
    fn from(kind: AgentEventKind<'a>) -> Self {
        Self { nested: false, kind }
    }
}
