//! Renders agent events as text for the terminal.

use std::collections::BTreeSet;

use forkhestra_core::event::{AgentOutcome, OutcomeClass};
use forkhestra_core::time::Timestamp;
use forkhestra_engine::agent::stream::agent_event::{
    AgentEvent, AgentEventKind, TextPurpose, ToolDenial,
};
use typeset::style::{DIM, paint};
use typeset::text::visible;

use super::flow::{TextFlow, indented};
use super::lines;
use super::rendering::RenderedEvent;
use super::sanitized_text::harmless;
use super::tool_rules::ToolRules;
use crate::report::plan::dry_run::Verbosity;

/// Maximum number of unknown events held until the end of the current line.
const MAX_HELD_LINES: usize = 16;

/// Renders the events of one agent after the other.
#[derive(Debug)]
pub(crate) struct AgentEventRenderer {
    is_verbose: bool,
    /// Whether the current agent emitted any event.
    has_shown: bool,
    /// The streamed text in progress.
    flow: Option<TextFlow>,
    /// Rendered unknown events that wait for the end of a line.
    held_lines: Vec<String>,
    /// The last rendered value of each, to suppress repetitions.
    begun: Option<String>,
    limit: Option<String>,
    error: Option<String>,
    rules: ToolRules,
    /// Whether the last tool call was denied and reported as such.
    was_denied: bool,
    /// Tools for which the advice was already shown.
    advised_tools: BTreeSet<String>,
}

impl AgentEventRenderer {
    /// Creates a renderer for a run without agents so far.
    pub(crate) fn new(detail: Verbosity) -> Self {
        Self {
            is_verbose: detail == Verbosity::Verbose,
            has_shown: false,
            flow: None,
            held_lines: Vec::new(),
            begun: None,
            limit: None,
            error: None,
            rules: ToolRules::default(),
            was_denied: false,
            advised_tools: BTreeSet::new(),
        }
    }

    /// Sets the tool rules of the next agent. Advice already shown stays suppressed only while the
    /// rules are equal.
    pub(crate) fn agent_begins(&mut self, rules: ToolRules) {
        if rules != self.rules {
            self.rules = rules;
            self.advised_tools.clear();
        }
    }

    /// Renders an event. Without `now`, reset times are shown without the remaining duration.
    pub(crate) fn event(
        &mut self,
        event: &AgentEvent<'_>,
        now: Option<Timestamp>,
    ) -> RenderedEvent {
        let nested = event.nested;
        self.has_shown = true;
        match &event.kind {
            AgentEventKind::Text { purpose: TextPurpose::Record, .. } => RenderedEvent::Nothing,
            AgentEventKind::Text { text, .. } => self.piece(nested, text),
            AgentEventKind::Turn | AgentEventKind::TextEnd => self.close(""),
            AgentEventKind::Plain(bytes) => {
                // The text in progress ends, even if this line has nothing that can be shown.
                self.close(&harmless(bytes))
            }
            AgentEventKind::Unknown(name) if self.is_inside_line() => {
                if self.is_verbose && self.held_lines.len() < MAX_HELD_LINES {
                    self.held_lines.push(unknown(name));
                }
                RenderedEvent::Nothing
            }
            kind => {
                let lines = self.event_lines(kind, now);
                let lines: String =
                    lines.iter().map(|line| indented(line, nested) + "\n").collect();
                if lines.is_empty() { RenderedEvent::Nothing } else { self.close(&lines) }
            }
        }
    }

    /// Ends the output of the current agent and resets the suppressed repetitions.
    pub(crate) fn agent_is_gone(&mut self) -> RenderedEvent {
        let last = self.close("");
        let has_shown = std::mem::take(&mut self.has_shown);
        (self.begun, self.limit, self.error) = (None, None, None);
        match last {
            RenderedEvent::Nothing if has_shown => RenderedEvent::EndOfLine,
            last => last,
        }
    }

    fn piece(&mut self, nested: bool, text: &str) -> RenderedEvent {
        let other = self.flow.take_if(|flow| flow.nested != nested);
        let before = other.map(|mut flow| ended(flow.finish())).unwrap_or_default();
        let flow = self.flow.get_or_insert_with(|| TextFlow::new(nested));
        let goes_on = flow.has_begun() || !before.is_empty();
        match before + &flow.piece(text) {
            shown if shown.is_empty() => RenderedEvent::Nothing,
            shown if goes_on => RenderedEvent::More(shown),
            shown => RenderedEvent::Lines(shown),
        }
    }

    /// Ends the streamed text and appends these lines.
    fn close(&mut self, lines: &str) -> RenderedEvent {
        let held: String = self.held_lines.drain(..).map(|name| name + "\n").collect();
        let lines = held + lines;
        let Some(mut flow) = self.flow.take() else {
            return if lines.is_empty() {
                RenderedEvent::Nothing
            } else {
                RenderedEvent::Lines(lines)
            };
        };
        let goes_on = flow.has_begun();
        match (ended(flow.finish()), lines.is_empty()) {
            (rest, true) if rest.is_empty() => RenderedEvent::EndOfLine,
            (rest, false) if rest.is_empty() => RenderedEvent::Lines(lines),
            (rest, _) if goes_on => RenderedEvent::More(rest + &lines),
            (rest, _) => RenderedEvent::Lines(rest + &lines),
        }
    }

    fn is_inside_line(&self) -> bool {
        self.flow.as_ref().is_some_and(TextFlow::is_inside_line)
    }

    /// Lines for an event that is not streamed text.
    fn event_lines(&mut self, kind: &AgentEventKind<'_>, now: Option<Timestamp>) -> Vec<String> {
        match kind {
            AgentEventKind::ToolCall(call) => {
                self.was_denied = false;
                vec![lines::tool_call(call)]
            }
            AgentEventKind::Denial(denial) => self.denial(denial),
            AgentEventKind::Retry(retry) => vec![lines::retry(retry)],
            AgentEventKind::Limit(notice) => {
                let text = lines::limit(notice, now);
                // Compared without the remaining time, which changes with each notice.
                let what = lines::limit(notice, None);
                if what == self.limit {
                    return Vec::new();
                }
                self.limit = what;
                text.into_iter().collect()
            }
            AgentEventKind::Error(message) => self.error(&lines::brief(message)),
            AgentEventKind::Result(conclusion) => self.result(&conclusion.outcome),
            AgentEventKind::Skipped { bytes } => vec![lines::skipped(*bytes)],
            kind if self.is_verbose => self.detail(kind),
            AgentEventKind::ToolResult(result) if result.is_error => {
                // The denial was already reported with tool and reason.
                let was_denied = std::mem::take(&mut self.was_denied);
                if was_denied { Vec::new() } else { vec![lines::tool_failure(result)] }
            }
            _ => Vec::new(),
        }
    }

    /// Lines shown only in verbose mode.
    fn detail(&mut self, kind: &AgentEventKind<'_>) -> Vec<String> {
        match kind {
            AgentEventKind::Begun(begun) => {
                let shown = Some(lines::begun(begun)).filter(|shown| !shown.is_empty());
                if shown == self.begun {
                    return Vec::new();
                }
                self.begun.clone_from(&shown);
                shown.map(|shown| paint(DIM, &shown)).into_iter().collect()
            }
            AgentEventKind::Thinking(text) => lines::thinking(text),
            AgentEventKind::ToolResult(result) => lines::tool_result(result),
            AgentEventKind::Unknown(name) => vec![unknown(name)],
            _ => Vec::new(),
        }
    }

    fn denial(&mut self, denial: &ToolDenial<'_>) -> Vec<String> {
        self.was_denied = true;
        let is_new = self.advised_tools.insert(visible(&denial.tool));
        let advice = self.rules.advice(denial).filter(|_| is_new);
        let advice = advice.map(|advice| lines::advice(&advice));
        std::iter::once(lines::denial(denial)).chain(advice).collect()
    }

    /// Agents repeat error messages; the same message is shown once in a row.
    fn error(&mut self, message: &str) -> Vec<String> {
        if self.error.as_deref() == Some(message) {
            return Vec::new();
        }
        self.error = Some(message.to_owned());
        vec![lines::error(message)]
    }

    fn result(&mut self, outcome: &AgentOutcome) -> Vec<String> {
        let message = outcome.message.as_deref().map(lines::brief);
        match outcome.class {
            OutcomeClass::Finished if self.is_verbose => vec![paint(DIM, "finished")],
            OutcomeClass::Finished => Vec::new(),
            class => self.error(&message.unwrap_or_else(|| class.as_str().replace('_', " "))),
        }
    }
}

/// Appends a line end to held-back text that lacks one.
fn ended(rest: String) -> String {
    if rest.is_empty() || rest.ends_with('\n') { rest } else { rest + "\n" }
}

fn unknown(name: &str) -> String {
    paint(DIM, &format!("({})", lines::brief(name)))
}
