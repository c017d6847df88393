//! Tests of programs in place of agents.

use forkhestra_core::config::Backend;
use forkhestra_engine::agent::{ListenerConfig, StreamNotice, listener};

use crate::listener_result::{ListenerResult, in_a_loop, listen};
use crate::render;

const MARKER: &str = "=> marker FORKHESTRA_COMPLETE in line 2, at 5";
const RESULT: &str = r#"{"type":"result","subtype":"success","is_error":false}"#;

fn told(stream: &str, length: usize) -> ListenerResult {
    listen(Backend::Claude, in_a_loop(), stream.as_bytes(), &[length])
}

#[test]
fn a_marker_of_a_stand_in_is_told_as_soon_as_its_line_is_complete() {
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
    assert_eq!(facts("more\nFORKHESTRA_COMPLETE\n"), [""; 0], "it is told once");
}

#[test]
fn a_marker_is_taken_back_before_anything_that_is_understood() {
    let stream = format!("work\nFORKHESTRA_COMPLETE\n{{}}\nmore\n{RESULT}\nmore\n{RESULT}\n");
    for length in [1, 30, 1000] {
        let listened = told(&stream, length);
        let facts: Vec<&String> =
            listened.told.iter().filter(|line| line.starts_with("=>")).collect();
        assert_eq!(facts, [MARKER, "=> went on", "=> concluded", "=> concluded"], "{length}");
        assert_eq!(listened.findings.marker_match, None);
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
            let listened = told(&format!("work\nFORKHESTRA_COMPLETE\n{event}{end}"), 7);
            let is_told = listened.told.iter().any(|line| line == "=> went on");
            assert_eq!((is_told, listened.findings.understood), (is_known, is_known), "{event}");
            assert_eq!(listened.findings.marker_match.is_none(), is_known, "{event}");
        }
    }
}

#[test]
fn whoever_was_understood_or_is_not_asked_tells_of_no_marker() {
    let late = told(&format!("{RESULT}\nFORKHESTRA_COMPLETE\n"), 5);
    let rules = ListenerConfig { looks_for_markers: false, ..in_a_loop() };
    let unasked = listen(Backend::Claude, rules, b"FORKHESTRA_COMPLETE\n", &[100]);
    for listened in [late, unasked] {
        assert!(!listened.told.iter().any(|line| line.starts_with("=> marker")), "{listened:?}");
        assert_eq!(listened.findings.marker_match, None);
    }
}
