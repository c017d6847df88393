//! Tests of programs in place of agents.

use forkhestra_core::config::Backend;
use forkhestra_engine::agent::{ListenerConfig, StreamNotice, listener};

use crate::listener_result::{ListenerResult, in_a_loop, listen};
use crate::render;

const MARKER: &str = "=> marker FORKHESTRA_COMPLETE in line 2, at 5";
const RESULT: &str = r#"{"type":"result","subtype":"success","is_error":false}"#;

fn listen_in_chunks(stream: &str, length: usize) -> ListenerResult {
    listen(Backend::Claude, in_a_loop(), stream.as_bytes(), &[length])
}

#[test]
fn a_marker_in_plain_text_is_reported_when_its_line_is_complete() {
    let mut listener = listener(Backend::Codex, in_a_loop()).expect("the markers are right");
    let mut facts = |text: &str| {
        let mut facts = Vec::new();
        listener.feed(text.as_bytes(), &mut |notice| {
            if matches!(notice, StreamNotice::Fact(_)) {
                facts.push(render::notice(&notice));
            }
        });
        facts
    };
    assert_eq!(facts("work\nFORKHESTRA_COMP"), [""; 0]);
    assert_eq!(facts("LETE\nand "), [MARKER]);
    assert_eq!(facts("more\nFORKHESTRA_COMPLETE\n"), [""; 0], "it is reported once");
}

#[test]
fn a_marker_is_taken_back_before_anything_that_is_understood() {
    let stream = format!("work\nFORKHESTRA_COMPLETE\n{{}}\nmore\n{RESULT}\nmore\n{RESULT}\n");
    for length in [1, 30, 1000] {
        let result = listen_in_chunks(&stream, length);
        let facts: Vec<&String> =
            result.notices.iter().filter(|line| line.starts_with("=>")).collect();
        assert_eq!(facts, [MARKER, "=> went on", "=> concluded", "=> concluded"], "{length}");
        assert_eq!(result.findings.marker_match, None);
    }
}

/// Some known events have no meaning, others are unknown.
#[test]
fn an_event_that_means_nothing_takes_it_back_and_an_unknown_one_does_not() {
    for (event, is_known) in [
        (r#"{"type":"system","subtype":"status"}"#, true),
        (r#"{"type":"a_new_thing"}"#, false),
        ("{}", false),
    ] {
        for end in ["\n", ""] {
            let result = listen_in_chunks(&format!("work\nFORKHESTRA_COMPLETE\n{event}{end}"), 7);
            let went_on = result.notices.iter().any(|line| line == "=> went on");
            assert_eq!((went_on, result.findings.understood), (is_known, is_known), "{event}");
            assert_eq!(result.findings.marker_match.is_none(), is_known, "{event}");
        }
    }
}

#[test]
fn no_marker_in_plain_text_is_reported_for_an_understood_stream() {
    let late = listen_in_chunks(&format!("{RESULT}\nFORKHESTRA_COMPLETE\n"), 5);
    let rules = ListenerConfig { looks_for_markers: false, ..in_a_loop() };
    let unasked = listen(Backend::Claude, rules, b"FORKHESTRA_COMPLETE\n", &[100]);
    for result in [late, unasked] {
        assert!(!result.notices.iter().any(|line| line.starts_with("=> marker")), "{result:?}");
        assert_eq!(result.findings.marker_match, None);
    }
}
