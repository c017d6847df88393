//! Test support: runs a listener on a stream.

use forkhestra_core::config::Backend;
use forkhestra_core::event::ProcessEnd;
use forkhestra_core::time::Timestamp;
use forkhestra_engine::agent::{
    ListenerConfig, ResetContext, StreamNotice, StreamResult, listener,
};

use crate::render;

/// The result of a stream.
#[derive(Debug, PartialEq)]
pub(crate) struct ListenerResult {
    /// The notices, one line each.
    pub(crate) notices: Vec<String>,
    pub(crate) findings: StreamResult,
}

/// Runs a listener on a stream that arrives in pieces of these lengths, in turn.
pub(crate) fn listen(
    backend: Backend,
    rules: ListenerConfig,
    stream: &[u8],
    lengths: &[usize],
) -> ListenerResult {
    let mut listener = listener(backend, rules).expect("the markers are right");
    let mut notices = Vec::new();
    let mut sink = |notice: StreamNotice<'_>| notices.push(render::notice(&notice));
    let mut rest = stream;
    for length in lengths.iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let (piece, others) = rest.split_at((*length).min(rest.len()));
        listener.feed(piece, &mut sink);
        rest = others;
    }
    let findings = listener.finish(&mut sink);
    ListenerResult { notices, findings }
}

/// Runs a listener with the configuration of a loop and the default markers.
pub(crate) fn listen_in_a_loop(backend: Backend, stream: &[u8]) -> ListenerResult {
    listen(backend, in_a_loop(), stream, &[usize::MAX])
}

/// The configuration of a loop with the default markers.
pub(crate) fn in_a_loop() -> ListenerConfig {
    ListenerConfig {
        looks_for_markers: true,
        model: Some("gpt-5.5".to_owned()),
        ..ListenerConfig::default()
    }
}

/// The back-end that a file is named after.
pub(crate) fn backend(name: &str) -> Backend {
    let is_it = |backend: &Backend| name.starts_with(backend.word());
    Backend::ALL.into_iter().find(is_it).expect("files are named after programs")
}

/// Parses `exit 0` or `signal 9`.
pub(crate) fn end(text: &str) -> ProcessEnd {
    let (how, number) = text.split_once(' ').expect("how and a number");
    let number = number.trim().parse().expect("a number");
    match how {
        "exit" => ProcessEnd::Exited(number),
        "signal" => ProcessEnd::Signaled(number),
        _ => panic!("no such end: {text}"),
    }
}

/// A fixed time in a zone one hour ahead of UTC.
pub(crate) fn reset_context() -> ResetContext {
    let now = Timestamp::parse("2026-11-15T03:00:00.000Z").expect("a moment");
    ResetContext { now, utc_offset: 3600 }
}
