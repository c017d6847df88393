//! Finds the last message of an agent in its log.

use std::io;

use forkhestra_core::event::output_stream::OutputStream;
use forkhestra_core::id::UnitId;
use forkhestra_core::plan::DirectSpawn;
use forkhestra_engine::agent::StreamNotice;
use forkhestra_engine::agent::stream::agent_event::{AgentEvent, AgentEventKind, TextPurpose};
use forkhestra_store::RunDir;

use crate::logs::StreamLog;
use crate::report::agent;

/// Bytes read from the end of a log.
const MAX_READ_BYTES: usize = 2 * 1024 * 1024;
/// Number of lines shown for a program without a supported stream format.
const MAX_LINES: usize = 20;

/// The last message of an agent, or the last lines of any other program. `None` if there is no
/// output.
pub(super) fn last_message(
    run: &RunDir,
    unit: UnitId,
    agent: Option<&DirectSpawn>,
) -> Result<Option<String>, String> {
    let kept = StreamLog::of(run, unit, OutputStream::Stdout);
    let read_error = kept.complaint();
    let end = last_lines(&kept).map_err(read_error)?;
    let message = match agent {
        Some(direct) => last_message_text(direct, &end),
        None => last_of(&end),
    };
    Ok(Some(message).filter(|message| !message.trim().is_empty()))
}

/// The end of a log, starting at a line.
fn last_lines(kept: &StreamLog) -> io::Result<Vec<u8>> {
    let end = kept.log.read_tail(MAX_READ_BYTES)?;
    if end.len() < MAX_READ_BYTES {
        return Ok(end);
    }
    let start = end.iter().position(|byte| *byte == b'\n').map_or(0, |place| place + 1);
    Ok(end[start..].to_vec())
}

fn last_of(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(MAX_LINES)..].join("\n")
}

/// Collects the text of the last message.
#[derive(Default)]
struct LastAgentMessage {
    text: String,
    /// Whether the next piece starts a new message.
    is_over: bool,
}

impl LastAgentMessage {
    fn handle_event(&mut self, event: &AgentEvent<'_>) {
        if event.nested {
            return;
        }
        match &event.kind {
            AgentEventKind::Turn | AgentEventKind::ToolCall(_) => self.is_over = true,
            // Text for the screen only is repeated later as a whole.
            AgentEventKind::Text { text, purpose: TextPurpose::Both | TextPurpose::Record } => {
                if std::mem::take(&mut self.is_over) {
                    self.text.clear();
                }
                self.text.push_str(text);
            }
            _ => {}
        }
    }
}

fn last_message_text(direct: &DirectSpawn, bytes: &[u8]) -> String {
    let mut message = LastAgentMessage::default();
    let mut on_notice = |notice: StreamNotice<'_>| {
        if let StreamNotice::AgentEvent(event) = notice {
            message.handle_event(&event);
        }
    };
    let mut listener = agent::events(direct.backend);
    listener.feed(bytes, &mut on_notice);
    listener.finish(&mut on_notice);
    message.text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &'static str, purpose: TextPurpose) -> AgentEvent<'static> {
        AgentEvent { nested: false, kind: AgentEventKind::Text { text: text.into(), purpose } }
    }

    #[test]
    fn only_the_last_message_is_kept_and_nothing_twice() {
        let turn = || AgentEvent { nested: false, kind: AgentEventKind::Turn };
        let nested = AgentEvent { nested: true, ..text("a subagent", TextPurpose::Both) };
        let mut message = LastAgentMessage::default();
        for event in [
            turn(),
            text("first", TextPurpose::Both),
            turn(),
            text("sec", TextPurpose::Screen),
            text("ond", TextPurpose::Screen),
            text("second", TextPurpose::Record),
            nested,
            turn(),
        ] {
            message.handle_event(&event);
        }
        assert_eq!(message.text, "second");
    }

    #[test]
    fn a_program_is_shown_by_its_last_lines() {
        let printed: String = (1..=30).map(|number| format!("line {number}\n")).collect();
        let shown = last_of(printed.as_bytes());
        assert!(shown.starts_with("line 11\n") && shown.ends_with("line 30"), "{shown}");
        assert_eq!(last_of(b""), "");
    }
}
