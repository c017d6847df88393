//! Tests of the commands, environment and input of hooks.

use std::ffi::OsStr;
use std::time::Duration;

use forkhestra_core::event::{
    AgentEnd, AgentOutcome, CheckOutcome, CheckReport, ClaimRefusal, EventKind, IterationReport,
    OutcomeClass, StepEnd, StreamSummary, Verdict,
};
use forkhestra_core::hook::HookPoint;
use forkhestra_core::id::UnitId;
use serde_json::{Value, json};

use super::AuxJobCase;

/// The value of a variable of a hook.
fn told(case: &AuxJobCase, errand: forkhestra_core::event::AuxJob, name: &str) -> Option<String> {
    let process = case.process(errand);
    let variables = process.variables();
    variables.get(OsStr::new(name)).map(|value| value.to_string_lossy().into_owned())
}

/// A run whose first iteration is over and was refused.
fn refused() -> AuxJobCase {
    let mut case = AuxJobCase::new("a:3");
    case.agent_has_exited(2);
    let checks = vec![CheckReport {
        name: "tests".to_owned(),
        outcome: CheckOutcome::Failed,
        message: Some("3 failed".to_owned()),
        tail: None,
        duration: Duration::ZERO,
    }];
    let verdict = Verdict::Refused(ClaimRefusal::ChecksFailed);
    let report = IterationReport { verdict, checks, ..AuxJobCase::report(2) };
    case.happens(EventKind::IterationFinished { unit: AuxJobCase::unit(), report });
    case
}

#[test]
fn a_file_is_executed_and_anything_else_is_for_the_shell() {
    let mut case = AuxJobCase::new("a");
    case.write("project/plain.sh", "echo plain ${BASH_VERSION:+by bash}", 0o644);
    case.write("project/bare.sh", "echo bare ${BASH_VERSION:+by bash}", 0o755);
    case.write("project/with blanks", "#!/bin/sh\necho executed $FORKHESTRA_HOOK", 0o755);
    case.write("project/own.sh", "#!/bin/cat\nits own interpreter", 0o755);
    case.write("project/echo", "nobody may execute this", 0o644);
    for (run, expected) in [
        ("./plain.sh", "plain by bash\n"),
        ("bare.sh", "bare by bash\n"),
        ("./with blanks", "executed pre-iteration\n"),
        ("own.sh", "#!/bin/cat\nits own interpreter"),
        ("echo $((1 + 1)) | cat", "2\n"),
        ("echo", "\n"),
    ] {
        let errand = case.hook(HookPoint::PreIteration, run, Some(AuxJobCase::unit()));
        assert_eq!(case.run(errand).stdout, expected, "{run}");
    }
}

#[test]
fn a_hook_runs_where_agents_work_even_if_there_is_a_room() {
    let mut case = refused().with_room();
    let errand = case.hook(HookPoint::PostIteration, "true", Some(AuxJobCase::unit()));
    let process = case.process(errand);
    assert_eq!(process.directory, case.project());
    assert_eq!(process.variables().get(OsStr::new("FORKHESTRA_CLEAN_ROOM")), None);
}

#[test]
fn after_an_iteration_a_hook_is_told_what_came_of_it() {
    let mut case = refused();
    let errand = case.hook(HookPoint::PostIteration, "true", Some(AuxJobCase::unit()));
    let mut reads = case.process(errand).reads();
    let feedback = reads["feedback"].take();
    assert!(feedback.as_str().is_some_and(|text| text.contains("3 failed")), "{feedback}");
    let expected = json!({
        "hook": "post-iteration",
        "runId": "abcd1234",
        "agent": "a",
        "step": 1,
        "iteration": 1,
        "attempt": 1,
        "maxIterations": 3,
        "exitCode": 2,
        "status": "running",
        "reason": null,
        "workDir": case.project(),
        "checks": [{ "name": "tests", "outcome": "failed", "message": "3 failed" }],
        "verdict": "refused",
        "feedback": null,
        "log": null,
    });
    assert_eq!(reads, expected);
    case.state.plan.feedback = false;
    assert_eq!(case.process(errand).reads()["feedback"], Value::Null, "nobody wants it");
}

#[test]
fn before_an_iteration_a_hook_is_told_nothing_of_the_last_one() {
    let mut case = refused().printed("said");
    let next = UnitId { step: 1, iteration: 2, attempt: 1 };
    let errand = case.hook(HookPoint::PreIteration, "true", Some(next));
    assert_eq!(told(&case, errand, "RALPH_ITERATION").as_deref(), Some("2"));
    assert_eq!(told(&case, errand, "RALPH_EXIT_CODE").as_deref(), Some(""));
    assert_eq!(told(&case, errand, "FORKHESTRA_LOG"), None);
    let reads = case.process(errand).reads();
    assert_eq!((&reads["verdict"], &reads["exitCode"]), (&Value::Null, &Value::Null));
    assert_eq!(reads["checks"], json!([]));
    assert!(reads["feedback"].is_string(), "the agent will be told: {reads}");
}

#[test]
fn at_the_end_a_hook_is_told_why() {
    let blocked = AgentOutcome::of(OutcomeClass::UsageLimit);
    for (point, end, status, reason) in [
        (HookPoint::OnStagnation, StepEnd::Stagnated(3), "stagnated", "stagnated"),
        (HookPoint::OnStagnation, StepEnd::Cycling(2), "stagnated", "cycling"),
        (HookPoint::OnFailure, StepEnd::MaxIterations, "max_iterations", "max_iterations"),
        (HookPoint::OnFailure, StepEnd::Failed(AgentEnd::Exited(2)), "failed", "failed"),
        (HookPoint::OnFailure, StepEnd::HookFailed("x".into()), "failed", "hook_failed"),
        (HookPoint::OnLimit, StepEnd::RunCost, "limited", "run_cost"),
        (HookPoint::OnLimit, StepEnd::Blocked(blocked), "limited", "usage_limit"),
        (HookPoint::OnInterrupt, StepEnd::Cancelled, "interrupted", "interrupted"),
    ] {
        let mut case = refused();
        case.happens(EventKind::StepFinished { step: 1, end });
        let errand = case.hook(point, "true", Some(AuxJobCase::unit()));
        assert_eq!(told(&case, errand, "RALPH_STATUS").as_deref(), Some(status), "{point}");
        assert_eq!(told(&case, errand, "FORKHESTRA_STATUS").as_deref(), Some(status));
        assert_eq!(told(&case, errand, "FORKHESTRA_REASON").as_deref(), Some(reason), "{point}");
        assert_eq!(told(&case, errand, "FORKHESTRA_HOOK").as_deref(), Some(point.name()));
        let reads = case.process(errand).reads();
        assert_eq!((&reads["status"], &reads["reason"]), (&json!(status), &json!(reason)));
    }
    let mut case = AuxJobCase::new("a");
    let errand = case.hook(HookPoint::OnComplete, "true", None);
    assert_eq!(told(&case, errand, "RALPH_STATUS").as_deref(), Some("complete"));
    assert_eq!(told(&case, errand, "RALPH_ITERATION").as_deref(), Some("0"));
}

#[test]
fn a_limit_that_is_waited_for_is_no_end() {
    let mut case = AuxJobCase::new("a:3");
    case.agent_has_exited(1);
    let outcome = AgentOutcome::of(OutcomeClass::UsageLimit);
    let heard = StreamSummary { outcome, activity: Default::default() };
    let (verdict, heard) = (Verdict::Postponed, Some(heard));
    let report = IterationReport { verdict, heard, ..AuxJobCase::report(1) };
    case.happens(EventKind::IterationFinished { unit: AuxJobCase::unit(), report });
    let errand = case.hook(HookPoint::OnLimit, "true", Some(AuxJobCase::unit()));
    assert_eq!(told(&case, errand, "RALPH_STATUS").as_deref(), Some("running"));
    assert_eq!(told(&case, errand, "FORKHESTRA_REASON").as_deref(), Some("usage_limit"));
}

#[test]
fn what_has_not_been_checked_has_no_verdict() {
    let mut case = AuxJobCase::check("command:true", 0);
    case.happens(EventKind::StepFinished { step: 1, end: StepEnd::Cancelled });
    let errand = case.hook(HookPoint::OnInterrupt, "true", Some(AuxJobCase::unit()));
    let reads = case.process(errand).reads();
    assert_eq!((&reads["verdict"], &reads["exitCode"]), (&Value::Null, &json!(0)));
}
