//! Checks the parsers of agent streams.

#[path = "../../../forkhestra-engine/tests/streams/render.rs"]
mod render;

use forkhestra_core::config::Backend;
use forkhestra_core::event::{OutcomeClass, ProcessEnd};
use forkhestra_core::time::Timestamp;
use forkhestra_engine::agent::{
    ListenerConfig, ResetContext, StreamNotice, StreamResult, conclude, listener,
};

/// The result does not depend on how a stream is cut. A prefix has no marker that the whole stream
/// has not. Every message becomes one short line. The first byte chooses the agent, the next two
/// the lengths of the pieces and the end of the prefix.
pub fn agent_stream(data: &[u8]) {
    let [choice, first, second, stream @ ..] = data else {
        return;
    };
    let backend = Backend::ALL[usize::from(*choice) % Backend::ALL.len()];
    let (notices, findings) = notices_and_result(backend, stream, [stream.len().max(1); 2]);
    check(backend, &findings);
    let lengths = [first, second].map(|length| 1 + usize::from(*length));
    assert_eq!(notices_and_result(backend, stream, lengths), (notices.clone(), findings));

    let end = usize::from(u16::from_be_bytes([*first, *second])) % (stream.len() + 1);
    // The prefix of a line may be an event although the line is not.
    let lines = stream[..end].rsplitn(2, |byte| *byte == b'\n').nth(1).unwrap_or_default();
    let (_, part) = notices_and_result(backend, lines, [stream.len().max(1); 2]);
    check(backend, &part);
    // Plain text may end anywhere.
    if part.marker_match.as_ref().is_some_and(|found| found.message.is_some()) {
        let place = render::findings(&part);
        let (place, _) = place.split_once(", outcome").expect("findings say that");
        assert!(notices.contains(&format!("=> concluded, {place}")), "{place}: {notices:#?}");
    }
}

fn check(backend: Backend, findings: &StreamResult) {
    if let Some(found) = &findings.marker_match {
        assert_eq!(found.message.is_some(), findings.understood);
        let class = findings.outcome.as_ref().map(|outcome| outcome.class);
        assert!(!findings.understood || class == Some(OutcomeClass::Finished));
    }
    let context =
        ResetContext { now: Timestamp::from_milliseconds(1_794_712_436_847), utc_offset: 3600 };
    for end in [ProcessEnd::Exited(0), ProcessEnd::Exited(1), ProcessEnd::Signaled(9)] {
        let stream_summary = conclude(backend, findings, &end, "it failed\n", context);
        let line = render::summary_line(stream_summary.as_ref());
        assert!(line.chars().count() < 450 && !line.contains(char::is_control), "{line}");
    }
}

/// The notices and the result for pieces of these alternating lengths.
fn notices_and_result(
    backend: Backend,
    stream: &[u8],
    lengths: [usize; 2],
) -> (Vec<String>, StreamResult) {
    let rules = ListenerConfig {
        looks_for_markers: true,
        max_turns: Some(20),
        ..ListenerConfig::default()
    };
    let mut listener = listener(backend, rules).expect("the markers are right");
    let mut notices = Vec::new();
    let mut sink = |notice: StreamNotice<'_>| notices.push(render::notice(&notice));
    let mut rest = stream;
    for length in lengths.into_iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let (piece, others) = rest.split_at(length.min(rest.len()));
        listener.feed(piece, &mut sink);
        rest = others;
    }
    let findings = listener.finish(&mut sink);
    (notices, findings)
}
