//! What the lines of one agent program mean.

use forkhestra_core::config::Backend;
use forkhestra_core::cost::{Dollars, ReportedUsage, TokenCounts, UnusableFigure};

use super::agent_event::{AgentEvent, AgentEventKind};
use crate::agent::claude::ClaudeDialect;
use crate::agent::codex::CodexDialect;
use crate::agent::gemini::GeminiDialect;
use crate::agent::opencode::OpencodeDialect;

/// What the lines of one agent program mean.
pub(crate) trait Dialect: Send {
    /// Says everything that a line means, and what it is. That the agent is through is said before
    /// what that line adds to what was used: nobody is ended for the cost of work that is done.
    fn parse_line(&mut self, line: &str, hear: DialectEventSink<'_>) -> DialectLineKind;
}

/// What takes what a line means.
pub(crate) type DialectEventSink<'h> = &'h mut dyn FnMut(DialectEvent<'_>);

/// What a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DialectLineKind {
    /// An event that this program has, even if it means nothing to us.
    Event,
    /// An event that we do not know.
    Unknown,
    /// Anything else.
    Plain,
}

/// One thing that a line means.
#[derive(Debug, PartialEq)]
pub(crate) enum DialectEvent<'a> {
    /// An event.
    AgentEvent(AgentEvent<'a>),
    /// What was used.
    Usage(UsageUpdate<'a>),
    /// A figure of what was used that cannot be right. Comes before what was used.
    UnusableFigure(UnusableFigure),
    /// The agent goes on, and what it said before was not its last word, but nothing is said yet.
    LastMessageRevoked,
    /// The model or a tool gets further, in a way that is no event for people: a piece of a thought, a
    /// figure of what was used.
    Progress,
}

/// What was used, in the ways agents tell it.
#[derive(Debug, PartialEq)]
pub(crate) enum UsageUpdate<'a> {
    /// By one answer so far; the same answer again corrects it.
    Message { id: &'a str, model: &'a str, tokens: TokenCounts },
    /// By one step, which is told once.
    Step { tokens: TokenCounts, dollars: Option<Dollars> },
    /// By everything so far.
    Totals(&'a [ReportedUsage<'a>]),
}

impl DialectEvent<'_> {
    /// Whether it is an event that means nothing to us.
    pub(crate) const fn is_unknown(&self) -> bool {
        matches!(self, Self::AgentEvent(AgentEvent { kind: AgentEventKind::Unknown(_), .. }))
    }
}

impl<'a> From<AgentEventKind<'a>> for DialectEvent<'a> {
    /// What the agent itself says.
    fn from(kind: AgentEventKind<'a>) -> Self {
        Self::AgentEvent(kind.into())
    }
}

/// The dialect of a program.
pub(crate) fn dialect(backend: Backend) -> Box<dyn Dialect> {
    match backend {
        Backend::Claude => Box::new(ClaudeDialect::default()),
        Backend::Codex => Box::new(CodexDialect::default()),
        Backend::Gemini => Box::new(GeminiDialect::default()),
        Backend::Opencode => Box::new(OpencodeDialect::default()),
    }
}
