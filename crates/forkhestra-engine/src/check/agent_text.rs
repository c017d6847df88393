//! Extracts an agent's text from its output.

use std::io::{self, ErrorKind, Read};

use forkhestra_core::config::Backend;
use forkhestra_core::plan::AgentKind;

use crate::agent::stream::agent_event::{AgentEvent, AgentEventKind, TextPurpose};
use crate::agent::{ListenerConfig, StreamNotice, listener};

/// The size of one read.
const CHUNK: usize = 64 * 1024;

/// Receives an agent's text in pieces that may end anywhere.
pub(super) trait AgentTextSink {
    /// Receives the next piece.
    fn write_text(&mut self, bytes: &[u8]);

    /// The next piece is the first one after a tool was used.
    fn begin_message(&mut self) {}
}

/// The back-end whose stream an agent prints, or `None` for any other program.
pub(super) const fn backend(kind: &AgentKind) -> Option<Backend> {
    match kind {
        AgentKind::Direct(direct) => Some(direct.backend),
        AgentKind::Program(_) | AgentKind::Question(_) => None,
    }
}

/// Passes an agent's text to a sink. In a stream that is understood this is only the agent's
/// messages. A program in place of an agent may print anything; then it is the whole output.
pub(super) fn extract_text<H: AgentTextSink>(
    mut printed: impl Read,
    backend: Option<Backend>,
    new: impl Fn() -> H,
) -> io::Result<H> {
    let mut all = new();
    let mut understood = backend.map(|backend| {
        let reader =
            listener(backend, ListenerConfig::default()).expect("the usual markers are markers");
        (reader, AgentTextExtractor::new(new()))
    });
    let mut chunk = vec![0; CHUNK];
    loop {
        let bytes = match printed.read(&mut chunk) {
            Ok(0) => break,
            Ok(length) => &chunk[..length],
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if let Some((reader, extractor)) = &mut understood {
            reader.feed(bytes, &mut |notice| extractor.notice(&notice));
        }
        if understood.as_ref().is_none_or(|(_, extractor)| !extractor.has_begun) {
            all.write_text(bytes);
        }
    }
    if let Some((reader, mut extractor)) = understood {
        let findings = reader.finish(&mut |notice| extractor.notice(&notice));
        if findings.understood {
            return Ok(extractor.sink);
        }
    }
    Ok(all)
}

/// Extracts an agent's messages, each on lines of its own.
struct AgentTextExtractor<H> {
    sink: H,
    is_within_line: bool,
    /// Whether a tool was used since the last text.
    used_tool: bool,
    /// Whether an event was understood for certain.
    has_begun: bool,
}

impl<H: AgentTextSink> AgentTextExtractor<H> {
    const fn new(sink: H) -> Self {
        Self { sink, is_within_line: false, used_tool: false, has_begun: false }
    }

    fn notice(&mut self, notice: &StreamNotice<'_>) {
        if let StreamNotice::AgentEvent(event) = notice {
            self.event(event);
        }
    }

    fn event(&mut self, event: &AgentEvent<'_>) {
        match &event.kind {
            AgentEventKind::Plain(_)
            | AgentEventKind::Unknown(_)
            | AgentEventKind::Skipped { .. } => return,
            _ => self.has_begun = true,
        }
        match &event.kind {
            _ if event.nested => {}
            AgentEventKind::Text { text, purpose: TextPurpose::Both | TextPurpose::Record } => {
                if let Some(last) = text.as_bytes().last() {
                    if std::mem::take(&mut self.used_tool) {
                        self.sink.begin_message();
                    }
                    self.sink.write_text(text.as_bytes());
                    self.is_within_line = *last != b'\n';
                }
            }
            // Partial text is repeated in the complete message, and may come in between.
            AgentEventKind::Text { .. } | AgentEventKind::Thinking(_) => {}
            AgentEventKind::ToolCall(_) | AgentEventKind::ToolResult(_) => {
                self.used_tool = true;
                self.end_line();
            }
            AgentEventKind::Turn | AgentEventKind::TextEnd | AgentEventKind::Result(_) => {
                self.end_line();
            }
            _ => {}
        }
    }

    fn end_line(&mut self) {
        if std::mem::take(&mut self.is_within_line) {
            self.sink.write_text(b"\n");
        }
    }
}
