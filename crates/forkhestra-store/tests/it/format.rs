//! Tests of encoding and decoding lines.

use forkhestra_core::event::{AuxJob, CompletionSignal, EventKind, Verdict};
use forkhestra_store::format::{DecodeError, Version, decode, encode};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::samples::{
    cancels, checks, event, flows, iteration_finished, lanes, samples, started, steering,
    step_ends, step_ends_since_2_0, unit, warning,
};
use crate::strategies;

fn json_of(kind: EventKind) -> Value {
    serde_json::from_str(&encode(&event(0, kind), 5)).expect("a line is JSON")
}

proptest! {
    #[test]
    fn every_event_reads_back_from_its_line(event in strategies::event(), seq in any::<u64>()) {
        let line = encode(&event, seq);
        prop_assert!(!line.contains('\n'), "{}", line);
        prop_assert_eq!(decode(&line).expect("our own line"), Some(event));
    }

    #[test]
    fn no_text_makes_reading_panic(line in any::<String>()) {
        let _ = decode(&line);
    }
}

#[test]
fn a_line_is_short_and_says_what_happened() {
    assert_eq!(
        encode(&event(1, warning("hm")), 12),
        r#"{"seq":12,"at":"2026-11-15T07:59:13.124Z","elapsedMs":1001,"event":"warning","message":"hm"}"#
    );
}

#[test]
fn the_first_lines_of_a_run_have_the_version() {
    assert_eq!(json_of(started())["format"], "4.0");
    assert_eq!(json_of(warning("")).get("format"), None);
}

#[test]
fn reasons_are_the_terms_of_summaries() {
    let ends = step_ends().into_iter().chain(step_ends_since_2_0()).chain(checks::step_ends());
    let ends =
        ends.chain(steering::step_ends()).chain(flows::step_ends()).chain(lanes::step_ends());
    for end in ends {
        let word = end.as_str();
        assert_eq!(json_of(EventKind::StepFinished { step: 1, end })["reason"], word);
    }
    for by in cancels().into_iter().chain(steering::cancels()) {
        assert_eq!(json_of(EventKind::Cancelled { by })["by"], by.as_str());
    }
}

#[test]
fn refusals_and_check_outcomes_are_the_terms_of_summaries() {
    for why in checks::REFUSALS {
        let line = json_of(checks::iteration_checked(1, Verdict::Refused(why), Vec::new()));
        assert_eq!(line["verdict"], json!({ "kind": "refused", "why": why.as_str() }));
    }
    for report in checks::check_reports() {
        let word = report.outcome.as_str();
        let line = json_of(EventKind::CheckFinished { unit: unit(1), report });
        assert_eq!(line["check"]["outcome"], word);
    }
    for aux_job in checks::aux_jobs() {
        let AuxJob::Hook { moment, .. } = aux_job else { continue };
        let line = json_of(EventKind::AuxJobStarted { aux_job, pid: 1 });
        assert_eq!(line["errand"]["on"], moment.point.name());
    }
}

/// Otherwise every line of a run without checks would be longer.
#[test]
fn an_unobserved_member_is_left_out() {
    let line = json_of(iteration_finished(1, Verdict::Incomplete));
    assert_eq!(line["sight"], json!({ "tree": "5f3a9c" }));
    assert_eq!(line.get("checks"), None);
}

#[test]
fn the_end_of_an_agent_says_what_the_end_of_its_iteration_says() {
    let verdict = Verdict::Complete(CompletionSignal::File);
    let mut agent = json_of(checks::agent_finished(1, verdict.clone()));
    let iteration = json_of(checks::iteration_checked(1, verdict, Vec::new()));
    agent["event"] = json!("iteration_finished");
    assert_eq!(agent, iteration);
}

#[test]
fn a_hook_that_is_over_is_a_hook() {
    let line = r#"{"seq":3,"at":"2026-11-15T07:59:12.123Z","elapsedMs":0,"event":"hook_finished","hook":{"kind":"check","unit":{"step":1,"iteration":1,"attempt":1},"number":1},"durationMs":1}"#;
    let error = decode(line).expect_err("a check is none");
    assert!(matches!(error, DecodeError::NotAnEvent(_)), "{error:?}");
    assert_eq!(error.to_string(), "is not an event: `hook` is not a hook at column 173");
    assert!(!error.is_damage(), "it was written like this");
}

#[test]
fn members_that_are_not_known_are_passed_over() {
    for event in samples() {
        let mut line: Value = serde_json::from_str(&encode(&event, 0)).expect("JSON");
        line["new"] = json!({ "deep": [1, null] });
        assert_eq!(decode(&line.to_string()).expect("a line"), Some(event));
    }
}

#[test]
fn events_that_are_not_known_are_skipped() {
    let line =
        r#"{"seq":3,"at":"2026-11-15T07:59:12.123Z","elapsedMs":0,"event":"moon_rose","x":1}"#;
    assert_eq!(decode(line).expect("it is a line"), None);
}

#[test]
fn unknown_terms_are_errors() {
    let line = r#"{"seq":3,"at":"2026-11-15T07:59:12.123Z","elapsedMs":0,"event":"cancelled","by":"moon"}"#;
    let error = decode(line).expect_err("the word is unknown");
    assert!(matches!(error, DecodeError::NotAnEvent(_)), "{error:?}");
    assert!(error.to_string().contains("unknown variant `moon`"), "{error}");
}

#[test]
fn a_newer_major_version_is_refused_and_a_newer_minor_one_is_not() {
    let line = encode(&event(0, started()), 0);
    let with = |version: &str| decode(&line.replace(r#""4.0""#, &format!("\"{version}\"")));
    assert!(matches!(with("4.99"), Ok(Some(_))));
    let error = with("5.0").expect_err("it is newer");
    assert!(
        matches!(error, DecodeError::NewerFormat { found: Version { major: 5, minor: 0 } }),
        "{error:?}"
    );
    assert_eq!(error.to_string(), "is written in format 5.0, but this program reads it up to 4.x");
}
