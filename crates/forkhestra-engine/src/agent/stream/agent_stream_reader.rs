//! Listening to an agent: from its bytes to notices.

use forkhestra_core::config::Backend;
use forkhestra_core::marker::MarkerParseError;
use memchr::memchr;

use super::agent_event::AgentEventKind;
use super::dialect::{Dialect, DialectEvent, DialectLineKind, dialect};
use super::line_splitter::{LONGEST, LineSplitter, StreamLine, StreamLineContent};
use super::listener_config::ListenerConfig;
use super::open_calls::OpenCalls;
use super::plain_fallback::PlainFallback;
use super::stream_interpreter::StreamInterpreter;
use super::stream_listener::{StreamListener, StreamNotice, StreamResult};
use crate::agent::json::non_finite::quoted_non_finite;
use crate::agent::json::surrogates::repaired;

/// Understands the stream of an agent program. It fails only for a marker that is none.
pub fn listener(
    backend: Backend,
    rules: ListenerConfig,
) -> Result<Box<dyn StreamListener>, MarkerParseError> {
    let understanding = AgentLineReader {
        dialect: dialect(backend),
        fallback: PlainFallback::new(&rules)?,
        interpreter: StreamInterpreter::new(rules, OpenCalls::of(backend))?,
        understood: false,
    };
    Ok(Box::new(AgentStreamReader {
        lines: LineSplitter::up_to(LONGEST),
        line_reader: understanding,
    }))
}

/// Listens to an agent.
struct AgentStreamReader {
    lines: LineSplitter,
    line_reader: AgentLineReader,
}

/// Understands lines.
struct AgentLineReader {
    dialect: Box<dyn Dialect>,
    interpreter: StreamInterpreter,
    /// Whether an event was seen that the agent is known to have.
    understood: bool,
    /// Whoever it may be until then.
    fallback: PlainFallback,
}

impl StreamListener for AgentStreamReader {
    fn feed(&mut self, bytes: &[u8], tell: &mut dyn FnMut(StreamNotice<'_>)) {
        let mut rest = bytes;
        // Any line may be the first that is understood, and no byte of it is a stand-in's.
        while !self.line_reader.understood
            && let Some(newline) = memchr(b'\n', rest)
        {
            let (line, others) = rest.split_at(newline + 1);
            self.take(line, tell);
            rest = others;
        }
        self.take(rest, tell);
    }

    fn finish(self: Box<Self>, tell: &mut dyn FnMut(StreamNotice<'_>)) -> StreamResult {
        let Self { lines, line_reader: mut understanding } = *self;
        lines.finish(&mut |line| understanding.take(line, tell));
        if understanding.understood {
            return understanding.interpreter.finish(tell);
        }
        StreamResult { marker_match: understanding.fallback.finish(), ..StreamResult::default() }
    }
}

impl AgentStreamReader {
    fn take(&mut self, bytes: &[u8], tell: &mut dyn FnMut(StreamNotice<'_>)) {
        self.lines.feed(bytes, &mut |line| self.line_reader.take(line, tell));
        if !self.line_reader.understood {
            self.line_reader.fallback.feed(bytes, tell);
        }
    }
}

impl AgentLineReader {
    fn take(&mut self, line: StreamLine<'_>, tell: &mut dyn FnMut(StreamNotice<'_>)) {
        let StreamLineContent::Whole(bytes) = line.content else {
            if let StreamLineContent::Skipped { bytes } = line.content {
                tell(StreamNotice::AgentEvent(AgentEventKind::Skipped { bytes }.into()));
            }
            return;
        };
        // Nothing else can be an object, and all of it would be copied if it is no text.
        let is_object = bytes.trim_ascii_start().first() == Some(&b'{');
        let kind = if is_object {
            self.understand(bytes, line.offset, tell)
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
                tell(StreamNotice::AgentEvent(AgentEventKind::Plain(bytes).into()));
            }
        }
    }

    fn understand(
        &mut self,
        bytes: &[u8],
        offset: u64,
        tell: &mut dyn FnMut(StreamNotice<'_>),
    ) -> DialectLineKind {
        let text = String::from_utf8_lossy(bytes);
        let text = repaired(&text);
        let Self { dialect, interpreter, fallback: stand_in, .. } = self;
        let mut hear = |signal: DialectEvent<'_>| {
            // Whatever an event says holds, so what was said before is taken back before that.
            if !signal.is_unknown() {
                stand_in.discard(tell);
            }
            interpreter.handle(signal, offset, tell);
        };
        let mut kind = dialect.parse_line(&text, &mut hear);
        if kind == DialectLineKind::Plain
            && let Some(quoted) = quoted_non_finite(&text)
        {
            kind = dialect.parse_line(&quoted, &mut hear);
        }
        if kind == DialectLineKind::Event {
            stand_in.discard(tell);
        }
        kind
    }
}
