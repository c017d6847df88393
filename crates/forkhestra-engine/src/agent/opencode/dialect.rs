//! The meaning of the lines of opencode.

use std::borrow::Cow;

use serde_json::value::RawValue;

use crate::agent::json::object;
use crate::agent::stream::agent_event::{
    AgentConclusion, AgentEvent, AgentEventKind, AgentReady, TextPurpose, ToolCall, ToolDenial,
    ToolResult,
};
use crate::agent::stream::dialect::{
    Dialect, DialectEvent, DialectEventSink, DialectLineKind, UsageUpdate, report_usage, unknown,
};
use crate::agent::tool_summary::{tool_summary, with_exit_code};

use super::outcome::{failure, is_denial, step_outcome};
use super::wire::{FIGURES, OpencodeFailure, OpencodeLine, OpencodePart, token_counts};

/// The dialect of opencode.
///
/// Each step is an answer of the model, whose parts are reported when they are complete. There is
/// no final event: the last step is one without a tool call.
#[derive(Debug, Default)]
pub(super) struct OpencodeDialect {
    /// The session of the main agent. Others belong to subagents.
    session: Option<String>,
}

impl Dialect for OpencodeDialect {
    fn parse_line(&mut self, line: &str, sink: DialectEventSink<'_>) -> DialectLineKind {
        let Some(line) = object::<OpencodeLine<'_>>(line) else {
            return DialectLineKind::Plain;
        };
        let Some(kind) = line.kind.get() else {
            return DialectLineKind::Plain;
        };
        let part = line.part.0.unwrap_or_default();
        let known = ["step_start", "text", "reasoning", "tool_use", "step_finish", "error"];
        if !known.contains(&kind) {
            return unknown(line.kind, sink);
        }
        let nested = self.is_nested(line.session.get(), sink);
        let mut say =
            |kind: AgentEventKind<'_>| sink(DialectEvent::AgentEvent(AgentEvent { nested, kind }));
        match kind {
            "step_start" => say(AgentEventKind::Turn),
            "text" if !part.is_continuation() => text(part, &mut say),
            // The text before may be a summary for the model itself.
            "text" if !nested => sink(DialectEvent::LastMessageRevoked),
            "text" => {}
            "reasoning" => say(AgentEventKind::Thinking(part.text.or_empty())),
            "tool_use" => tool(part, &mut say),
            "step_finish" => finished(part, nested, sink),
            _ => failed(&line.error.0.unwrap_or_default(), &mut say),
        }
        DialectLineKind::Event
    }
}

impl OpencodeDialect {
    /// Whether a session is that of a subagent. The first one is the main agent's.
    fn is_nested(&mut self, session: Option<&str>, sink: DialectEventSink<'_>) -> bool {
        match (&self.session, session) {
            (Some(own), Some(session)) => own != session,
            (None, Some(session)) => {
                self.session = Some(session.to_owned());
                let session = Some(session.into());
                sink(AgentEventKind::Begun(AgentReady { session, ..AgentReady::default() }).into());
                false
            }
            (_, None) => false,
        }
    }
}

/// Receives an event.
type AgentEventSink<'s> = &'s mut dyn FnMut(AgentEventKind<'_>);

fn text(part: OpencodePart<'_>, say: AgentEventSink<'_>) {
    say(AgentEventKind::Text { text: part.text.or_empty(), purpose: TextPurpose::Both });
    say(AgentEventKind::TextEnd);
}

/// A tool is reported when it is completed.
fn tool(part: OpencodePart<'_>, say: AgentEventSink<'_>) {
    let state = part.state.0.unwrap_or_default();
    let (id, name) = (part.call.or_empty(), part.tool.or_empty());
    let input = state.input.map_or("{}", RawValue::get);
    let brief = tool_summary(input);
    say(AgentEventKind::ToolCall(ToolCall {
        id: Cow::Borrowed(&id),
        name: Cow::Borrowed(&name),
        brief: Cow::Borrowed(&brief),
        input: input.into(),
    }));
    let is_error = state.status.is("error");
    let why = state.error.get().unwrap_or_default();
    if is_error && is_denial(why) {
        let (tool, brief, why) = (Cow::Borrowed(&*name), Cow::Borrowed(&*brief), why.into());
        say(AgentEventKind::Denial(ToolDenial { tool, brief, why }));
    }
    let exit = state.failed_exit();
    let text = state.output.0.or(state.error.0).unwrap_or_default();
    let is_error = is_error || exit.is_some();
    say(AgentEventKind::ToolResult(ToolResult { id, text: with_exit_code(exit, text), is_error }));
}

fn finished(part: OpencodePart<'_>, nested: bool, sink: DialectEventSink<'_>) {
    if let Some(outcome) = step_outcome(part.reason.get().unwrap_or_default()).filter(|_| !nested) {
        sink(AgentEventKind::Result(AgentConclusion { outcome, text: None }).into());
    }
    let usage = part.tokens.0.unwrap_or_default();
    let unusable = part.cost.unusable("cost").or_else(|| usage.unusable(&FIGURES));
    let (tokens, dollars) = (token_counts(&usage), part.cost.get());
    report_usage(unusable, UsageUpdate::Step { tokens, dollars }, sink);
    sink(DialectEvent::Progress);
}

fn failed(failed: &OpencodeFailure<'_>, say: AgentEventSink<'_>) {
    let data = failed.data.0.as_ref();
    let text = data.and_then(|data| data.message.get()).unwrap_or_default();
    let name = failed.name.get().unwrap_or_default();
    let body = data.and_then(|data| data.body.get()).unwrap_or_default();
    let outcome = failure(name, (text, body), data.and_then(|data| data.status.0));
    let shown = if text.is_empty() { name } else { text };
    say(AgentEventKind::Error(shown.into()));
    say(AgentEventKind::Result(AgentConclusion { outcome, text: None }));
}
