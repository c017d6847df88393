//! Encodes events as lines.

use forkhestra_core::event::{Event, EventKind};

use super::line::WrittenLine;
use super::version::Version;

/// Encodes an event as a line, without the line break.
///
/// The caller counts the sequence number, from zero.
pub fn encode(event: &Event, seq: u64) -> String {
    let mut line = Vec::new();
    encode_into(&mut line, event, seq);
    String::from_utf8(line).expect("JSON is UTF-8")
}

/// Appends an encoded line to a buffer, without the line break.
pub(crate) fn encode_into(buffer: &mut Vec<u8>, event: &Event, seq: u64) {
    let Event { at, elapsed, lane, kind, .. } = event;
    let has_version = matches!(kind, EventKind::RunStarted { .. } | EventKind::RunResumed { .. });
    let line = WrittenLine {
        seq,
        at: *at,
        elapsed_ms: elapsed.as_millis().try_into().unwrap_or(u64::MAX),
        event: kind.name(),
        lane: *lane,
        format: has_version.then_some(Version::CURRENT),
        kind,
    };
    serde_json::to_writer(buffer, &line).expect("names are strings, and memory takes everything");
}
