//! Reads the stream of an agent and reports notices.

use forkhestra_core::config::Backend;
use forkhestra_core::marker::MarkerParseError;
use memchr::memchr;

use super::agent_event::AgentEventKind;
use super::dialect::{Dialect, DialectEvent, DialectLineKind};
use super::line_splitter::{LineSplitter, MAX_LINE_BYTES, StreamLine};
use super::listener_config::ListenerConfig;
use super::open_calls::OpenCalls;
use super::plain_text_scanner::PlainTextScanner;
use super::stream_interpreter::StreamInterpreter;
use super::stream_listener::{StreamListener, StreamNotice, StreamResult};
use crate::agent::agent_backend::agent_backend;
use crate::agent::json::{quoted_non_finite, replace_lone_surrogates};

/// A listener for the stream of an agent. Fails only on an invalid marker.
pub fn listener(
    backend: Backend,
    rules: ListenerConfig,
) -> Result<Box<dyn StreamListener>, MarkerParseError> {
    let backend = agent_backend(backend);
    let understanding = AgentLineReader {
        dialect: (backend.dialect)(),
        plain_text: PlainTextScanner::new(&rules)?,
        interpreter: StreamInterpreter::new(rules, OpenCalls::new(backend.calls_outlive_answers))?,
        understood: false,
    };
    Ok(Box::new(AgentStreamReader {
        lines: LineSplitter::up_to(MAX_LINE_BYTES),
        line_reader: understanding,
    }))
}

/// Splits the stream of an agent and interprets its lines.
struct AgentStreamReader {
    lines: LineSplitter,
    line_reader: AgentLineReader,
}

/// Interprets lines.
struct AgentLineReader {
    dialect: Box<dyn Dialect>,
    interpreter: StreamInterpreter,
    /// Whether a known event was recognised.
    understood: bool,
    /// Scans the output as plain text until then.
    plain_text: PlainTextScanner,
}

impl StreamListener for AgentStreamReader {
    fn feed(&mut self, bytes: &[u8], sink: &mut dyn FnMut(StreamNotice<'_>)) {
        let mut rest = bytes;
        // Any line may be the first that is understood; then none of its bytes are plain text.
        while !self.line_reader.understood
            && let Some(newline) = memchr(b'\n', rest)
        {
            let (line, others) = rest.split_at(newline + 1);
            self.take(line, sink);
            rest = others;
        }
        self.take(rest, sink);
    }

    fn finish(self: Box<Self>, sink: &mut dyn FnMut(StreamNotice<'_>)) -> StreamResult {
        let Self { lines, line_reader: mut understanding } = *self;
        lines.finish(&mut |line| understanding.take(line, sink));
        if understanding.understood {
            return understanding.interpreter.finish(sink);
        }
        StreamResult { marker_match: understanding.plain_text.finish(), ..StreamResult::default() }
    }
}

impl AgentStreamReader {
    fn take(&mut self, bytes: &[u8], sink: &mut dyn FnMut(StreamNotice<'_>)) {
        self.lines.feed(bytes, &mut |line| self.line_reader.take(line, sink));
        if !self.line_reader.understood {
            self.line_reader.plain_text.feed(bytes, sink);
        }
    }
}

impl AgentLineReader {
    fn take(&mut self, line: StreamLine<'_>, sink: &mut dyn FnMut(StreamNotice<'_>)) {
        let Some(bytes) = line.bytes else {
            let skipped = AgentEventKind::Skipped { bytes: line.length };
            return sink(StreamNotice::AgentEvent(skipped.into()));
        };
        // Only an object can be an event. Invalid UTF-8 would be copied.
        let is_object = bytes.trim_ascii_start().first() == Some(&b'{');
        let kind = if is_object {
            self.understand(bytes, line.offset, sink)
        } else {
            DialectLineKind::Plain
        };
        match kind {
            DialectLineKind::Event => {
                self.understood = true;
                self.interpreter.mark_understood();
            }
            DialectLineKind::Unknown => {}
            DialectLineKind::Plain => {
                sink(StreamNotice::AgentEvent(AgentEventKind::Plain(bytes).into()));
            }
        }
    }

    fn understand(
        &mut self,
        bytes: &[u8],
        offset: u64,
        sink: &mut dyn FnMut(StreamNotice<'_>),
    ) -> DialectLineKind {
        let text = String::from_utf8_lossy(bytes);
        let text = replace_lone_surrogates(&text);
        let Self { dialect, interpreter, plain_text: stand_in, .. } = self;
        let mut event_sink = |signal: DialectEvent<'_>| {
            // An event is reported after the withdrawal of a plain text marker.
            if !signal.is_unknown() {
                stand_in.discard(sink);
            }
            interpreter.handle(signal, offset, sink);
        };
        let mut kind = dialect.parse_line(&text, &mut event_sink);
        if kind == DialectLineKind::Plain
            && let Some(quoted) = quoted_non_finite(&text)
        {
            kind = dialect.parse_line(&quoted, &mut event_sink);
        }
        if kind == DialectLineKind::Event {
            stand_in.discard(sink);
        }
        kind
    }
}
