//! Checks the readers of agents' standard error.

use std::sync::Arc;

use forkhestra_core::config::Backend;
use forkhestra_core::event::ProcessEnd;
use forkhestra_core::time::Timestamp;
use forkhestra_engine::agent::{
    ListenerConfig, ProgressGauge, ResetContext, StderrOutput, conclude, listener, stderr_watcher,
};

use crate::pieces::pieces;

/// What is shown, and what counts, does not depend on how the text is cut. Every message that
/// explains an end is one short line. The first byte chooses the agent, the next two the lengths of
/// the pieces.
pub fn agent_stderr(data: &[u8]) {
    let [choice, first, second, text @ ..] = data else {
        return;
    };
    let backend = Backend::ALL[usize::from(*choice) % Backend::ALL.len()];
    let whole = watched(backend, text, [text.len().max(1); 2]);
    let lengths = [first, second].map(|length| 1 + usize::from(*length));
    assert_eq!(watched(backend, text, lengths), whole);
    explain(backend, text);
}

/// The bytes that are shown, and the numbers of notices and retries.
fn watched(backend: Backend, text: &[u8], lengths: [usize; 2]) -> (Vec<u8>, usize, u32) {
    let Some(mut watcher) = stderr_watcher(backend, Arc::new(ProgressGauge::default())) else {
        return (text.to_vec(), 0, 0);
    };
    let (mut shown, mut notices) = (Vec::new(), 0);
    let mut sink = |output: StderrOutput<'_>| match output {
        StderrOutput::Bytes(bytes) => shown.extend_from_slice(bytes),
        StderrOutput::Notice(_) => notices += 1,
    };
    pieces(text, lengths).into_iter().for_each(|piece| watcher.feed(piece, &mut sink));
    let retries = watcher.finish(&mut sink).retries;
    (shown, notices, retries)
}

fn explain(backend: Backend, text: &[u8]) {
    let listener = listener(backend, ListenerConfig::default()).expect("the markers are right");
    let findings = listener.finish(&mut |_| {});
    let now = Timestamp::from_milliseconds(1_794_712_436_847);
    let context = ResetContext { now, utc_offset: 3600 };
    let last_words = String::from_utf8_lossy(text);
    let summary = conclude(backend, &findings, &ProcessEnd::Exited(1), &last_words, context);
    let message = summary.and_then(|summary| summary.outcome.message).unwrap_or_default();
    assert!(message.chars().count() < 450 && !message.contains(char::is_control), "{message}");
}
