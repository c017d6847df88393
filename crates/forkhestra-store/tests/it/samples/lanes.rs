//! Sample events of version 4.0: lanes, landings, and work that does not land.

use std::time::Duration;

use forkhestra_core::check::CheckSpec;
use forkhestra_core::config::CheckWhen;
use forkhestra_core::event::{
    AuxJob, CheckOutcome, CheckReport, CompletionSignal, Event, EventKind, Fingerprint,
    IterationReport, LandedWork, LandingRefusal, LandingRefusalKind, LaneWork, Observation,
    OperatorMessage, OutputSummary, PathList, ProcessEnd, RunEnd, StepEnd, Verdict,
};
use forkhestra_core::id::{CommitId, LaneNumber, UnitId};
use forkhestra_core::limit::{HumanDuration, Limit};
use forkhestra_core::plan::{Plan, PlanCheck, Sourced, ValueOrigin};
use forkhestra_core::text::lane_count::LaneCount;

use super::{event, plan, started_with};

/// The step with lanes.
const STEP: usize = 2;

/// A run with lanes, and after its end the variants that did not occur in it.
pub(crate) fn samples() -> Vec<Event> {
    numbered(run_kinds().into_iter().chain(others()).collect())
}

/// A run in which two lanes share the iterations of a step: two iterations land together, one
/// conflicts, and the completion claim of one is refused at first.
pub(crate) fn run() -> Vec<Event> {
    numbered(run_kinds())
}

/// The ends of steps that 4.0 added.
pub(crate) fn step_ends() -> Vec<StepEnd> {
    vec![
        StepEnd::NotLanded("src/cart.rs is changed in the work tree".to_owned()),
        StepEnd::NoLane("no space left on device".to_owned()),
    ]
}

/// `planner -> builder:10 x2` with a landing check.
pub(crate) fn lane_plan() -> Plan {
    let mut plan = plan();
    let tests = PlanCheck {
        check: CheckSpec::Command("make ci".to_owned()),
        name: Some("tests".to_owned()),
        when: CheckWhen::Landing,
        timeout: Limit::At(HumanDuration::from_secs(600)),
        must_fail_first: false,
        runner: None,
    };
    let builder = &mut plan.steps[STEP - 1];
    builder.lanes = LaneCount::new(2).ok();
    builder.checks = vec![Sourced::new(tests, ValueOrigin::Flag("--check".into()))];
    plan
}

pub(crate) fn lane(number: usize) -> LaneNumber {
    LaneNumber::from_index(number - 1).expect("there are few lanes")
}

type LaneKinds = Vec<(Option<LaneNumber>, EventKind)>;

fn numbered(kinds: LaneKinds) -> Vec<Event> {
    let kinds = kinds.into_iter().enumerate();
    kinds.map(|(number, (lane, kind))| event(number, kind).in_lane(lane)).collect()
}

fn run_kinds() -> LaneKinds {
    let of_run = |kind: EventKind| (None, kind);
    let in_lane = |number: usize| move |kind: EventKind| (Some(lane(number)), kind);
    let mut kinds: LaneKinds = planned().into_iter().map(of_run).collect();
    kinds.extend(checked("5f3a9c0", &[], CheckOutcome::Passed).map(of_run));
    kinds.extend(opened(1, 1).map(in_lane(1)));
    kinds.extend(opened(2, 2).map(in_lane(2)));
    kinds.extend(finished(1, Verdict::Incomplete, "91ab22e").map(in_lane(1)));
    kinds.extend(finished(2, Verdict::Incomplete, "77c01d4").map(in_lane(2)));
    kinds.extend(checked("a3d10f2", &[1, 2], CheckOutcome::Passed).map(of_run));
    kinds.extend(landed(1, "5f3a9c0", "a3d10f2", &[(1, 1), (2, 2)]).map(of_run));
    kinds.push(of_run(message(1)));
    kinds.extend(begun(3).map(in_lane(1)));
    kinds.extend(begun(4).map(in_lane(2)));
    kinds.push(in_lane(2)(EventKind::MessagesGiven { unit: unit(4), messages: vec![1] }));
    kinds.extend(finished(3, complete(), "c0ffee1").map(in_lane(1)));
    kinds.extend(finished(4, Verdict::Incomplete, "d15ea5e").map(in_lane(2)));
    kinds.push(in_lane(2)(refused(4, conflict())));
    kinds.extend(checked("b41efc0", &[3], CheckOutcome::Passed).map(of_run));
    kinds.push(of_run(landed_event(2, "a3d10f2", "b41efc0", &[(1, 3)])));
    kinds.push(of_run(EventKind::Held {
        step: STEP,
        why: "it is changed in the work tree".to_owned(),
        paths: PathList::of(["src/cart.rs".to_owned()]),
    }));
    let checks = vec![report(CheckOutcome::Failed)];
    kinds.push(in_lane(1)(EventKind::ClaimRefused { unit: unit(3), checks }));
    kinds.extend(begun(5).map(in_lane(1)));
    kinds.extend(finished(5, complete(), "0ddba11").map(in_lane(1)));
    kinds.extend(checked("cafe0b5", &[5], CheckOutcome::Passed).map(of_run));
    kinds.extend(landed(3, "b41efc0", "cafe0b5", &[(1, 5)]).map(of_run));
    let commit = commit("d15ea5e");
    kinds.push(in_lane(2)(EventKind::WorkParked { unit: unit(4), number: 1, commit }));
    kinds.push(of_run(EventKind::LanesClosed { step: STEP }));
    let end = StepEnd::Complete(CompletionSignal::ExitCode);
    kinds.push(of_run(EventKind::StepFinished { step: STEP, end }));
    kinds.push(of_run(EventKind::RunFinished { end: RunEnd::Complete }));
    kinds
}

/// The variants that did not occur in the run.
fn others() -> LaneKinds {
    let checks = LandingRefusal {
        why: LandingRefusalKind::ChecksFailed,
        paths: PathList::default(),
        with: Vec::new(),
        checks: vec![report(CheckOutcome::Failed)],
    };
    let unrelated = LandingRefusal {
        why: LandingRefusalKind::Unrelated,
        paths: PathList::default(),
        with: Vec::new(),
        checks: Vec::new(),
    };
    let why = "a rebase is under way".to_owned();
    let mut kinds: LaneKinds = vec![
        (Some(lane(1)), refused(5, checks)),
        (Some(lane(64)), refused(6, unrelated)),
        (None, EventKind::Held { step: STEP, why, paths: PathList::default() }),
    ];
    let ends = step_ends().into_iter();
    kinds.extend(ends.map(|end| (None, EventKind::StepFinished { step: STEP, end })));
    kinds
}

/// The first step, and the beginning of the lanes.
fn planned() -> Vec<EventKind> {
    let unit = UnitId { step: 1, iteration: 1, attempt: 1 };
    let complete = StepEnd::Complete(CompletionSignal::ExitCode);
    vec![
        started_with(lane_plan()),
        step_started(1),
        EventKind::IterationStarted { unit, fallback: None },
        EventKind::IterationFinished {
            unit,
            report: iteration_report(Verdict::Complete(CompletionSignal::ExitCode)),
        },
        EventKind::StepFinished { step: 1, end: complete },
        step_started(STEP),
        EventKind::IntegrationStarted { step: STEP, commit: commit("5f3a9c0") },
    ]
}

/// The landing checks on a commit that has the work of some iterations.
fn checked(tip: &str, iterations: &[u32], outcome: CheckOutcome) -> [EventKind; 2] {
    let last = iterations.last().map_or(UnitId::before_first(STEP), |number| unit(*number));
    let aux_job = AuxJob::Check { unit: last, number: 1 };
    [
        EventKind::AuxJobStarted { aux_job, pid: 4713 },
        EventKind::LandingChecked {
            step: STEP,
            commit: commit(tip),
            units: iterations.iter().map(|number| unit(*number)).collect(),
            checks: vec![report(outcome)],
        },
    ]
}

fn opened(number: usize, iteration: u32) -> [EventKind; 4] {
    let path = format!("/home/ada/.local/state/forkhestra/lanes/{number}");
    let [started, agent] = begun(iteration);
    [EventKind::LaneOpened { step: STEP, path }, step_started(STEP), started, agent]
}

fn begun(iteration: u32) -> [EventKind; 2] {
    let unit = unit(iteration);
    [
        EventKind::IterationStarted { unit, fallback: None },
        EventKind::AgentStarted { unit, pid: 4800 + iteration, prompt: None },
    ]
}

/// The end of an iteration whose work waits for its landing.
fn finished(iteration: u32, verdict: Verdict, head: &str) -> [EventKind; 2] {
    let (unit, report) = (unit(iteration), iteration_report(verdict));
    [
        EventKind::IterationFinished { unit, report },
        EventKind::WorkQueued { unit, work: work(iteration, head) },
    ]
}

fn landed(number: u32, from: &str, to: &str, works: &[(usize, u32)]) -> [EventKind; 2] {
    let forward = EventKind::BroughtForward { step: STEP, commit: commit(to) };
    [landed_event(number, from, to, works), forward]
}

fn landed_event(number: u32, from: &str, to: &str, works: &[(usize, u32)]) -> EventKind {
    let landed = works.iter().map(|(of, iteration)| LandedWork {
        lane: lane(*of),
        unit: unit(*iteration),
        work: work(*iteration, "91ab22e"),
    });
    let (from, to, landed) = (commit(from), commit(to), landed.collect());
    EventKind::Landed { step: STEP, number, from, to, landed }
}

/// A message for the next agent of the second lane.
fn message(number: u32) -> EventKind {
    let (text, lane) = ("Mind the cart.".to_owned(), Some(lane(2)));
    EventKind::MessageQueued { message: OperatorMessage { number, text, lane } }
}

const fn refused(iteration: u32, refusal: LandingRefusal) -> EventKind {
    EventKind::LandingRefused { unit: unit(iteration), refusal }
}

fn conflict() -> LandingRefusal {
    LandingRefusal {
        why: LandingRefusalKind::Conflict,
        paths: PathList::of(["src/cart.rs".to_owned()]),
        with: vec![unit(1)],
        checks: Vec::new(),
    }
}

fn work(iteration: u32, head: &str) -> LaneWork {
    let task = format!("TASK-{iteration:03}");
    LaneWork {
        commit: commit(head),
        subject: format!("Land {task}: Rename the cart"),
        commits: 2,
        added: 41,
        removed: 3,
        // One iteration finished no task.
        tasks: if iteration == 2 { Vec::new() } else { vec![task] },
    }
}

fn iteration_report(verdict: Verdict) -> IterationReport {
    IterationReport {
        closing_text: None,
        checks: Vec::new(),
        verdict,
        end: Some(ProcessEnd::Exited(0)),
        duration: Duration::from_millis(1000),
        observation: Observation {
            tree: Some(Fingerprint("5f3a42".to_owned())),
            ..Observation::default()
        },
        output: OutputSummary { stdout: 81, stderr: 0 },
        stream_summary: None,
        spend: None,
    }
}

const fn complete() -> Verdict {
    Verdict::Complete(CompletionSignal::ExitCode)
}

fn report(outcome: CheckOutcome) -> CheckReport {
    let failed = outcome == CheckOutcome::Failed;
    CheckReport {
        name: "tests".to_owned(),
        outcome,
        message: failed.then(|| "exit 1".to_owned()),
        tail: failed.then(|| "2 tests failed".to_owned()),
        duration: Duration::from_millis(2100),
    }
}

fn step_started(step: usize) -> EventKind {
    EventKind::StepStarted { step, observation: Observation::default(), instead_of: None }
}

const fn unit(iteration: u32) -> UnitId {
    UnitId { step: STEP, iteration, attempt: 1 }
}

fn commit(id: &str) -> CommitId {
    CommitId::new(id.repeat(6)[..40].to_owned())
}
