//! Reads programs that print the output of Claude Code with `--output-format json` or
//! `stream-json`.
//!
//! The bytes of a program are displayed unchanged. In addition, JSON in them is parsed, on one line
//! or pretty-printed: if it is certainly from Claude Code, its cost, its outcome and the marker in
//! its last message count.

use forkhestra_core::event::{AgentOutcome, OutcomeClass};
use forkhestra_core::marker::MarkerParseError;
use forkhestra_core::scan::MarkerScanner;
use memchr::memchr;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use super::agent_event::{AgentEvent, AgentEventKind, TextPurpose};
use super::dialect::{Dialect, DialectEvent};
use super::line_splitter::MAX_LINE_BYTES;
use super::listener_config::ListenerConfig;
use super::open_calls::OpenCalls;
use super::stream_interpreter::StreamInterpreter;
use super::stream_listener::{StreamFact, StreamNotice, StreamResult};
use crate::agent::claude::ClaudeDialect;
use crate::agent::json::{
    Lenient, LenientString, object, quoted_non_finite, replace_lone_surrogates,
};

/// Searches a program's output for markers and for results of Claude Code.
pub struct ProgramReader {
    /// `None` if markers are not searched.
    scanner: Option<MarkerScanner>,
    texts: JsonSplitter,
    dialect: Box<dyn Dialect>,
    interpreter: StreamInterpreter,
    /// Whether a line was certainly from Claude Code.
    is_recognised: bool,
    /// Whether the stream contains the assistant's text, which a result only repeats.
    has_text: bool,
    /// The number of turns in the last result.
    turns: u32,
    /// The session of the last line. A script may start Claude Code several times.
    session: Option<String>,
}

/// Receives facts.
type StreamFactSink<'t> = &'t mut dyn FnMut(StreamFact);

impl ProgramReader {
    /// A reader for a program. Fails only on an invalid marker.
    pub fn new(rules: ListenerConfig) -> Result<Self, MarkerParseError> {
        Ok(Self {
            scanner: rules.scanner()?,
            texts: JsonSplitter::default(),
            dialect: Box::new(ClaudeDialect::default()),
            interpreter: StreamInterpreter::new(rules, OpenCalls::default())?,
            is_recognised: false,
            has_text: false,
            turns: 0,
            session: None,
        })
    }

    /// Reads more bytes, which may end anywhere.
    pub fn feed(&mut self, bytes: &[u8], sink: StreamFactSink<'_>) {
        if let Some(marker_match) = self.scanner.as_mut().and_then(|scanner| scanner.feed(bytes)) {
            sink(StreamFact::Marker(marker_match));
        }
        let mut texts = std::mem::take(&mut self.texts);
        texts.feed(bytes, &mut |text, offset| self.text(text, offset, sink));
        self.texts = texts;
    }

    /// Processes the end of the stream. The result is understood if it has lines of Claude Code.
    pub fn finish(mut self, sink: StreamFactSink<'_>) -> StreamResult {
        let texts = std::mem::take(&mut self.texts);
        texts.finish(&mut |text, offset| self.text(text, offset, sink));
        let printed = self.scanner.and_then(MarkerScanner::finish);
        if !self.is_recognised {
            return StreamResult { marker_match: printed, ..StreamResult::default() };
        }
        let mut findings =
            self.interpreter.finish(&mut |notice| report_spend_quota_and_marker(notice, sink));
        // A result without a stream has the number of turns; all but the last used a tool.
        findings.activity.turns = findings.activity.turns.max(self.turns);
        let tools = self.turns.saturating_sub(1);
        findings.activity.tool_calls = findings.activity.tool_calls.max(tools);
        // A marker that the program itself prints counts, whatever the outcome of a session inside
        // it.
        if printed.is_some() {
            findings.outcome = Some(AgentOutcome::of(OutcomeClass::Finished));
            findings.marker_match = printed;
        }
        findings
    }

    /// Reads a text that may be JSON.
    fn text(&mut self, text: &[u8], offset: u64, sink: StreamFactSink<'_>) {
        let text = String::from_utf8_lossy(text);
        let text = replace_lone_surrogates(&text);
        let quoted = quoted_non_finite(&text);
        let text = quoted.as_deref().unwrap_or(&text);
        if text.starts_with('[') {
            // With `--verbose` the result is a list of all events.
            let Ok(events) = serde_json::from_str::<Vec<&RawValue>>(text) else { return };
            let events: Vec<&str> = events.iter().map(|event| event.get()).collect();
            if events.iter().any(|event| is_of_claude(event)) {
                events.iter().for_each(|event| self.event(event, offset, sink));
            }
        } else if self.is_recognised || is_of_claude(text) {
            self.event(text, offset, sink);
        }
    }

    /// The totals of one session do not include those of another.
    fn enter_session(&mut self, session: Option<&str>) {
        let Some(session) = session.filter(|session| self.session.as_deref() != Some(session))
        else {
            return;
        };
        if self.session.is_some() {
            self.interpreter.begin_session();
        }
        self.session = Some(session.to_owned());
    }

    fn event(&mut self, text: &str, offset: u64, sink: StreamFactSink<'_>) {
        self.is_recognised = true;
        if let Some(head) = object::<ClaudeResultHead<'_>>(text) {
            self.turns = self.turns.max(head.num_turns.0.unwrap_or_default());
            self.enter_session(head.session_id.get());
        }
        let Self { dialect, interpreter, has_text, .. } = self;
        let mut filtered = |notice: StreamNotice<'_>| report_spend_quota_and_marker(notice, sink);
        dialect.parse_line(text, &mut |signal| {
            match &signal {
                DialectEvent::AgentEvent(AgentEvent {
                    nested: false,
                    kind: AgentEventKind::Text { .. },
                }) => {
                    *has_text = true;
                }
                DialectEvent::AgentEvent(AgentEvent {
                    kind: AgentEventKind::Result(conclusion),
                    ..
                }) if !*has_text => {
                    if let Some(words) = &conclusion.text {
                        let text = words.clone();
                        let kind = AgentEventKind::Text { text, purpose: TextPurpose::Record };
                        interpreter.handle(kind.into(), offset, &mut filtered);
                        interpreter.handle(AgentEventKind::TextEnd.into(), offset, &mut filtered);
                    }
                }
                _ => {}
            }
            interpreter.handle(signal, offset, &mut filtered);
        });
    }
}

/// Of Claude Code's notices, only spend, quota and the marker that counts are reported. The
/// program's exit decides whether it is done.
fn report_spend_quota_and_marker(notice: StreamNotice<'_>, sink: StreamFactSink<'_>) {
    match notice {
        StreamNotice::Fact(
            fact @ (StreamFact::Spent(_) | StreamFact::UnusableFigure(_) | StreamFact::Quota(_)),
        ) => {
            sink(fact);
        }
        StreamNotice::Fact(StreamFact::Concluded(Some(marker_match))) => {
            sink(StreamFact::Marker(marker_match));
        }
        StreamNotice::Fact(_) | StreamNotice::AgentEvent(_) => {}
    }
}

/// The fields that distinguish a line of Claude Code from other JSON.
#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
struct ClaudeResultHead<'a> {
    #[serde(rename = "type")]
    kind: LenientString<'a>,
    subtype: LenientString<'a>,
    session_id: LenientString<'a>,
    model: LenientString<'a>,
    total_cost_usd: Option<IgnoredAny>,
    num_turns: Lenient<u32>,
}

/// Whether a line is certainly from Claude Code: the first line of its stream, or a result.
fn is_of_claude(line: &str) -> bool {
    let Some(head) = object::<ClaudeResultHead<'_>>(line) else { return false };
    let is_result = head.kind.is("result")
        && head.subtype.get().is_some()
        && (head.total_cost_usd.is_some() || head.num_turns.0.is_some());
    let is_first = head.kind.is("system") && head.subtype.is("init") && head.model.get().is_some();
    (is_result || is_first) && head.session_id.get().is_some()
}

/// Extracts JSON texts from a stream and skips everything else.
///
/// A text is a line that begins with a bracket, or several lines in the format of pretty-printers:
/// a bracket alone on a line, indented lines, and a line that begins with the closing bracket.
#[derive(Debug, Default)]
struct JsonSplitter {
    state: JsonSplitterState,
    /// The bracket that closes a text of several lines.
    closing: Option<u8>,
    /// The offset of the current text.
    offset: u64,
    /// The number of bytes read so far.
    length: u64,
    begun: Vec<u8>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum JsonSplitterState {
    /// At the start of a line.
    #[default]
    Start,
    /// A line that may be a JSON text, or the first line of one.
    First,
    /// A line inside of a text.
    Inner,
    /// The closing line of a text.
    Last,
    /// A line that is not JSON.
    Passed,
}

impl JsonSplitter {
    fn feed(&mut self, bytes: &[u8], take: &mut dyn FnMut(&[u8], u64)) {
        let mut rest = bytes;
        while let Some(first) = rest.first() {
            if self.state == JsonSplitterState::Start {
                self.begin_line(*first);
            }
            let end = memchr(b'\n', rest).map_or(rest.len(), |newline| newline + 1);
            let (line, others) = rest.split_at(end);
            self.length += line.len() as u64;
            if self.state != JsonSplitterState::Passed {
                self.begun.extend_from_slice(line);
                if self.begun.len() > MAX_LINE_BYTES {
                    self.pass_over();
                }
            }
            if line.ends_with(b"\n") {
                self.end_line(take);
            }
            rest = others;
        }
    }

    fn finish(mut self, take: &mut dyn FnMut(&[u8], u64)) {
        self.end_line(take);
    }

    fn begin_line(&mut self, first: u8) {
        self.state = match first {
            b' ' | b'\t' if self.closing.is_some() => JsonSplitterState::Inner,
            closing if self.closing == Some(closing) => JsonSplitterState::Last,
            b'{' | b'[' => {
                (self.closing, self.offset) = (None, self.length);
                self.begun.clear();
                JsonSplitterState::First
            }
            _ => return self.pass_over(),
        };
    }

    /// Discards what was not a JSON text.
    fn pass_over(&mut self) {
        (self.state, self.closing, self.begun) = (JsonSplitterState::Passed, None, Vec::new());
    }

    fn end_line(&mut self, take: &mut dyn FnMut(&[u8], u64)) {
        match self.state {
            JsonSplitterState::First => {
                self.closing = match self.begun.trim_ascii_end() {
                    b"{" => Some(b'}'),
                    b"[" => Some(b']'),
                    _ => None,
                };
                if self.closing.is_none() {
                    take(&self.begun, self.offset);
                }
            }
            JsonSplitterState::Last => {
                self.closing = None;
                take(&self.begun, self.offset);
            }
            JsonSplitterState::Start | JsonSplitterState::Inner | JsonSplitterState::Passed => {}
        }
        self.state = JsonSplitterState::Start;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RESULT: &str = r#"{"type":"result","subtype":"success","is_error":false,"num_turns":3,"result":"All is well.\nFORKHESTRA_COMPLETE","session_id":"s","total_cost_usd":0.25,"usage":{"input_tokens":100,"output_tokens":20}}"#;

    /// The result of a program that prints this in pieces of `piece` bytes, and the reported facts.
    fn read(printed: &str, piece: usize) -> (StreamResult, Vec<StreamFact>) {
        let rules = ListenerConfig { looks_for_markers: true, ..ListenerConfig::default() };
        let mut reader = ProgramReader::new(rules).expect("the usual markers are markers");
        let mut facts = Vec::new();
        for bytes in printed.as_bytes().chunks(piece) {
            reader.feed(bytes, &mut |fact| facts.push(fact));
        }
        let found = reader.finish(&mut |fact| facts.push(fact));
        (found, facts)
    }

    fn dollars(facts: &[StreamFact]) -> Option<f64> {
        let spent = facts.iter().rev().find_map(|fact| match fact {
            StreamFact::Spent(spend) => Some(spend.dollars.nanos()),
            _ => None,
        });
        spent.map(|nanos| nanos as f64 / 1e9)
    }

    #[test]
    fn a_result_is_recognised_wherever_it_is_printed_and_however_it_comes() {
        let list = format!("[{{\"type\":\"system\"}},{RESULT}]");
        let pretty = |text: &str| {
            let value: serde_json::Value = serde_json::from_str(text).expect("JSON");
            serde_json::to_string_pretty(&value).expect("JSON")
        };
        for printed in [
            RESULT.to_owned(),
            format!("begin\n\n{RESULT}\nend\n"),
            pretty(RESULT),
            pretty(&list),
            format!("begin\n{}\nend\n", pretty(RESULT)),
            pretty(RESULT).replace("  ", "\t"),
            // A block that is not JSON ends at the first line that cannot belong to it.
            format!("{{\n  int main;\n{RESULT}\n"),
            format!("{{\n{}\n", pretty(RESULT)),
            list,
        ] {
            for piece in [1, 7, 4096] {
                let (found, facts) = read(&printed, piece);
                assert!(found.understood, "{printed}");
                let class = found.outcome.map(|outcome| outcome.class);
                assert_eq!(class, Some(OutcomeClass::Finished), "{printed}");
                assert_eq!((found.activity.turns, found.activity.tool_calls), (3, 2));
                assert_eq!(dollars(&facts), Some(0.25), "{printed}");
                let marker = found.marker_match.map(|marker_match| marker_match.marker);
                assert_eq!(marker.as_deref(), Some("FORKHESTRA_COMPLETE"), "{printed}");
            }
        }
    }

    #[test]
    fn sessions_of_one_program_are_added_up() {
        let second = RESULT.replace(r#""session_id":"s""#, r#""session_id":"t""#);
        for (printed, expected) in [
            (format!("{RESULT}\n{second}\n"), 0.5),
            (format!("{RESULT}\n{RESULT}\n"), 0.25),
            (format!("{RESULT}\n{second}\n{second}\n"), 0.5),
        ] {
            let (_, facts) = read(&printed, 4096);
            assert_eq!(dollars(&facts), Some(expected), "{printed}");
        }
    }

    #[test]
    fn a_marker_of_the_program_counts_beside_a_session_that_failed() {
        let failed = RESULT.replace("\"is_error\":false", "\"is_error\":true");
        let (found, _) = read(&format!("{failed}\nFORKHESTRA_COMPLETE\n"), 4096);
        assert!(found.marker_match.is_some());
        assert_eq!(found.outcome.map(|outcome| outcome.class), Some(OutcomeClass::Finished));
    }

    #[test]
    fn a_result_that_failed_has_no_marker() {
        let (found, _) = read(&RESULT.replace("\"is_error\":false", "\"is_error\":true"), 4096);
        assert!(found.marker_match.is_none());
        assert!(found.understood);
    }

    #[test]
    fn other_json_is_text_like_any_other() {
        for printed in [
            r#"{"type":"result","value":1}"#,
            r#"{"type":"result","subtype":"success","result":"FORKHESTRA_COMPLETE"}"#,
            "{broken",
            "{\n  broken\n}\n",
            "{\n",
            "[1, 2]",
            r#"{"type":"system","subtype":"init"}"#,
        ] {
            let (found, facts) = read(printed, 4096);
            assert!(!found.understood && facts.is_empty(), "{printed}");
        }
    }

    #[test]
    fn a_figure_that_cannot_be_right_is_reported_once_and_makes_the_cost_unknown() {
        for (field, value) in [
            ("\"total_cost_usd\":0.25", "-5"),
            ("\"total_cost_usd\":0.25", "1e308"),
            ("\"total_cost_usd\":0.25", "\"free\""),
            ("\"total_cost_usd\":0.25", "{\"usd\":1}"),
            ("\"input_tokens\":100", "-100"),
            ("\"output_tokens\":20", "18446744073709551615"),
        ] {
            let name = field.split('"').nth(1).expect("there is a name");
            let printed = RESULT.replace(field, &format!("\"{name}\":{value}"));
            let (_, facts) = read(&format!("{printed}\n{printed}\n"), 4096);
            let figures: Vec<_> = facts
                .iter()
                .filter_map(|fact| match fact {
                    StreamFact::UnusableFigure(figure) => Some(figure.to_string()),
                    _ => None,
                })
                .collect();
            assert_eq!(figures, [format!("{name}: {value}")], "{printed}");
            let is_unknown =
                |fact: &StreamFact| matches!(fact, StreamFact::Spent(spend) if spend.unpriced);
            assert!(facts.iter().any(is_unknown), "{facts:?}");
        }
        for (word, shown) in [("NaN", "\"NaN\""), ("-Infinity", "\"-Infinity\"")] {
            let printed = RESULT.replace("0.25", word);
            let (found, facts) = read(&printed, 4096);
            assert!(found.marker_match.is_some(), "the rest of it holds: {printed}");
            let figure = facts.iter().find_map(|fact| match fact {
                StreamFact::UnusableFigure(figure) => Some(figure.value.as_str()),
                _ => None,
            });
            assert_eq!(figure, Some(shown), "{printed}");
        }
    }

    #[test]
    fn a_marker_in_plain_text_counts_beside_a_result() {
        let without = RESULT.replace("\\nFORKHESTRA_COMPLETE", "");
        let (found, _) = read(&format!("{without}\nFORKHESTRA_COMPLETE\n"), 4096);
        let marker_match = found.marker_match.expect("there is a marker");
        assert_eq!((marker_match.line, marker_match.message), (2, None));
    }
}
