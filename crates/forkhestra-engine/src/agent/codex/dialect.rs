//! The meaning of the lines of Codex.

use std::mem;

use forkhestra_core::cost::{ReportedUsage, TokenCounts};
use forkhestra_core::event::{AgentOutcome, OutcomeClass};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::agent::json::{Lenient, LenientString, ReportedFigures, object, read};
use crate::agent::stream::agent_event::{
    AgentConclusion, AgentEventKind, AgentReady, TextPurpose, ToolDenial,
};
use crate::agent::stream::dialect::{
    Dialect, DialectEvent, DialectEventSink, DialectLineKind, UsageUpdate, report_usage, unknown,
};

use super::item::{CodexFailure, CodexItem, CodexItemKind};
use super::outcome::failure;
use super::retry::retry;

/// The maximum of tracked running tools.
const MAX_RUNNING_TOOLS: usize = 64;

/// The dialect of Codex.
///
/// A turn of Codex spans the whole run. The stream does not mark model requests, and lists the
/// tools of one answer in sequence. But text or reasoning after a completed tool belongs to another
/// answer, so at least these are counted.
#[derive(Debug, Default)]
pub(super) struct CodexDialect {
    next: CodexTurnBoundary,
    /// Whether the current answer has text.
    has_spoken: bool,
    /// Whether a turn was completed and none has started since.
    has_concluded: bool,
    /// The ids of tools whose calls were reported.
    at_work: Vec<String>,
}

/// What starts another answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum CodexTurnBoundary {
    /// Any item.
    #[default]
    Anything,
    /// Text or reasoning. Another tool may belong to the same answer.
    Words,
    /// Nothing: an answer is in progress.
    Nothing,
}

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
struct CodexLine<'a> {
    #[serde(rename = "type")]
    kind: LenientString<'a>,
    thread_id: LenientString<'a>,
    item: Option<&'a RawValue>,
    usage: Lenient<ReportedFigures>,
    error: Lenient<CodexFailure<'a>>,
    message: LenientString<'a>,
}

/// The figures of the total usage so far.
const FIGURES: [&str; 4] =
    ["input_tokens", "cached_input_tokens", "cache_write_input_tokens", "output_tokens"];

/// The input includes the cached part, the output includes reasoning.
fn token_counts(usage: &ReportedFigures) -> TokenCounts {
    let [input, cache_read, cache_write, output] = FIGURES.map(|name| usage.tokens(name));
    let input = input.saturating_sub(cache_read).saturating_sub(cache_write);
    TokenCounts { input, output, cache_read, cache_write, cache_write_1h: 0 }
}

impl Dialect for CodexDialect {
    fn parse_line(&mut self, line: &str, sink: DialectEventSink<'_>) -> DialectLineKind {
        let Some(line) = object::<CodexLine<'_>>(line) else {
            return DialectLineKind::Plain;
        };
        match line.kind.get() {
            Some("thread.started") => {
                let begun = AgentReady { session: line.thread_id.0, ..AgentReady::default() };
                sink(AgentEventKind::Begun(begun).into());
            }
            Some("turn.started") => {
                // The first turn may get no answer, but a turn after a completed one continues the
                // work.
                self.next = CodexTurnBoundary::Anything;
                if mem::take(&mut self.has_concluded) {
                    self.answer(CodexTurnBoundary::Anything, sink);
                }
            }
            Some("item.started") => self.item(line.item, sink, Self::started),
            Some("item.completed") => self.item(line.item, sink, Self::completed),
            Some("item.updated") => {
                sink(DialectEvent::Progress);
                self.updated(line.item.and_then(read).as_ref(), sink);
            }
            Some("turn.completed") => {
                self.conclude(AgentOutcome::of(OutcomeClass::Finished), sink);
                let usage = line.usage.0.unwrap_or_default();
                let tokens = token_counts(&usage);
                let total = ReportedUsage { model: None, tokens, dollars: None };
                report_usage(usage.unusable(&FIGURES), UsageUpdate::Totals(&[total]), sink);
            }
            Some("turn.failed") => {
                let error = line.error.0.map(|error| error.message.or_empty());
                self.conclude(failure(&error.unwrap_or_default()), sink);
            }
            Some("error") => {
                let message = line.message.or_empty();
                sink(match retry(&message) {
                    Some(retry) => AgentEventKind::Retry(retry).into(),
                    None => AgentEventKind::Error(message).into(),
                });
            }
            Some(_) => return unknown(line.kind, sink),
            None => return DialectLineKind::Plain,
        }
        DialectLineKind::Event
    }
}

impl CodexDialect {
    fn item(
        &mut self,
        raw: Option<&RawValue>,
        sink: DialectEventSink<'_>,
        take: fn(&mut Self, CodexItem<'_>, &RawValue, DialectEventSink<'_>),
    ) {
        if let Some((item, raw)) = raw.and_then(|raw| Some((read::<CodexItem<'_>>(raw)?, raw))) {
            // Unknown items count as progress as well.
            if item.kind() != CodexItemKind::Error {
                sink(DialectEvent::Progress);
            }
            take(self, item, raw, sink);
        }
    }

    fn started(&mut self, item: CodexItem<'_>, raw: &RawValue, sink: DialectEventSink<'_>) {
        match item.kind() {
            CodexItemKind::Tool(_) | CodexItemKind::ServerTool => {
                self.call(&item, raw, sink);
                if self.at_work.len() == MAX_RUNNING_TOOLS {
                    self.at_work.remove(0);
                }
                self.at_work.push(item.id.or_empty().into_owned());
            }
            CodexItemKind::Plan => {
                self.call(&item, raw, sink);
                self.next = CodexTurnBoundary::Words;
            }
            _ => {}
        }
    }

    /// An updated plan counts as a running tool.
    fn updated(&mut self, item: Option<&CodexItem<'_>>, sink: DialectEventSink<'_>) {
        if item.is_some_and(|item| item.kind() == CodexItemKind::Plan) {
            sink(DialectEvent::LastMessageRevoked);
            self.next = CodexTurnBoundary::Words;
        }
    }

    fn completed(&mut self, item: CodexItem<'_>, raw: &RawValue, sink: DialectEventSink<'_>) {
        match item.kind() {
            CodexItemKind::Message => {
                self.answer(CodexTurnBoundary::Words, sink);
                if mem::replace(&mut self.has_spoken, true) {
                    sink(DialectEvent::LastMessageRevoked);
                }
                let text = item.text.or_empty();
                sink(AgentEventKind::Text { text, purpose: TextPurpose::Both }.into());
                sink(AgentEventKind::TextEnd.into());
            }
            CodexItemKind::Reasoning => {
                self.answer(CodexTurnBoundary::Words, sink);
                sink(AgentEventKind::Thinking(item.text.or_empty()).into());
            }
            CodexItemKind::Tool(_) | CodexItemKind::ServerTool => self.done(item, raw, sink),
            // Reported for every plan just before the turn ends, whatever follows the plan.
            CodexItemKind::Plan => {}
            CodexItemKind::Error => sink(AgentEventKind::Error(item.message.or_empty()).into()),
            CodexItemKind::Unknown => {
                let name = format!("item.completed/{}", item.kind.or_empty());
                sink(AgentEventKind::Unknown(name.into()).into());
            }
        }
    }

    fn done(&mut self, item: CodexItem<'_>, raw: &RawValue, sink: DialectEventSink<'_>) {
        let started = self.at_work.iter().position(|id| item.id.is(id));
        let started = started.map(|at| self.at_work.remove(at));
        if item.is_left_behind() {
            return;
        }
        if started.is_none() {
            self.call(&item, raw, sink);
        }
        if item.is_declined() {
            let call = item.call(raw);
            let (tool, brief, why) = (call.name, call.brief, "approval is needed".into());
            sink(AgentEventKind::Denial(ToolDenial { tool, brief, why }).into());
        }
        sink(AgentEventKind::ToolResult(item.result()).into());
        self.next = CodexTurnBoundary::Words;
    }

    fn call(&mut self, item: &CodexItem<'_>, raw: &RawValue, sink: DialectEventSink<'_>) {
        self.answer(CodexTurnBoundary::Anything, sink);
        sink(AgentEventKind::ToolCall(item.call(raw)).into());
    }

    /// Starts another answer if that is certain: with the first item, and with text after the
    /// result of a tool. A second answer that consists of tools only is not counted, since one
    /// answer with several tools looks the same.
    fn answer(&mut self, what: CodexTurnBoundary, sink: DialectEventSink<'_>) {
        if self.next == CodexTurnBoundary::Anything || self.next == what {
            (self.next, self.has_spoken) = (CodexTurnBoundary::Nothing, false);
            sink(AgentEventKind::Turn.into());
        }
    }

    fn conclude(&mut self, outcome: AgentOutcome, sink: DialectEventSink<'_>) {
        (self.next, self.has_concluded) = (CodexTurnBoundary::Anything, true);
        sink(AgentEventKind::Result(AgentConclusion { outcome, text: None }).into());
    }
}
