//! Tests of checks, snapshots and repository changes in views and in their schemas.

use forkhestra_core::event::{
    CancelCause, ClaimRefusal, CompletionSignal, Event, EventKind, Observation, RunEnd, StepEnd,
    Verdict,
};
use forkhestra_core::history::{Liveness, RunHistory};
use forkhestra_store::view::{self, ChainView, IterationView, RunView, ViewFacts};
use serde::Serialize;
use serde_json::{Value, json};

use crate::samples::checks::{
    REFUSALS, agent_finished, check_reports, iteration_checked, passed, work,
};
use crate::samples::{event, iteration_finished, iteration_started, lanes, started, unit};

/// A loop whose claim is refused once, and then accepted.
fn events() -> Vec<Event> {
    let complete = || Verdict::Complete(CompletionSignal::File);
    let refused = Verdict::Refused(ClaimRefusal::ChecksFailed);
    let end = RunEnd::Interrupted(CancelCause::Terminate);
    let kinds = [
        started(),
        EventKind::StepStarted { instead_of: None, step: 1, observation: Observation::default() },
        iteration_started(1),
        EventKind::AgentStarted { unit: unit(1), pid: 4711, prompt: None },
        agent_finished(1, complete()),
        iteration_checked(1, refused, check_reports()),
        iteration_started(2),
        agent_finished(2, complete()),
        iteration_checked(2, complete(), vec![passed()]),
        EventKind::Surveyed { step: 1, work: work() },
        EventKind::StepFinished { step: 1, end: StepEnd::Complete(CompletionSignal::File) },
        EventKind::RunFinished { end },
    ];
    kinds.into_iter().enumerate().map(|(number, kind)| event(number, kind)).collect()
}

fn facts() -> ViewFacts {
    ViewFacts { journal: "/state/journal.jsonl".into(), resume: None }
}

fn chain(events: &[Event]) -> Value {
    let history = RunHistory::of(events).expect("the events fit");
    json_of(&ChainView::of(&history, Liveness::Alive, &facts()))
}

fn step(events: &[Event]) -> RunView {
    let history = RunHistory::of(events).expect("the events fit");
    RunView::of(&history, 1, Liveness::Alive, &facts()).expect("it has begun")
}

fn json_of(view: &impl Serialize) -> Value {
    serde_json::to_value(view).expect("a view is JSON")
}

/// Asserts that a value matches a schema without any unknown member.
#[track_caller]
fn assert_valid(mut schema: Value, value: &Value) {
    fn close(value: &mut Value) {
        if let Value::Object(members) = value {
            if members.contains_key("properties") {
                members.insert("additionalProperties".to_owned(), Value::Bool(false));
            }
            members.values_mut().for_each(close);
        }
    }
    close(&mut schema);
    let validator = jsonschema::validator_for(&schema).expect("the schema is a JSON Schema");
    if let Err(error) = validator.validate(value) {
        panic!("{error} in {value:#}");
    }
}

#[test]
fn an_iteration_view_has_its_checks_and_snapshot() {
    let iterations = step(&events()).iterations;
    let [refused, complete] = &iterations[..] else { panic!("{iterations:?}") };
    let refused = json_of(refused);
    assert_eq!(
        (&refused["verdict"], &refused["reason"]),
        (&json!("refused"), &json!("checks_failed"))
    );
    assert_eq!(refused["signals"], json!([]));
    let failed = |outcome: &str| {
        let name = "command:cargo test";
        json!({ "name": name, "passed": false, "outcome": outcome, "message": "2 tests failed" })
    };
    assert_eq!(
        refused["checks"],
        json!([
            { "name": "tests", "passed": true, "outcome": "passed" },
            failed("failed"),
            failed("timed_out"),
            failed("not_run"),
        ])
    );
    let kept = json!({ "ref": "refs/forkhestra/70000000/3", "commit": "c".repeat(40) });
    assert_eq!(refused["snapshot"], kept);
    let complete = json_of(complete);
    assert_eq!((&complete["signals"], &complete["reason"]), (&json!(["file"]), &json!("file")));
}

#[test]
fn an_iteration_without_checks_says_nothing_of_any() {
    let kinds = [
        started(),
        EventKind::StepStarted { instead_of: None, step: 1, observation: Observation::default() },
        iteration_started(1),
        iteration_finished(1, Verdict::Incomplete),
    ];
    let events: Vec<Event> = kinds.into_iter().map(|kind| event(0, kind)).collect();
    let iteration = json_of(&step(&events).iterations[0]);
    assert_eq!((iteration.get("checks"), iteration.get("snapshot")), (None, None));
    assert_valid(view::iteration_schema(), &iteration);
    let again: IterationView = serde_json::from_value(iteration).expect("it reads back");
    assert_eq!(again, step(&events).iterations[0]);
}

#[test]
fn every_refusal_has_its_reason() {
    for why in REFUSALS {
        let mut events = events();
        events[5].kind = iteration_checked(1, Verdict::Refused(why), Vec::new());
        assert_eq!(step(&events).iterations[0].reason.as_deref(), Some(why.as_str()));
    }
}

#[test]
fn a_step_view_has_its_work_once_known() {
    let events = events();
    let made = json!({ "commits": 5, "files": 4, "insertions": 120, "deletions": 8 });
    assert_eq!(chain(&events[..9])["steps"][0].get("work"), None);
    assert_eq!(chain(&events[..10])["steps"][0]["work"], made);
    assert_eq!(chain(&events)["steps"][1].get("work"), None);
}

/// Its process is gone, and the id may have been reused.
#[test]
fn an_agent_whose_work_is_checked_is_at_work_without_a_process() {
    let events = events();
    let running = |so_many: usize| {
        let running = chain(&events[..so_many])["running"].clone();
        (running["iteration"].clone(), running["pid"].clone(), running["checking"].clone())
    };
    assert_eq!(running(4), (json!(1), json!(4711), Value::Null));
    assert_eq!(running(5), (json!(1), Value::Null, json!(true)));
    assert_eq!(running(6), (Value::Null, Value::Null, Value::Null));
}

#[test]
fn views_of_lanes_follow_their_schemas_after_every_event() {
    let events = lanes::run();
    for so_many in 2..=events.len() {
        let history = RunHistory::of(&events[..so_many]).expect("the events fit");
        assert_valid(view::chain_schema(), &chain(&events[..so_many]));
        let step = RunView::of(&history, 2, Liveness::Alive, &facts());
        for iteration in step.iter().flat_map(|step| &step.iterations) {
            assert_valid(view::iteration_schema(), &json_of(iteration));
        }
    }
}

#[test]
fn the_view_of_a_run_has_its_lanes_and_landings() {
    let events = lanes::run();
    let is_check = |event: &Event| event.elapsed.as_millis() == 21 * 1001;
    let so_many = events.iter().position(is_check).expect("it is there") + 1;
    let view = chain(&events[..so_many]);
    assert_eq!(view["lanes"]["queue"], "checking_batch");
    assert_eq!(view["lanes"]["lanes"][1]["isQueued"], true);
    assert_eq!(
        (&view["steps"][1]["status"], &view["steps"][1]["iterations"]),
        (&json!("running"), &json!(2))
    );
    let view = chain(&events);
    let landings = &view["lanes"]["landings"];
    let expected =
        json!({"landed": 4, "batches": 3, "conflicts": 1, "failedChecks": 0, "unrelated": 0});
    assert_eq!(*landings, expected);
    let parked = &view["lanes"]["parked"][0];
    let reference = parked["ref"].as_str().unwrap_or_default();
    assert!(
        reference.starts_with("refs/forkhestra/") && reference.ends_with("/parked/1"),
        "{parked}"
    );
    assert_eq!((&parked["tasks"], &view["lanes"]["held"]), (&json!(["TASK-004"]), &Value::Null));
    assert_eq!(chain(&self::events()).get("lanes"), None, "a run without lanes has none");
}

#[test]
fn views_follow_their_schemas_after_every_event() {
    let events = events();
    for so_many in 2..=events.len() {
        let events = &events[..so_many];
        assert_valid(view::chain_schema(), &chain(events));
        let step = step(events);
        assert_valid(view::run_schema(), &json_of(&step));
        for iteration in &step.iterations {
            assert_valid(view::iteration_schema(), &json_of(iteration));
        }
        let again: RunView = serde_json::from_value(json_of(&step)).expect("it reads back");
        assert_eq!(again, step);
    }
}
