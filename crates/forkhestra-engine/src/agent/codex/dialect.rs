//! The meaning of the lines of Codex.

use std::mem;

use forkhestra_core::cost::{ReportedUsage, TokenCounts, UnusableFigure};
use forkhestra_core::event::{AgentOutcome, OutcomeClass};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::agent::json::lenient_json::{Lenient, LenientString, object, read};
use crate::agent::json::reported_figure::{ReportedFigure, first_unusable};
use crate::agent::stream::agent_event::{
    AgentConclusion, AgentEventKind, AgentReady, TextPurpose, ToolDenial,
};
use crate::agent::stream::dialect::{
    Dialect, DialectEvent, DialectEventSink, DialectLineKind, UsageUpdate,
};

use super::item::{CodexItem, CodexItemKind};
use super::outcome::failure;
use super::retry::retry;

/// The maximum of tracked running tools.
const AT_WORK: usize = 64;

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

#[derive(Deserialize)]
struct CodexLine<'a> {
    #[serde(borrow, default, rename = "type")]
    kind: LenientString<'a>,
    #[serde(borrow, default)]
    thread_id: LenientString<'a>,
    #[serde(borrow, default)]
    item: Option<&'a RawValue>,
    #[serde(default)]
    usage: Lenient<CodexUsage>,
    #[serde(borrow, default)]
    error: Lenient<CodexFailure<'a>>,
    #[serde(borrow, default)]
    message: LenientString<'a>,
}

#[derive(Deserialize)]
struct CodexFailure<'a> {
    #[serde(borrow, default)]
    message: LenientString<'a>,
}

/// The total usage so far.
#[derive(Default, Deserialize)]
struct CodexUsage {
    #[serde(default)]
    input_tokens: ReportedFigure<u64>,
    #[serde(default)]
    cached_input_tokens: ReportedFigure<u64>,
    #[serde(default)]
    cache_write_input_tokens: ReportedFigure<u64>,
    #[serde(default)]
    output_tokens: ReportedFigure<u64>,
}

impl CodexUsage {
    /// The first unusable figure.
    fn unusable(&self) -> Option<UnusableFigure> {
        first_unusable([
            ("input_tokens", &self.input_tokens),
            ("cached_input_tokens", &self.cached_input_tokens),
            ("cache_write_input_tokens", &self.cache_write_input_tokens),
            ("output_tokens", &self.output_tokens),
        ])
    }

    /// The input includes the cached part, the output includes reasoning.
    fn tokens(&self) -> TokenCounts {
        let [input, cache_read, cache_write] =
            [&self.input_tokens, &self.cached_input_tokens, &self.cache_write_input_tokens]
                .map(ReportedFigure::tokens);
        TokenCounts {
            input: input.saturating_sub(cache_read).saturating_sub(cache_write),
            output: self.output_tokens.tokens(),
            cache_read,
            cache_write,
            cache_write_1h: 0,
        }
    }
}

impl Dialect for CodexDialect {
    fn parse_line(&mut self, line: &str, hear: DialectEventSink<'_>) -> DialectLineKind {
        let Some(line) = object::<CodexLine<'_>>(line) else {
            return DialectLineKind::Plain;
        };
        match line.kind.get() {
            Some("thread.started") => {
                let begun = AgentReady { session: line.thread_id.0, ..AgentReady::default() };
                hear(AgentEventKind::Begun(begun).into());
            }
            Some("turn.started") => {
                // The first turn may get no answer, but a turn after a completed one continues the
                // work.
                self.next = CodexTurnBoundary::Anything;
                if mem::take(&mut self.has_concluded) {
                    self.answer(CodexTurnBoundary::Anything, hear);
                }
            }
            Some("item.started") => self.item(line.item, hear, Self::started),
            Some("item.completed") => self.item(line.item, hear, Self::completed),
            Some("item.updated") => {
                hear(DialectEvent::Progress);
                self.updated(line.item.and_then(read).as_ref(), hear);
            }
            Some("turn.completed") => {
                self.conclude(AgentOutcome::of(OutcomeClass::Finished), hear);
                let usage = line.usage.0.unwrap_or_default();
                if let Some(figure) = usage.unusable() {
                    hear(DialectEvent::UnusableFigure(figure));
                }
                let total = ReportedUsage { model: None, tokens: usage.tokens(), dollars: None };
                hear(DialectEvent::Usage(UsageUpdate::Totals(&[total])));
            }
            Some("turn.failed") => {
                let error = line.error.0.map(|error| error.message.or_empty());
                self.conclude(failure(&error.unwrap_or_default()), hear);
            }
            Some("error") => {
                let message = line.message.or_empty();
                hear(match retry(&message) {
                    Some(retry) => AgentEventKind::Retry(retry).into(),
                    None => AgentEventKind::Error(message).into(),
                });
            }
            Some(_) => {
                hear(AgentEventKind::Unknown(line.kind.or_empty()).into());
                return DialectLineKind::Unknown;
            }
            None => return DialectLineKind::Plain,
        }
        DialectLineKind::Event
    }
}

impl CodexDialect {
    fn item(
        &mut self,
        raw: Option<&RawValue>,
        hear: DialectEventSink<'_>,
        take: fn(&mut Self, CodexItem<'_>, &RawValue, DialectEventSink<'_>),
    ) {
        if let Some((item, raw)) = raw.and_then(|raw| Some((read::<CodexItem<'_>>(raw)?, raw))) {
            // Unknown items count as progress as well.
            if item.kind() != CodexItemKind::Error {
                hear(DialectEvent::Progress);
            }
            take(self, item, raw, hear);
        }
    }

    fn started(&mut self, item: CodexItem<'_>, raw: &RawValue, hear: DialectEventSink<'_>) {
        match item.kind() {
            CodexItemKind::Tool(_) | CodexItemKind::ServerTool => {
                self.call(&item, raw, hear);
                if self.at_work.len() == AT_WORK {
                    self.at_work.remove(0);
                }
                self.at_work.push(item.id.or_empty().into_owned());
            }
            CodexItemKind::Plan => {
                self.call(&item, raw, hear);
                self.next = CodexTurnBoundary::Words;
            }
            _ => {}
        }
    }

    /// An updated plan counts as a running tool.
    fn updated(&mut self, item: Option<&CodexItem<'_>>, hear: DialectEventSink<'_>) {
        if item.is_some_and(|item| item.kind() == CodexItemKind::Plan) {
            hear(DialectEvent::LastMessageRevoked);
            self.next = CodexTurnBoundary::Words;
        }
    }

    fn completed(&mut self, item: CodexItem<'_>, raw: &RawValue, hear: DialectEventSink<'_>) {
        match item.kind() {
            CodexItemKind::Message => {
                self.answer(CodexTurnBoundary::Words, hear);
                if mem::replace(&mut self.has_spoken, true) {
                    hear(DialectEvent::LastMessageRevoked);
                }
                let text = item.text.or_empty();
                hear(AgentEventKind::Text { text, purpose: TextPurpose::Both }.into());
                hear(AgentEventKind::TextEnd.into());
            }
            CodexItemKind::Reasoning => {
                self.answer(CodexTurnBoundary::Words, hear);
                hear(AgentEventKind::Thinking(item.text.or_empty()).into());
            }
            CodexItemKind::Tool(_) | CodexItemKind::ServerTool => self.done(item, raw, hear),
            // Reported for every plan just before the turn ends, whatever follows the plan.
            CodexItemKind::Plan => {}
            CodexItemKind::Error => hear(AgentEventKind::Error(item.message.or_empty()).into()),
            CodexItemKind::Unknown => {
                let name = format!("item.completed/{}", item.kind.or_empty());
                hear(AgentEventKind::Unknown(name.into()).into());
            }
        }
    }

    fn done(&mut self, item: CodexItem<'_>, raw: &RawValue, hear: DialectEventSink<'_>) {
        let started = self.at_work.iter().position(|id| item.id.is(id));
        let started = started.map(|at| self.at_work.remove(at));
        if item.is_left_behind() {
            return;
        }
        if started.is_none() {
            self.call(&item, raw, hear);
        }
        if item.is_declined() {
            let call = item.call(raw);
            let (tool, brief, why) = (call.name, call.brief, "approval is needed".into());
            hear(AgentEventKind::Denial(ToolDenial { tool, brief, why }).into());
        }
        hear(AgentEventKind::ToolResult(item.result()).into());
        self.next = CodexTurnBoundary::Words;
    }

    fn call(&mut self, item: &CodexItem<'_>, raw: &RawValue, hear: DialectEventSink<'_>) {
        self.answer(CodexTurnBoundary::Anything, hear);
        hear(AgentEventKind::ToolCall(item.call(raw)).into());
    }

    /// Starts another answer if that is certain: with the first item, and with text after the
    /// result of a tool. A second answer that consists of tools only is not counted, since one
    /// answer with several tools looks the same.
    fn answer(&mut self, what: CodexTurnBoundary, hear: DialectEventSink<'_>) {
        if self.next == CodexTurnBoundary::Anything || self.next == what {
            (self.next, self.has_spoken) = (CodexTurnBoundary::Nothing, false);
            hear(AgentEventKind::Turn.into());
        }
    }

    fn conclude(&mut self, outcome: AgentOutcome, hear: DialectEventSink<'_>) {
        (self.next, self.has_concluded) = (CodexTurnBoundary::Anything, true);
        hear(AgentEventKind::Result(AgentConclusion { outcome, text: None }).into());
    }
}
