//! Tests of the JSON Schema of a line.

use forkhestra_core::event::{Event, EventKind, LimitChanges, OperatorMessage};
use forkhestra_core::limit::Limit;
use forkhestra_store::format::{self, encode};
use jsonschema::Validator;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::samples::{event, flows, lanes, samples, unit, warning};
use crate::strategies;

fn validator() -> Validator {
    jsonschema::validator_for(&format::schema()).expect("the schema is a JSON Schema")
}

fn parsed(line: &str) -> Value {
    serde_json::from_str(line).expect("a line is JSON")
}

fn sample_lines() -> Vec<Value> {
    let steering = [
        EventKind::StopRequested,
        EventKind::SkipRequested { group: None, step: 1 },
        EventKind::MessageQueued {
            message: OperatorMessage { number: 1, text: "go\non".to_owned(), lane: None },
        },
        EventKind::MessagesGiven { unit: unit(1), messages: vec![1] },
        EventKind::LimitsChanged {
            changes: LimitChanges { run_time: Some(Limit::Off), ..LimitChanges::default() },
        },
    ];
    let steering = steering.into_iter().map(|kind| event(0, kind));
    let steering: Vec<Event> = steering.collect();
    let all = samples().into_iter().chain(steering).chain(flows::samples()).chain(lanes::samples());
    all.map(|event| parsed(&encode(&event, 7))).collect()
}

#[test]
fn it_is_a_valid_json_schema() {
    let schema = format::schema();
    assert!(jsonschema::meta::is_valid(&schema));
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
}

/// The types of events define the format, so a change of a type shows here.
#[test]
fn it_is_the_documented_one() {
    let documented = include_str!("../../../../docs/schemas/event.schema.json");
    let found = serde_json::to_string_pretty(&format::schema()).expect("it is JSON") + "\n";
    assert_eq!(found, documented);
}

#[test]
fn a_journal_of_every_version_is_valid() {
    let validator = validator();
    for journal in [
        include_str!("../fixtures/journal-1.0.jsonl"),
        include_str!("../fixtures/journal-1.1.jsonl"),
        include_str!("../fixtures/journal-2.0.jsonl"),
        include_str!("../fixtures/journal-2.1.jsonl"),
        include_str!("../fixtures/journal-2.2.jsonl"),
        include_str!("../fixtures/journal-2.3-fork.jsonl"),
        include_str!("../fixtures/journal-2.3-quota.jsonl"),
        include_str!("../fixtures/journal-3.0-flow.jsonl"),
        include_str!("../fixtures/journal-4.0-lanes.jsonl"),
    ] {
        for line in journal.lines() {
            if let Err(error) = validator.validate(&parsed(line)) {
                panic!("{line}\nat {}: {error}", error.instance_path());
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn every_event_is_valid(events in prop::collection::vec(strategies::event(), 8)) {
        thread_local!(static VALIDATOR: Validator = validator());
        for event in events {
            let line = parsed(&encode(&event, 3));
            prop_assert!(VALIDATOR.with(|validator| validator.is_valid(&line)), "{}", line);
        }
    }
}

#[test]
fn a_member_that_is_something_else_is_not_valid() {
    let validator = validator();
    for line in sample_lines() {
        assert!(validator.is_valid(&line), "{line}");
        for member in line.as_object().expect("a line is an object").keys() {
            let mut wrong = line.clone();
            wrong[member] = if line[member].is_boolean() { json!("true") } else { json!(true) };
            assert!(!validator.is_valid(&wrong), "{wrong}");
        }
    }
}

#[test]
fn left_out_members_are_never_null() {
    let mut line = parsed(&encode(&event(0, warning("hm")), 1));
    line["event"] = json!("hook_finished");
    line["hook"] = json!({ "kind": "hook", "on": "on-limit", "number": 1 });
    line["durationMs"] = json!(3);
    assert!(validator().is_valid(&line), "{line}");
    line["failure"] = json!(null);
    assert!(!validator().is_valid(&line), "{line}");
}

#[test]
fn a_limit_that_is_off_is_null() {
    let changes = LimitChanges { run_time: Some(Limit::Off), ..LimitChanges::default() };
    let line = parsed(&encode(&event(0, EventKind::LimitsChanged { changes }), 1));
    assert_eq!(line["changes"]["runTime"], Value::Null);
    assert!(validator().is_valid(&line), "{line}");
}

#[test]
fn events_and_members_of_a_newer_version_are_valid() {
    let validator = validator();
    for mut line in sample_lines() {
        line["invented"] = json!({ "later": [1] });
        assert!(validator.is_valid(&line), "{line}");
        line["event"] = json!("invented_later");
        assert!(validator.is_valid(&line), "{line}");
        line["seq"] = json!("7");
        assert!(!validator.is_valid(&line), "{line}");
    }
}

#[test]
fn required_members_must_be_present() {
    let validator = validator();
    for line in sample_lines() {
        for member in ["seq", "at", "elapsedMs", "event", "unit", "step", "end", "run", "format"] {
            let mut short = line.clone();
            let members = short.as_object_mut().expect("a line is an object");
            // The end of a process is not always known.
            let is_optional = member == "end" && line.get("verdict").is_some();
            if members.remove(member).is_some() && !is_optional {
                assert!(!validator.is_valid(&short), "{short}");
            }
        }
    }
}
