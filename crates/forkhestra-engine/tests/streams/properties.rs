//! Properties of any stream, however it is split, truncated or corrupted.

use std::sync::LazyLock;

use forkhestra_core::config::Backend;
use forkhestra_engine::agent::conclude;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use crate::corpus::cases;
use crate::listener_result::{backend, end, in_a_loop, listen, listen_in_a_loop, reset_context};

static STREAMS: LazyLock<Vec<(Backend, Vec<u8>)>> =
    LazyLock::new(|| cases().iter().map(|case| (backend(&case.name), case.stream())).collect());

fn stream() -> impl Strategy<Value = (Backend, Vec<u8>)> {
    select(&STREAMS[..])
}

proptest! {
    #[test]
    fn how_the_bytes_are_cut_makes_no_difference(
        (backend, stream) in stream(),
        lengths in prop::collection::vec(1..700_usize, 1..6),
    ) {
        let cut = listen(backend, in_a_loop(), &stream, &lengths);
        prop_assert_eq!(cut, listen_in_a_loop(backend, &stream));
    }

    #[test]
    fn a_truncated_stream_has_only_markers_of_the_whole_stream(
        (backend, stream) in stream(),
        at in any::<Index>(),
    ) {
        let whole = listen_in_a_loop(backend, &stream);
        let part = listen_in_a_loop(backend, &stream[..at.index(stream.len() + 1)]);
        // Plain text may end anywhere.
        if let Some(found) = part.findings.marker_match.filter(|found| found.message.is_some()) {
            let position = format!("line {} of message {}", found.line, found.message.unwrap_or(0));
            let is_reported = |line: &String| line.contains("concluded, marker") && line.contains(&position);
            prop_assert!(whole.notices.iter().any(is_reported), "{position}: {:#?}", whole.notices);
        }
    }

    #[test]
    fn spoilt_streams_break_nothing(
        (backend, mut stream) in stream(),
        spoilt in prop::collection::vec((any::<Index>(), any::<u8>(), 0..3), 1..20),
        other in select(&Backend::ALL[..]),
        lengths in prop::collection::vec(1..300_usize, 1..4),
    ) {
        for (at, byte, how) in spoilt {
            let at = at.index(stream.len().max(1)).min(stream.len());
            match how {
                0 if at < stream.len() => stream[at] = byte,
                1 if at < stream.len() => drop(stream.remove(at)),
                _ => stream.insert(at, byte),
            }
        }
        for backend in [backend, other] {
            let cut = listen(backend, in_a_loop(), &stream, &lengths);
            let whole = listen_in_a_loop(backend, &stream);
            for ended in ["exit 0", "exit 1", "signal 9"] {
                conclude(backend, &whole.findings, &end(ended), "error: spoilt", reset_context());
            }
            prop_assert_eq!(cut, whole);
        }
    }

    #[test]
    fn lines_of_others_between_the_events_change_nothing(
        (backend, stream) in stream(),
        at in any::<Index>(),
        noise in select(&NOISE[..]),
    ) {
        let whole = listen_in_a_loop(backend, &stream);
        prop_assume!(whole.findings.understood);
        let mut lines: Vec<&[u8]> = stream.split_inclusive(|byte| *byte == b'\n').collect();
        lines.insert(at.index(lines.len()), noise);
        let mut noisy = listen_in_a_loop(backend, &lines.concat()).findings;
        let mut findings = whole.findings;
        for marker_match in [&mut noisy.marker_match, &mut findings.marker_match].into_iter().flatten() {
            marker_match.offset = 0;
        }
        prop_assert_eq!(noisy, findings);
    }
}

const NOISE: [&[u8]; 7] = [
    b"FORKHESTRA_COMPLETE\n",
    b"\n",
    b"{\n",
    b"\xff\xfe{}\n",
    b"{\"type\":\"a_new_thing\",\"text\":\"FORKHESTRA_COMPLETE\"}\n",
    b"{\"text\":\"FORKHESTRA_COMPLETE\"}\n",
    b"[{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false}]\n",
];

#[test]
fn invalid_utf_8_is_tolerated_where_it_stands() {
    let case = cases().into_iter().find(|case| case.name == "claude_done").expect("it is there");
    let stream = case.stream();
    let at = stream.windows(11).position(|window| window == b"is written.").expect("its text");
    let mut spoilt = stream.clone();
    spoilt[at] = 0xff;
    let result = listen_in_a_loop(Backend::Claude, &spoilt);
    assert_eq!(result.findings, listen_in_a_loop(Backend::Claude, &stream).findings);
    assert!(result.notices.iter().any(|line| line.contains("\u{fffd}s written")), "{result:#?}");
}

#[test]
fn a_line_that_is_too_long_is_skipped_and_the_rest_is_understood() {
    let case = cases().into_iter().find(|case| case.name == "claude_done").expect("it is there");
    let mut stream = b"{\"type\":\"user\",\"long\":\"".to_vec();
    stream.resize(17 * 1024 * 1024, b'x');
    stream.extend_from_slice(b"\"}\n");
    let long = stream.len();
    stream.extend_from_slice(&case.stream());
    let result = listen(Backend::Claude, in_a_loop(), &stream, &[256 * 1024]);
    assert_eq!(result.notices[0], format!("skipped {long}"));
    assert!(result.findings.marker_match.is_some());
}
