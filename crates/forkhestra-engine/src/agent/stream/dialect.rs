//! The interface of dialects, which interpret the lines of one agent program.

use forkhestra_core::cost::{Dollars, ReportedUsage, TokenCounts, UnusableFigure};
use forkhestra_core::quota::QuotaReading;

use super::agent_event::{AgentEvent, AgentEventKind};
use crate::agent::json::LenientString;

/// Interprets the lines of one agent program.
pub(crate) trait Dialect: Send {
    /// Reports everything that a line means, and returns its kind. A conclusion is reported before
    /// the usage of the same line, so that an agent is not ended for the cost of finished work.
    fn parse_line(&mut self, line: &str, sink: DialectEventSink<'_>) -> DialectLineKind;
}

/// Receives the events of a line.
pub(crate) type DialectEventSink<'h> = &'h mut dyn FnMut(DialectEvent<'_>);

/// The kind of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DialectLineKind {
    /// A known event, even if it has no meaning for the run.
    Event,
    Unknown,
    /// Not an event.
    Plain,
}

/// One event of a line.
#[derive(Debug, PartialEq)]
pub(crate) enum DialectEvent<'a> {
    AgentEvent(AgentEvent<'a>),
    Usage(UsageUpdate<'a>),
    /// An unusable figure of usage. Reported before the usage.
    UnusableFigure(UnusableFigure),
    /// How full a window of the account is.
    Quota(QuotaReading),
    /// The agent goes on, so its text so far is not the last message, but no new text has arrived.
    LastMessageRevoked,
    /// Progress of the model or a tool that is not displayed: a piece of reasoning, a usage figure.
    Progress,
}

/// Usage in the formats of different agents.
#[derive(Debug, PartialEq)]
pub(crate) enum UsageUpdate<'a> {
    /// Of one answer so far; a repeated id replaces it.
    Message { id: &'a str, model: &'a str, tokens: TokenCounts },
    /// Of one step, reported once.
    Step { tokens: TokenCounts, dollars: Option<Dollars> },
    /// The total so far.
    Totals(&'a [ReportedUsage<'a>]),
}

/// Reports an unknown event by its name.
pub(crate) fn unknown(name: LenientString<'_>, sink: DialectEventSink<'_>) -> DialectLineKind {
    sink(AgentEventKind::Unknown(name.or_empty()).into());
    DialectLineKind::Unknown
}

/// Reports usage, after its first unusable figure.
pub(crate) fn report_usage(
    unusable: Option<UnusableFigure>,
    usage: UsageUpdate<'_>,
    sink: DialectEventSink<'_>,
) {
    if let Some(figure) = unusable {
        sink(DialectEvent::UnusableFigure(figure));
    }
    sink(DialectEvent::Usage(usage));
}

impl DialectEvent<'_> {
    /// Whether it is an unknown event.
    pub(crate) const fn is_unknown(&self) -> bool {
        matches!(self, Self::AgentEvent(AgentEvent { kind: AgentEventKind::Unknown(_), .. }))
    }
}

impl<'a> From<AgentEventKind<'a>> for DialectEvent<'a> {
    /// An event of the main agent.
    fn from(kind: AgentEventKind<'a>) -> Self {
        Self::AgentEvent(kind.into())
    }
}
