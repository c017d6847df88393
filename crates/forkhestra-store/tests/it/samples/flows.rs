//! Sample events of version 3.0: groups, rounds, questions, alternatives and conditions.

use std::time::Duration;

use forkhestra_core::check::CheckSpec;
use forkhestra_core::config::CheckWhen;
use forkhestra_core::event::{
    Answer, AnswerSource, AuxJob, CancelCause, CheckOutcome, CheckReport, ClaimRefusal,
    CompletionSignal, Event, EventKind, Fingerprint, HookMoment, HookReport, IterationReport,
    LimitChanges, MarkerMatch, Observation, OperatorMessage, OutputSummary, ProcessEnd, RunEnd,
    StepEnd, Verdict,
};
use forkhestra_core::hook::HookPoint;
use forkhestra_core::id::UnitId;
use forkhestra_core::limit::{GroupLimits, HumanDuration, Limit};
use forkhestra_core::plan::{
    AgentKind, Flow, FlowGroup, FlowStage, Plan, PlanCheck, PlanCondition, PlanQuestion,
    RoundCheck, Sourced, ValueOrigin,
};
use forkhestra_core::text::count::Count;
use forkhestra_core::time::Timestamp;

use super::{event, plan, resumed, started_with};
use crate::temporary_dir::timestamp;

/// A run with a flow, and after its end the variants that did not occur in it.
pub(crate) fn samples() -> Vec<Event> {
    let run = run();
    let others = (run.len()..).zip(others()).map(|(number, kind)| event(number, kind));
    run.iter().cloned().chain(others).collect()
}

/// The ends of steps that 3.0 added.
pub(crate) fn step_ends() -> Vec<StepEnd> {
    vec![
        StepEnd::MaxRounds(3),
        StepEnd::NotAccepted,
        StepEnd::Denied,
        StepEnd::NotNeeded,
        StepEnd::Complete(CompletionSignal::Approved),
    ]
}

/// A run in which a person approves the plan, two rounds are refused, and an alternative completes
/// the work.
pub(crate) fn run() -> Vec<Event> {
    let mut kinds = vec![started_with(flow_plan())];
    kinds.extend(completed(1, 1));
    kinds.extend(question());
    kinds.push(EventKind::RoundStarted { group: 1, round: 1 });
    kinds.extend(completed(3, 1));
    kinds.extend(refused_by_reviewer(1));
    kinds.push(EventKind::RoundStarted { group: 1, round: 2 });
    kinds.extend(completed(3, 2));
    kinds.extend(refused_by_checks());
    kinds.push(step_started(5, Some(4)));
    kinds.extend(iterated(5, 1, Verdict::Complete(CompletionSignal::ExitCode), None));
    kinds.push(completion(5));
    kinds.push(EventKind::ConditionChecked {
        step: 6,
        number: 1,
        holds: false,
        check: report("command:test -e deploy.yml", CheckOutcome::Failed),
    });
    kinds.push(EventKind::StepFinished { step: 6, end: StepEnd::NotNeeded });
    kinds.push(EventKind::RunFinished { end: RunEnd::Complete });
    kinds.into_iter().enumerate().map(|(number, kind)| event(number, kind)).collect()
}

/// `planner -> ? -> (builder:10 -> reviewer):2 else senior -> deployer`.
pub(crate) fn flow_plan() -> Plan {
    let flag = |name: &'static str| ValueOrigin::Flag(name.into());
    let mut plan = plan();
    let [planner, mut builder] = <[_; 2]>::try_from(plan.steps).expect("the sample has two steps");
    let named = |name: &str| {
        let mut step = planner.clone();
        name.clone_into(&mut step.agent.name);
        step
    };
    let mut question = named("?");
    question.agent.kind = AgentKind::Question(PlanQuestion {
        text: Some("Is the plan right?".to_owned()),
        timeout: Limit::At(HumanDuration::from_secs(12 * 3600)),
        approves_on_timeout: false,
    });
    builder.iterations = Count::parse("10").ok();
    let check = |command: &str, name: Option<&str>| PlanCheck {
        check: CheckSpec::Command(command.to_owned()),
        name: name.map(str::to_owned),
        when: CheckWhen::Completion,
        timeout: Limit::At(HumanDuration::from_secs(600)),
        must_fail_first: false,
        runner: None,
    };
    let mut reviewer = named("reviewer");
    reviewer.decides_round = true;
    let tests = Sourced::new(check("make ci", Some("tests")), flag("--check"));
    reviewer.round_checks = vec![RoundCheck { group: 1, check: tests }];
    let mut deployer = named("deployer");
    let exists = Sourced::new(check("test -e deploy.yml", None), flag("--check"));
    deployer.conditions = vec![PlanCondition { check: exists, group: None }];
    let stages = Flow(vec![FlowStage::Step(3), FlowStage::Step(4)]);
    let group = FlowStage::Group(FlowGroup {
        number: 1,
        rounds: Count::parse("2").ok(),
        lanes: None,
        lane_settings: None,
        limits: GroupLimits::default(),
        stages,
    });
    let alternatives = vec![Flow(vec![group]), Flow(vec![FlowStage::Step(5)])];
    plan.flow = Some(Flow(vec![
        FlowStage::Step(1),
        FlowStage::Step(2),
        FlowStage::Alternatives(alternatives),
        FlowStage::Step(6),
    ]));
    plan.steps = vec![planner.clone(), question, builder, reviewer, named("senior"), deployer];
    plan
}

/// The question: the run is interrupted while it waits, and is resumed with more rounds.
fn question() -> Vec<EventKind> {
    let moment = HookMoment { point: HookPoint::OnQuestion, unit: None };
    let asked = EventKind::Asked {
        step: 2,
        question: 1,
        text: Some("Is the plan right?".to_owned()),
        until: Some(in_hours(12)),
    };
    let hook = HookReport { moment, number: 1, failure: None, duration: Duration::from_millis(31) };
    let by = CancelCause::Interrupt;
    let text = "use \"serde\",\nplease".to_owned();
    vec![
        step_started(2, None),
        asked.clone(),
        EventKind::AuxJobStarted { aux_job: AuxJob::Hook { moment, number: 1 }, pid: 4712 },
        EventKind::HookFinished { report: hook },
        EventKind::Cancelled { by },
        EventKind::StepFinished { step: 2, end: StepEnd::Cancelled },
        EventKind::RunFinished { end: RunEnd::Interrupted(by) },
        resumed(LimitChanges::default(), None, "0.9.0"),
        asked,
        EventKind::MessageQueued {
            message: OperatorMessage { number: 1, text: text.clone(), lane: None },
        },
        answered(1, true, Some(text), AnswerSource::Person),
        EventKind::StepFinished { step: 2, end: StepEnd::Complete(CompletionSignal::Approved) },
    ]
}

/// The reviewer does not accept the round.
fn refused_by_reviewer(round: u32) -> Vec<EventKind> {
    let said = "The tests of the parser are missing.";
    let mut kinds = vec![step_started(4, None)];
    kinds.extend(iterated(4, round, Verdict::Incomplete, Some(said)));
    kinds.push(EventKind::StepFinished { step: 4, end: StepEnd::NotAccepted });
    kinds.push(refusal(round, said));
    kinds
}

/// The reviewer accepts the round, but the check of the group does not pass.
fn refused_by_checks() -> Vec<EventKind> {
    let accepted = Verdict::Complete(marker());
    let mut kinds = vec![step_started(4, None)];
    kinds.extend(iterated(4, 2, accepted, Some("All is well.\nFORKHESTRA_COMPLETE")));
    kinds.push(EventKind::RoundChecked {
        step: 4,
        group: 1,
        checks: vec![report("tests", CheckOutcome::Failed)],
    });
    let end = StepEnd::Refused(ClaimRefusal::ChecksFailed);
    kinds.push(EventKind::StepFinished { step: 4, end });
    kinds.push(refusal(2, "checks did not pass: tests"));
    kinds
}

/// The variants that did not occur in the run.
fn others() -> Vec<EventKind> {
    let changes = LimitChanges { rounds: Count::parse("5").ok(), ..LimitChanges::default() };
    let mut kinds = vec![
        EventKind::Asked { step: 2, question: 2, text: None, until: None },
        answered(2, false, None, AnswerSource::Timeout),
        answered(3, true, None, AnswerSource::YesOption),
        EventKind::RoundRefused { step: 2, group: 1, round: 1, reason: None, tree: None },
        EventKind::ConditionChecked {
            step: 6,
            number: 1,
            holds: true,
            check: report("command:test -e deploy.yml", CheckOutcome::Passed),
        },
        EventKind::SkipRequested { step: 3, group: Some(1) },
        EventKind::LimitsChanged { changes: changes.clone() },
        resumed(changes, None, "0.9.0"),
    ];
    kinds.extend(step_ends().into_iter().map(|end| EventKind::StepFinished { step: 4, end }));
    let end = StepEnd::MaxRounds(3);
    kinds.push(EventKind::RunFinished { end: RunEnd::Incomplete { step: 4, end } });
    kinds
}

/// A step that runs one agent and is complete, in a round.
fn completed(step: usize, iteration: u32) -> Vec<EventKind> {
    let by = if step == 3 { marker() } else { CompletionSignal::ExitCode };
    let mut kinds = vec![step_started(step, None)];
    kinds.extend(iterated(step, iteration, Verdict::Complete(by.clone()), None));
    kinds.push(EventKind::StepFinished { step, end: StepEnd::Complete(by) });
    kinds
}

fn completion(step: usize) -> EventKind {
    EventKind::StepFinished { step, end: StepEnd::Complete(CompletionSignal::ExitCode) }
}

fn step_started(step: usize, instead_of: Option<usize>) -> EventKind {
    EventKind::StepStarted { step, observation: Observation::default(), instead_of }
}

fn iterated(
    step: usize,
    iteration: u32,
    verdict: Verdict,
    closing_text: Option<&str>,
) -> [EventKind; 2] {
    let unit = UnitId { step, iteration, attempt: 1 };
    let report = IterationReport {
        closing_text: closing_text.map(str::to_owned),
        checks: Vec::new(),
        verdict,
        end: Some(ProcessEnd::Exited(0)),
        duration: Duration::from_millis(1000),
        observation: Observation {
            tree: Some(Fingerprint(format!("5f3a{step}{iteration}"))),
            ..Observation::default()
        },
        output: OutputSummary { stdout: 81, stderr: 0 },
        stream_summary: None,
        spend: None,
    };
    [
        EventKind::IterationStarted { unit, fallback: None },
        EventKind::IterationFinished { unit, report },
    ]
}

fn marker() -> CompletionSignal {
    let marker = "FORKHESTRA_COMPLETE".to_owned();
    CompletionSignal::Marker(MarkerMatch { marker, offset: 13, line: 2, message: None })
}

fn refusal(round: u32, reason: &str) -> EventKind {
    EventKind::RoundRefused {
        step: 4,
        group: 1,
        round,
        reason: Some(reason.to_owned()),
        tree: Some(Fingerprint(format!("5f3a4{round}"))),
    }
}

fn answered(question: u32, approved: bool, text: Option<String>, by: AnswerSource) -> EventKind {
    EventKind::Answered { step: 2, answer: Answer { question, approved, text, by } }
}

fn report(name: &str, outcome: CheckOutcome) -> CheckReport {
    let failed = outcome == CheckOutcome::Failed;
    CheckReport {
        name: name.to_owned(),
        outcome,
        message: failed.then(|| "exit 1".to_owned()),
        tail: failed.then(|| "2 tests failed".to_owned()),
        duration: Duration::from_millis(2100),
    }
}

fn in_hours(hours: i64) -> Timestamp {
    Timestamp::from_milliseconds(timestamp().milliseconds() + hours * 3_600_000)
}
