//! The meaning of the lines of Claude Code.

use std::borrow::Cow;
use std::mem;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::agent::json::{BoundedList, LenientString, ReportedFigures, object, read};
use crate::agent::stream::agent_event::{
    AgentConclusion, AgentEvent, AgentEventKind, TextPurpose, ToolCall, ToolDenial, ToolResult,
};
use crate::agent::stream::dialect::{
    Dialect, DialectEvent, DialectEventSink, DialectLineKind, UsageUpdate, report_usage, unknown,
};
use crate::agent::tool_summary::tool_summary;

use super::calls::ClaudeCalls;
use super::message::{ClaudeBlock, ClaudeError, ClaudeMessage};
use super::outcome::{ClaudeApiError, outcome};
use super::partial::PartialMessage;
use super::result::ClaudeResult;
use super::system::{ClaudeSystemEvent, RateLimitEvent, is_progress};
use super::usage::{OF_ANSWER, token_counts};

/// The dialect of Claude Code.
///
/// An answer of the model is reported once for each of its blocks, with the same id. With partial
/// messages its text arrives earlier in pieces, which may belong to an answer that was cut off:
/// only text that is reported as a block counts.
#[derive(Debug, Default)]
pub(in crate::agent) struct ClaudeDialect {
    /// The id of the current answer of the main agent.
    answer: String,
    model: String,
    /// Whether the answer arrives in pieces.
    is_in_pieces: bool,
    /// Whether a text has started in pieces.
    is_text_open: bool,
    calls: ClaudeCalls,
    api_error: ClaudeApiError,
}

/// Fields of all events, or of two of them.
#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
struct ClaudeEnvelope<'a> {
    #[serde(rename = "type")]
    kind: LenientString<'a>,
    subtype: LenientString<'a>,
    parent_tool_use_id: LenientString<'a>,
    event: Option<&'a RawValue>,
    message: Option<&'a RawValue>,
}

impl Dialect for ClaudeDialect {
    fn parse_line(&mut self, line: &str, sink: DialectEventSink<'_>) -> DialectLineKind {
        let Some(envelope) = object::<ClaudeEnvelope<'_>>(line) else {
            return DialectLineKind::Plain;
        };
        let nested = envelope.parent_tool_use_id.0.is_some();
        match envelope.kind.get() {
            Some("stream_event") => {
                if let Some(partial) = envelope.event.and_then(read::<PartialMessage<'_>>) {
                    if partial.is_progress() {
                        sink(DialectEvent::Progress);
                    }
                    if !nested {
                        self.partial(partial, sink);
                    }
                }
            }
            Some("assistant") => {
                if let Some(answer) = envelope.message.and_then(read) {
                    self.answer(answer, nested, line, sink);
                }
            }
            Some("user") => results(envelope.message, nested, sink),
            Some("system") => self.system(line, &envelope.subtype, sink),
            Some("rate_limit_event") => self.limit(line, sink),
            Some("result") => self.result(object(line).unwrap_or_default(), sink),
            Some("conversation_reset") => {}
            Some(_) => return unknown(envelope.kind, sink),
            None => return DialectLineKind::Plain,
        }
        DialectLineKind::Event
    }
}

impl ClaudeDialect {
    fn partial(&mut self, partial: PartialMessage<'_>, sink: DialectEventSink<'_>) {
        match partial.kind.get().unwrap_or_default() {
            "message_start" => {
                let Some(start) = partial.message.0 else { return };
                self.begin(&start.id.or_empty(), true, sink);
                self.model = start.model.or_empty().into_owned();
                self.used(&start.usage.0.unwrap_or_default(), sink);
            }
            "content_block_delta" => {
                let text = partial.delta.map(|delta| delta.text.or_empty()).unwrap_or_default();
                if !text.is_empty() {
                    self.is_text_open = true;
                    sink(AgentEventKind::Text { text, purpose: TextPurpose::Screen }.into());
                }
            }
            "content_block_stop" => self.end_text(sink),
            "message_delta" => self.used(&partial.usage.0.unwrap_or_default(), sink),
            _ => {}
        }
    }

    fn answer(
        &mut self,
        answer: ClaudeMessage<'_>,
        nested: bool,
        line: &str,
        sink: DialectEventSink<'_>,
    ) {
        if answer.is_synthetic() {
            return self.trouble(answer, nested, line, sink);
        }
        let id = answer.id.or_empty();
        if !nested && (id != self.answer || id.is_empty()) {
            self.begin(&id, false, sink);
        }
        if let (Some(usage), Some(model)) = (answer.usage.0, answer.model.get()) {
            used(&id, model, &usage, sink);
        }
        for block in answer.content.0 {
            self.block(block, nested, sink);
        }
    }

    fn block(&mut self, block: ClaudeBlock<'_>, nested: bool, sink: DialectEventSink<'_>) {
        let mut say =
            |kind: AgentEventKind<'_>| sink(DialectEvent::AgentEvent(AgentEvent { nested, kind }));
        match block.kind.get().unwrap_or_default() {
            "text" => {
                let was_shown = self.is_in_pieces && !nested;
                let purpose = if was_shown { TextPurpose::Record } else { TextPurpose::Both };
                say(AgentEventKind::Text { text: block.text.or_empty(), purpose });
                say(AgentEventKind::TextEnd);
                self.is_text_open &= nested;
            }
            "thinking" => say(AgentEventKind::Thinking(block.thinking.or_empty())),
            "tool_use" | "server_tool_use" | "mcp_tool_use" => {
                let input = block.input.map_or("{}", RawValue::get);
                let brief = tool_summary(input);
                let id = block.id.or_empty();
                self.calls.record(&id, &brief);
                let (name, brief) = (block.name.or_empty(), Cow::Owned(brief));
                say(AgentEventKind::ToolCall(ToolCall { id, name, brief, input: input.into() }));
            }
            _ => {}
        }
    }

    /// A message of Claude Code itself in place of the model's answer.
    fn trouble(
        &mut self,
        answer: ClaudeMessage<'_>,
        nested: bool,
        line: &str,
        sink: DialectEventSink<'_>,
    ) {
        for block in answer.content.0 {
            if let Some(text) = block.text.0 {
                let kind = AgentEventKind::Error(text);
                sink(DialectEvent::AgentEvent(AgentEvent { nested, kind }));
            }
        }
        if nested {
            return;
        }
        let trouble: ClaudeError<'_> = object(line).unwrap_or_default();
        let class = trouble.error.0.or(trouble.api_error.0);
        self.api_error.error = class.unwrap_or_default().into_owned();
        let info = trouble.api_error_params.0.and_then(|details| details.rate_limit_info.0);
        self.api_error.resets = info.and_then(|info| info.resets()).or(self.api_error.resets);
    }

    fn system(&mut self, line: &str, subtype: &LenientString<'_>, sink: DialectEventSink<'_>) {
        let Some(system) = object::<ClaudeSystemEvent<'_>>(line) else { return };
        if is_progress(subtype.get().unwrap_or_default()) {
            sink(DialectEvent::Progress);
        }
        if !subtype.is("permission_denied") {
            if let Some(kind) = system.interpret(subtype) {
                sink(kind.into());
            }
            return;
        }
        let id = system.tool_use_id.or_empty();
        if self.calls.deny(&id) {
            let brief = self.calls.summary_of(&id).unwrap_or_default();
            sink(
                AgentEventKind::Denial(ToolDenial {
                    tool: system.tool_name.or_empty(),
                    brief: brief.into(),
                    why: system.message.or_empty(),
                })
                .into(),
            );
        }
    }

    fn limit(&mut self, line: &str, sink: DialectEventSink<'_>) {
        let Some(info) =
            object::<RateLimitEvent<'_>>(line).and_then(|event| event.rate_limit_info.0)
        else {
            return;
        };
        if info.is_reached() {
            self.api_error.resets = info.resets();
        }
        info.readings().for_each(|reading| sink(DialectEvent::Quota(reading)));
        if !info.status.is("allowed") {
            sink(AgentEventKind::Limit(info.notice()).into());
        }
    }

    fn result(&mut self, mut result: ClaudeResult<'_>, sink: DialectEventSink<'_>) {
        self.end_text(sink);
        let outcome = outcome(&result, &self.api_error);
        self.api_error = ClaudeApiError::default();
        let BoundedList(denials) = mem::take(&mut result.permission_denials).0.unwrap_or_default();
        for denied in denials.into_iter().filter_map(|one| one.0) {
            if self.calls.deny(denied.tool_use_id.get().unwrap_or_default()) {
                let brief =
                    denied.tool_input.map(|input| tool_summary(input.get())).unwrap_or_default();
                let (tool, brief) = (denied.tool_name.or_empty(), brief.into());
                let why = "permission is needed".into();
                sink(AgentEventKind::Denial(ToolDenial { tool, brief, why }).into());
            }
        }
        let text = mem::take(&mut result.result).0;
        sink(AgentEventKind::Result(AgentConclusion { outcome, text }).into());
        report_usage(result.unusable(), UsageUpdate::Totals(&result.totals()), sink);
        // If the agent goes on, then with another answer.
        self.answer.clear();
    }

    fn begin(&mut self, id: &str, is_in_pieces: bool, sink: DialectEventSink<'_>) {
        self.end_text(sink);
        self.answer.clear();
        self.answer.push_str(id);
        self.is_in_pieces = is_in_pieces;
        sink(AgentEventKind::Turn.into());
    }

    fn used(&self, usage: &ReportedFigures, sink: DialectEventSink<'_>) {
        used(&self.answer, &self.model, usage, sink);
    }

    fn end_text(&mut self, sink: DialectEventSink<'_>) {
        if self.is_text_open {
            self.is_text_open = false;
            sink(AgentEventKind::TextEnd.into());
        }
    }
}

/// Reports the usage of an answer so far.
fn used(id: &str, model: &str, usage: &ReportedFigures, sink: DialectEventSink<'_>) {
    let update = UsageUpdate::Message { id, model, tokens: token_counts(usage, OF_ANSWER) };
    report_usage(usage.unusable(&OF_ANSWER), update, sink);
}

/// Reports tool results.
fn results(message: Option<&RawValue>, nested: bool, sink: DialectEventSink<'_>) {
    let Some(answer) = message.and_then(read::<ClaudeMessage<'_>>) else { return };
    for block in answer.content.0.into_iter().filter(|block| block.kind.is("tool_result")) {
        let text = block.result_text();
        let (id, is_error) = (block.tool_use_id.or_empty(), block.is_error.0.unwrap_or(false));
        let kind = AgentEventKind::ToolResult(ToolResult { id, text, is_error });
        sink(DialectEvent::AgentEvent(AgentEvent { nested, kind }));
    }
}
