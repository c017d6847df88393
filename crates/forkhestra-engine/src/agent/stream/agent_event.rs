//! What the streams of agents say, in one vocabulary for all of them.

use std::borrow::Cow;
use std::time::Duration;

use forkhestra_core::event::AgentOutcome;
use forkhestra_core::time::Timestamp;

/// Something an agent's stream said.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentEvent<'a> {
    /// Whether a subagent said it, which is shown but decides nothing.
    pub nested: bool,
    /// What was said.
    pub kind: AgentEventKind<'a>,
}

/// What a stream can say.
#[derive(Debug, Clone, PartialEq)]
pub enum AgentEventKind<'a> {
    /// The agent is ready, and says what it is. It can come more than once.
    Begun(AgentReady<'a>),
    /// The model begins another answer. What it said before was not its last word.
    Turn,
    /// A piece of what the model says to people.
    Text {
        /// The piece. Pieces follow each other without anything between them.
        text: Cow<'a, str>,
        /// What it is good for.
        purpose: TextPurpose,
    },
    /// The text that was told in pieces is whole.
    TextEnd,
    /// What the model says to itself.
    Thinking(Cow<'a, str>),
    /// The model wants a tool to do something.
    ToolCall(ToolCall<'a>),
    /// What a tool did.
    ToolResult(ToolResult<'a>),
    /// The agent repeats a request that its provider did not answer.
    Retry(ProviderRetry<'a>),
    /// How near the limit of an account is.
    Limit(LimitNotice<'a>),
    /// A tool may not be used.
    Denial(ToolDenial<'a>),
    /// Something went wrong, which need not be the end.
    Error(Cow<'a, str>),
    /// The agent is through, until it says something else.
    Result(AgentConclusion<'a>),
    /// A line that is no event, with its line break if it has one.
    Plain(&'a [u8]),
    /// An event that means nothing to us, by its name.
    Unknown(Cow<'a, str>),
    /// A line that is too long to be looked at.
    Skipped {
        /// How many bytes it has.
        bytes: u64,
    },
}

/// What a piece of text is good for. Some agents tell everything twice: in pieces as it comes, and
/// again as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextPurpose {
    /// To be shown and to be searched.
    Both,
    /// To be shown only: it will be told again.
    Screen,
    /// To be searched only: it was shown before.
    Record,
}

/// An agent that is ready.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AgentReady<'a> {
    /// Its session.
    pub session: Option<Cow<'a, str>>,
    /// Its model.
    pub model: Option<Cow<'a, str>>,
    /// Where the key comes from that it uses, in its own words.
    pub key_source: Option<Cow<'a, str>>,
}

/// A tool that is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCall<'a> {
    /// Which call it is.
    pub id: Cow<'a, str>,
    /// The tool, as the agent calls it.
    pub name: Cow<'a, str>,
    /// What it is to do, in a few words of its input: a command, a path, a pattern.
    pub brief: Cow<'a, str>,
    /// The whole input, as JSON.
    pub input: Cow<'a, str>,
}

/// What a tool did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolResult<'a> {
    /// Which call it was.
    pub id: Cow<'a, str>,
    /// What came out.
    pub text: Cow<'a, str>,
    /// Whether the tool failed.
    pub is_error: bool,
}

/// A request that is repeated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderRetry<'a> {
    /// How often it was repeated, from one.
    pub attempt: u32,
    /// How often it will be at most, if that is known.
    pub most: Option<u32>,
    /// How long the agent waits before that.
    pub delay: Option<Duration>,
    /// The status of the answer, if there was one.
    pub status: Option<u16>,
    /// Why, in the agent's words.
    pub why: Cow<'a, str>,
    /// Time without an answer, if that is all that is known about why.
    pub unanswered: Option<Duration>,
}

/// How near a limit is.
#[derive(Debug, Clone, PartialEq)]
pub struct LimitNotice<'a> {
    /// Whether the limit is reached.
    pub is_reached: bool,
    /// When it is reset.
    pub resets: Option<Timestamp>,
    /// Which limit it is.
    pub window: Option<Cow<'a, str>>,
    /// How much of it is used, from 0 to 1.
    pub used: Option<f64>,
}

/// A tool that may not be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolDenial<'a> {
    /// The tool.
    pub tool: Cow<'a, str>,
    /// What it was to do, if that is known.
    pub brief: Cow<'a, str>,
    /// Why not, in the agent's words.
    pub why: Cow<'a, str>,
}

/// The end of what an agent does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentConclusion<'a> {
    /// How it went.
    pub outcome: AgentOutcome,
    /// Its last words, if the result repeats them.
    pub text: Option<Cow<'a, str>>,
}

impl<'a> From<AgentEventKind<'a>> for AgentEvent<'a> {
    /// What the agent itself says.
    fn from(kind: AgentEventKind<'a>) -> Self {
        Self { nested: false, kind }
    }
}
