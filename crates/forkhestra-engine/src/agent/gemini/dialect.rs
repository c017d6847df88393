//! The meaning of the lines of Gemini CLI.

use std::borrow::Cow;

use forkhestra_core::cost::{ReportedUsage, TokenCounts, UnusableFigure};
use forkhestra_core::event::{AgentOutcome, OutcomeClass};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::agent::json::{BoundedMap, Lenient, LenientString, ReportedFigures, object, read};
use crate::agent::stream::agent_event::{
    AgentConclusion, AgentEventKind, AgentReady, TextPurpose, ToolCall, ToolDenial, ToolResult,
};
use crate::agent::stream::dialect::{
    Dialect, DialectEventSink, DialectLineKind, UsageUpdate, report_usage, unknown,
};
use crate::agent::tool_summary::tool_summary;

use super::outcome::failure;

/// Prefixes of the text that replaces the output of a command that failed without output or was not
/// run.
const FAILED: [&str; 4] = [
    "Command exited with code: ",
    "Command terminated by signal: ",
    "Command failed: ",
    "Blocked: ",
];

/// The dialect of Gemini CLI.
///
/// Text comes in pieces that end anywhere, and the stream does not mark answers: output of the
/// model after a completed tool belongs to another answer.
#[derive(Debug)]
pub(super) struct GeminiDialect {
    is_new_answer: bool,
    is_text_open: bool,
    /// The last tool call, for a denial.
    last_call: (String, String, String),
}

impl Default for GeminiDialect {
    fn default() -> Self {
        Self { is_new_answer: true, is_text_open: false, last_call: <_>::default() }
    }
}

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
struct GeminiLine<'a> {
    #[serde(rename = "type")]
    kind: LenientString<'a>,
    session_id: LenientString<'a>,
    model: LenientString<'a>,
    role: LenientString<'a>,
    content: LenientString<'a>,
    tool_name: LenientString<'a>,
    tool_id: LenientString<'a>,
    parameters: Option<&'a RawValue>,
    status: LenientString<'a>,
    output: LenientString<'a>,
    error: Lenient<GeminiFailure<'a>>,
    message: LenientString<'a>,
    stats: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
struct GeminiFailure<'a> {
    #[serde(rename = "type")]
    kind: LenientString<'a>,
    message: LenientString<'a>,
}

/// The total usage by model.
#[derive(Default, Deserialize)]
#[serde(default)]
struct GeminiModels {
    models: Lenient<BoundedMap<Lenient<ReportedFigures>>>,
}

/// The figures of the usage of one model, or of all.
const FIGURES: [&str; 4] = ["total_tokens", "input_tokens", "output_tokens", "cached"];

/// The input includes the cached part. Reasoning is only included in the total.
fn token_counts(usage: &ReportedFigures) -> TokenCounts {
    let [total, input, output, cached] = FIGURES.map(|name| usage.tokens(name));
    TokenCounts {
        input: input.saturating_sub(cached),
        output: output.max(total.saturating_sub(input)),
        cache_read: cached.min(input),
        ..TokenCounts::default()
    }
}

impl Dialect for GeminiDialect {
    fn parse_line(&mut self, line: &str, sink: DialectEventSink<'_>) -> DialectLineKind {
        let Some(line) = object::<GeminiLine<'_>>(line) else {
            return DialectLineKind::Plain;
        };
        match line.kind.get() {
            Some("init") => {
                let begun = AgentReady {
                    session: line.session_id.0,
                    model: line.model.0,
                    key_source: None,
                };
                sink(AgentEventKind::Begun(begun).into());
            }
            Some("message") => self.message(line, sink),
            Some("tool_use") => self.call(line, sink),
            Some("tool_result") => self.result(line, sink),
            Some("error") => sink(AgentEventKind::Error(line.message.or_empty()).into()),
            Some("result") => self.conclude(&line, sink),
            Some(_) => return unknown(line.kind, sink),
            None => return DialectLineKind::Plain,
        }
        DialectLineKind::Event
    }
}

impl GeminiDialect {
    /// A user message repeats our own prompt and is ignored.
    fn message(&mut self, line: GeminiLine<'_>, sink: DialectEventSink<'_>) {
        let text = line.content.or_empty();
        if line.role.is("assistant") && !text.is_empty() {
            self.answer(sink);
            self.is_text_open = true;
            sink(AgentEventKind::Text { text, purpose: TextPurpose::Both }.into());
        }
    }

    fn call(&mut self, line: GeminiLine<'_>, sink: DialectEventSink<'_>) {
        self.end_text(sink);
        self.answer(sink);
        let input = line.parameters.map_or("{}", RawValue::get);
        let (id, name, brief) =
            (line.tool_id.or_empty(), line.tool_name.or_empty(), tool_summary(input));
        self.last_call = (id.to_string(), name.to_string(), brief.clone());
        let call = ToolCall { id, name, brief: Cow::Owned(brief), input: input.into() };
        sink(AgentEventKind::ToolCall(call).into());
    }

    fn result(&mut self, line: GeminiLine<'_>, sink: DialectEventSink<'_>) {
        self.end_text(sink);
        self.is_new_answer = true;
        let id = line.tool_id.or_empty();
        let error = line.error.0.unwrap_or_default();
        let is_violation = error.kind.is("policy_violation");
        let why = error.message.or_empty();
        // There is no user who could confirm.
        if is_violation || why.contains("requires user confirmation") {
            let (called, tool, brief) = &self.last_call;
            let (tool, brief) =
                if *called == id { (&**tool, &**brief) } else { (tool_of_call(&id), "") };
            let (tool, brief) = (tool.into(), brief.into());
            sink(AgentEventKind::Denial(ToolDenial { tool, brief, why: (&*why).into() }).into());
        }
        let text = line.output.0.unwrap_or(why);
        // The status of a failed command is `success`. Only one without output is recognised, by
        // the text that replaces its output.
        let is_error =
            line.status.is("error") || FAILED.iter().any(|words| text.starts_with(words));
        sink(AgentEventKind::ToolResult(ToolResult { id, text, is_error }).into());
    }

    fn conclude(&mut self, line: &GeminiLine<'_>, sink: DialectEventSink<'_>) {
        self.end_text(sink);
        self.is_new_answer = true;
        let outcome = if line.status.is("success") {
            AgentOutcome::of(OutcomeClass::Finished)
        } else {
            let error = line.error.0.as_ref();
            let [kind, text] = [
                error.and_then(|error| error.kind.get()),
                error.and_then(|error| error.message.get()),
            ]
            .map(Option::unwrap_or_default);
            failure(kind, text)
        };
        sink(AgentEventKind::Result(AgentConclusion { outcome, text: None }).into());
        if let Some(stats) = line.stats {
            let models: GeminiModels = read(stats).unwrap_or_default();
            let all: ReportedFigures = read(stats).unwrap_or_default();
            let unusable = models.unusable().or_else(|| all.unusable(&FIGURES));
            let mut totals = models.totals();
            if totals.is_empty() {
                totals.push(ReportedUsage {
                    model: None,
                    tokens: token_counts(&all),
                    dollars: None,
                });
            }
            report_usage(unusable, UsageUpdate::Totals(&totals), sink);
        }
    }

    fn answer(&mut self, sink: DialectEventSink<'_>) {
        if self.is_new_answer {
            self.is_new_answer = false;
            sink(AgentEventKind::Turn.into());
        }
    }

    fn end_text(&mut self, sink: DialectEventSink<'_>) {
        if self.is_text_open {
            self.is_text_open = false;
            sink(AgentEventKind::TextEnd.into());
        }
    }
}

impl GeminiModels {
    /// The first unusable figure.
    fn unusable(&self) -> Option<UnusableFigure> {
        let models = self.models.0.iter().flat_map(|models| models.0.values());
        models.filter_map(|figures| figures.0.as_ref()).find_map(|usage| usage.unusable(&FIGURES))
    }

    fn totals(&self) -> Vec<ReportedUsage<'_>> {
        let models = self.models.0.iter().flat_map(|models| &models.0);
        let totals = models.filter_map(|(model, figures)| {
            let tokens = token_counts(figures.0.as_ref()?);
            Some(ReportedUsage { model: Some(model), tokens, dollars: None })
        });
        totals.collect()
    }
}

/// The tool of a call, which is the prefix of its id.
fn tool_of_call(id: &str) -> &str {
    id.split("__").next().unwrap_or(id)
}
