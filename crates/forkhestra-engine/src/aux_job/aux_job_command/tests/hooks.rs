//! Tests of the commands, environment and input of hooks.

use std::ffi::OsStr;
use std::time::Duration;

use forkhestra_core::config::Backend;
use forkhestra_core::event::{
    AgentOutcome, CheckOutcome, CheckReport, ClaimRefusal, EventKind, IterationReport, Observation,
    OutcomeClass, ProcessEnd, StepEnd, StreamSummary, Verdict,
};
use forkhestra_core::hook::HookPoint;
use forkhestra_core::id::UnitId;
use forkhestra_core::limit::{Limit, LimitQuantity};
use forkhestra_core::machine::RunState;
use forkhestra_core::plan::{AgentKind, PlanQuestion};
use forkhestra_core::quota::{QuotaLimits, QuotaWindow};
use serde_json::{Value, json};

use super::AuxJobCase;

/// The value of a variable of a hook.
fn hook_variable(
    case: &AuxJobCase,
    aux_job: forkhestra_core::event::AuxJob,
    name: &str,
) -> Option<String> {
    let process = case.process(aux_job);
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
    case.write("project/echo", "this is not executable", 0o644);
    for (run, expected) in [
        ("./plain.sh", "plain by bash\n"),
        ("bare.sh", "bare by bash\n"),
        ("./with blanks", "executed pre-iteration\n"),
        ("own.sh", "#!/bin/cat\nits own interpreter"),
        ("echo $((1 + 1)) | cat", "2\n"),
        ("echo", "\n"),
    ] {
        let aux_job = case.hook(HookPoint::PreIteration, run, Some(AuxJobCase::unit()));
        assert_eq!(case.run(aux_job).stdout, expected, "{run}");
    }
}

#[test]
fn a_hook_runs_where_agents_work_even_if_there_is_a_room() {
    let mut case = refused().with_room();
    let aux_job = case.hook(HookPoint::PostIteration, "true", Some(AuxJobCase::unit()));
    let process = case.process(aux_job);
    assert_eq!(process.directory, case.project());
    assert_eq!(process.variables().get(OsStr::new("FORKHESTRA_CLEAN_ROOM")), None);
}

#[test]
fn a_hook_after_an_iteration_gets_its_outcome() {
    let mut case = refused();
    let aux_job = case.hook(HookPoint::PostIteration, "true", Some(AuxJobCase::unit()));
    let mut reads = case.process(aux_job).reads();
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
        "question": null,
        "questionNumber": null,
        "waitingUntil": null,
        "workDir": case.project(),
        "checks": [{ "name": "tests", "outcome": "failed", "message": "3 failed" }],
        "verdict": "refused",
        "feedback": null,
        "log": null,
    });
    assert_eq!(reads, expected);
    case.state.plan.feedback = false;
    assert_eq!(case.process(aux_job).reads()["feedback"], Value::Null, "it is not requested");
}

#[test]
fn a_hook_before_an_iteration_gets_nothing_of_the_last_one() {
    let mut case = refused().printed("said");
    let next = UnitId { step: 1, iteration: 2, attempt: 1 };
    let aux_job = case.hook(HookPoint::PreIteration, "true", Some(next));
    assert_eq!(hook_variable(&case, aux_job, "RALPH_ITERATION").as_deref(), Some("2"));
    assert_eq!(hook_variable(&case, aux_job, "RALPH_EXIT_CODE").as_deref(), Some(""));
    assert_eq!(hook_variable(&case, aux_job, "FORKHESTRA_LOG"), None);
    let reads = case.process(aux_job).reads();
    assert_eq!((&reads["verdict"], &reads["exitCode"]), (&Value::Null, &Value::Null));
    assert_eq!(reads["checks"], json!([]));
    assert!(reads["feedback"].is_string(), "the agent gets it: {reads}");
}

#[test]
fn a_hook_at_the_end_gets_the_reason() {
    let blocked = AgentOutcome::of(OutcomeClass::UsageLimit);
    for (point, end, status, reason) in [
        (HookPoint::OnStagnation, StepEnd::Stagnated(3), "stagnated", "stagnated"),
        (HookPoint::OnStagnation, StepEnd::Cycling(2), "stagnated", "cycling"),
        (HookPoint::OnFailure, StepEnd::MaxIterations, "max_iterations", "max_iterations"),
        (HookPoint::OnFailure, StepEnd::Failed(ProcessEnd::Exited(2)), "failed", "failed"),
        (HookPoint::OnFailure, StepEnd::HookFailed("x".into()), "failed", "hook_failed"),
        (HookPoint::OnLimit, StepEnd::RunCost, "limited", "run_cost"),
        (HookPoint::OnLimit, StepEnd::Blocked(blocked), "limited", "usage_limit"),
        (HookPoint::OnInterrupt, StepEnd::Cancelled, "interrupted", "interrupted"),
    ] {
        let mut case = refused();
        case.happens(EventKind::StepFinished { step: 1, end });
        let aux_job = case.hook(point, "true", Some(AuxJobCase::unit()));
        assert_eq!(
            hook_variable(&case, aux_job, "RALPH_STATUS").as_deref(),
            Some(status),
            "{point}"
        );
        assert_eq!(hook_variable(&case, aux_job, "FORKHESTRA_STATUS").as_deref(), Some(status));
        assert_eq!(
            hook_variable(&case, aux_job, "FORKHESTRA_REASON").as_deref(),
            Some(reason),
            "{point}"
        );
        assert_eq!(hook_variable(&case, aux_job, "FORKHESTRA_HOOK").as_deref(), Some(point.name()));
        let reads = case.process(aux_job).reads();
        assert_eq!((&reads["status"], &reads["reason"]), (&json!(status), &json!(reason)));
    }
    let mut case = AuxJobCase::new("a");
    let aux_job = case.hook(HookPoint::OnComplete, "true", None);
    assert_eq!(hook_variable(&case, aux_job, "RALPH_STATUS").as_deref(), Some("complete"));
    assert_eq!(hook_variable(&case, aux_job, "RALPH_ITERATION").as_deref(), Some("0"));
}

#[test]
fn a_limit_that_is_waited_for_does_not_end_the_run() {
    let mut case = AuxJobCase::new("a:3");
    case.agent_has_exited(1);
    let outcome = AgentOutcome::of(OutcomeClass::UsageLimit);
    let stream_summary = StreamSummary { outcome, activity: Default::default() };
    let (verdict, stream_summary) = (Verdict::Postponed, Some(stream_summary));
    let report = IterationReport { verdict, stream_summary, ..AuxJobCase::report(1) };
    case.happens(EventKind::IterationFinished { unit: AuxJobCase::unit(), report });
    let aux_job = case.hook(HookPoint::OnLimit, "true", Some(AuxJobCase::unit()));
    assert_eq!(hook_variable(&case, aux_job, "RALPH_STATUS").as_deref(), Some("running"));
    assert_eq!(hook_variable(&case, aux_job, "FORKHESTRA_REASON").as_deref(), Some("usage_limit"));
}

#[test]
fn a_hook_for_a_question_gets_its_text_and_end() {
    let mut case = AuxJobCase::new("a -> b");
    let until = crate::now().wall.saturating_add(Duration::from_secs(3600));
    for (text, expected) in [(Some("Ship \"it\"?"), "Ship \"it\"?"), (None, "")] {
        let text = text.map(str::to_owned);
        let timeout = Limit::Off;
        let question = PlanQuestion { text: text.clone(), timeout, approves_on_timeout: false };
        case.state = RunState::new(case.state.run.clone(), case.state.plan.clone());
        case.state.plan.steps[0].agent.name = "?".to_owned();
        case.state.plan.steps[0].agent.kind = AgentKind::Question(question);
        let observation = Observation::default();
        case.happens(EventKind::StepStarted { step: 1, observation, instead_of: None });
        case.happens(EventKind::Asked { step: 1, question: 1, text, until: Some(until) });
        let aux_job = case.hook(HookPoint::OnQuestion, "true", None);
        assert_eq!(hook_variable(&case, aux_job, "FORKHESTRA_QUESTION").as_deref(), Some(expected));
        assert_eq!(hook_variable(&case, aux_job, "FORKHESTRA_STATUS").as_deref(), Some("running"));
        assert_eq!(hook_variable(&case, aux_job, "FORKHESTRA_AGENT").as_deref(), Some("?"));
        let reads = case.process(aux_job).reads();
        assert_eq!((&reads["hook"], &reads["step"]), (&json!("on-question"), &json!(1)));
        assert_eq!((&reads["question"], &reads["iteration"]), (&json!(expected), &Value::Null));
        assert_eq!(reads["waitingUntil"], until.to_string());
        let number = "FORKHESTRA_QUESTION_NUMBER";
        assert_eq!(hook_variable(&case, aux_job, number).as_deref(), Some("1"));
        assert_eq!(reads["questionNumber"], 1);
        let later = case.hook(HookPoint::OnComplete, "true", None);
        assert_eq!(hook_variable(&case, later, "FORKHESTRA_QUESTION"), None);
        assert_eq!(hook_variable(&case, later, number), None);
    }
}

#[test]
fn a_hook_before_a_wait_for_the_quota_gets_its_cause_and_end() {
    let mut case = AuxJobCase::new("a:3");
    case.state.plan.steps[0].limits.quota.value =
        Limit::At(QuotaLimits::parse("5h=90%").expect("it is a quota"));
    case.agent_has_exited(0);
    let unit = AuxJobCase::unit();
    let (backend, window) = (Backend::Claude, QuotaWindow::FiveHours);
    let resets = crate::now().wall.saturating_add(Duration::from_secs(3600));
    case.happens(EventKind::Quota { unit, backend, window, used: 95, resets });
    let outcome = AgentOutcome::of(OutcomeClass::Finished);
    let stream_summary = Some(StreamSummary { outcome, activity: Default::default() });
    let (verdict, report) = (Verdict::Incomplete, AuxJobCase::report(0));
    let report = IterationReport { verdict, stream_summary, ..report };
    case.happens(EventKind::IterationFinished { unit, report });
    let next = UnitId { iteration: 2, ..unit };
    let aux_job = case.hook(HookPoint::OnLimit, "true", Some(next));
    let reads = case.process(aux_job).reads();
    assert_eq!((&reads["status"], &reads["reason"]), (&json!("running"), &json!("quota")));
    assert_eq!(reads["waitingUntil"], json!(resets.to_string()));
}

#[test]
fn an_unchecked_iteration_has_no_verdict() {
    let mut case = AuxJobCase::check("command:true", 0);
    case.happens(EventKind::StepFinished { step: 1, end: StepEnd::Cancelled });
    let aux_job = case.hook(HookPoint::OnInterrupt, "true", Some(AuxJobCase::unit()));
    let reads = case.process(aux_job).reads();
    assert_eq!((&reads["verdict"], &reads["exitCode"]), (&Value::Null, &json!(0)));
}
