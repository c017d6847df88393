//! Sample events: one of each kind, and each kind of end.

mod calibration;
pub(crate) mod checks;
pub(crate) mod flows;
pub(crate) mod forks;
pub(crate) mod lanes;
pub(crate) mod quotas;
pub(crate) mod steering;
mod tasks;

use std::time::Duration;

use forkhestra_core::cost::{Dollars, Spend, TokenCounts};
use forkhestra_core::dsl::Dsl;
use forkhestra_core::event::{
    AgentActivity, AgentOutcome, CancelCause, ClaimRefusal, CompletionSignal, Event, EventKind,
    FileStamp, Fingerprint, IterationReport, LimitChanges, MarkerMatch, Observation, OutcomeClass,
    OutputSummary, ProcessEnd, RunEnd, StepEnd, StopReason, StreamSummary, Verdict, WaitCause,
};
use forkhestra_core::id::UnitId;
use forkhestra_core::limit::{HumanDuration, Limit};
use forkhestra_core::plan::{
    self, FileState, HostEnvironment, Plan, PlanRequest, ProgramLocation, RunTarget, Sourced,
};
use forkhestra_core::text::count::Count;
use forkhestra_core::time::Timestamp;

use crate::temporary_dir::{run_id, timestamp};

pub(crate) fn event(number: usize, kind: EventKind) -> Event {
    let milliseconds = 1001 * number as u64;
    let at = timestamp().milliseconds() + i64::try_from(milliseconds).expect("a small number");
    let elapsed = Duration::from_millis(milliseconds);
    Event::new(Timestamp::from_milliseconds(at), elapsed, kind)
}

pub(crate) fn started() -> EventKind {
    started_with(plan())
}

fn started_with(plan: Plan) -> EventKind {
    let plan = Box::new(plan);
    let program = "0.3.0".to_owned();
    EventKind::RunStarted { run: run_id(7), plan, program, origin: None, inherited: Vec::new() }
}

pub(crate) fn warning(message: &str) -> EventKind {
    EventKind::Warning { message: message.to_owned() }
}

pub(crate) fn unit(iteration: u32) -> UnitId {
    UnitId { step: 1, iteration, attempt: 1 }
}

/// A loop that ran out of iterations.
pub(crate) fn exhausted_loop() -> Vec<Event> {
    let end = RunEnd::Incomplete { step: 1, end: StepEnd::MaxIterations };
    let kinds = [
        started(),
        EventKind::StepStarted { instead_of: None, step: 1, observation: Observation::default() },
        iteration_started(1),
        iteration_finished(1, Verdict::Incomplete),
        iteration_started(2),
        iteration_finished(2, Verdict::Incomplete),
        EventKind::StepFinished { step: 1, end: StepEnd::MaxIterations },
        EventKind::RunFinished { end },
    ];
    kinds.into_iter().enumerate().map(|(number, kind)| event(number, kind)).collect()
}

pub(crate) fn iteration_started(iteration: u32) -> EventKind {
    EventKind::IterationStarted { unit: unit(iteration), fallback: None }
}

pub(crate) fn iteration_finished(iteration: u32, verdict: Verdict) -> EventKind {
    let report = IterationReport {
        closing_text: None,
        checks: Vec::new(),
        verdict,
        end: Some(ProcessEnd::Exited(0)),
        duration: Duration::from_millis(1234),
        observation: Observation {
            done_file: None,
            tree: Some(Fingerprint("5f3a9c".to_owned())),
            ..Observation::default()
        },
        output: OutputSummary { stdout: 81_920, stderr: 7 },
        stream_summary: None,
        spend: None,
    };
    EventKind::IterationFinished { unit: unit(iteration), report }
}

/// Events of all kinds, in the order of a run as far as readers depend on it.
pub(crate) fn samples() -> Vec<Event> {
    let mut kinds = kinds_of_2_1();
    kinds.extend(calibration::kinds());
    numbered(kinds)
}

/// The events of version 2.1.
pub(crate) fn samples_of_2_1() -> Vec<Event> {
    numbered(kinds_of_2_1())
}

fn kinds_of_2_1() -> Vec<EventKind> {
    let mut kinds = kinds_of_2_0();
    kinds.extend(tasks::kinds());
    kinds.push(checks::step_with_tasks());
    kinds
}

/// The events of version 2.0.
pub(crate) fn samples_of_2_0() -> Vec<Event> {
    numbered(kinds_of_2_0())
}

fn kinds_of_2_0() -> Vec<EventKind> {
    let mut kinds = kinds_of_1_1();
    kinds[0] = started_with(checks::checking_plan());
    kinds.extend(kinds_since_2_0());
    kinds.extend(checks::kinds());
    kinds.extend(steering::kinds());
    kinds
}

/// The events of version 1.0. Later additions follow them.
pub(crate) fn samples_of_1_0() -> Vec<Event> {
    numbered(kinds_of_1_0())
}

/// The events of version 1.1.
pub(crate) fn samples_of_1_1() -> Vec<Event> {
    numbered(kinds_of_1_1())
}

fn kinds_of_1_1() -> Vec<EventKind> {
    let mut kinds = kinds_of_1_0();
    kinds.push(resumed(LimitChanges::default(), Some("/home/ada/moved"), "0.3.2"));
    kinds
}

fn numbered(kinds: Vec<EventKind>) -> Vec<Event> {
    kinds.into_iter().enumerate().map(|(number, kind)| event(number, kind)).collect()
}

fn kinds_of_1_0() -> Vec<EventKind> {
    // There were no snapshots of work trees.
    let plan = Plan { snapshots: false, ..plan() };
    let mut kinds = vec![started_with(plan)];
    kinds.extend(beginnings());
    kinds.extend(iterations());
    kinds.extend(step_ends().into_iter().map(|end| EventKind::StepFinished { step: 1, end }));
    kinds.extend(interruptions());
    kinds.extend(run_ends().into_iter().map(|end| EventKind::RunFinished { end }));
    kinds
}

fn resumed(changes: LimitChanges, moved_to: Option<&str>, program: &str) -> EventKind {
    let moved_to = moved_to.map(str::to_owned);
    EventKind::RunResumed {
        run: run_id(7),
        program: program.to_owned(),
        changes,
        moved_to,
        sandboxes: None,
    }
}

fn beginnings() -> Vec<EventKind> {
    let stamp = Some(FileStamp("1731657552.123456789 40".to_owned()));
    let tree = Some(Fingerprint("5f3a9c".to_owned()));
    let changes = LimitChanges {
        iterations: Some(Count::parse("40").expect("a count")),
        timeout: Some(Limit::Off),
        idle_timeout: Some(Limit::At(HumanDuration::from_secs(90))),
        stagnation: Some(Limit::At(Count::parse("3").expect("a count"))),
        run_time: Some(Limit::parse("1500ms").expect("a time")),
        step_time: None,
        ..LimitChanges::default()
    };
    let program = "0.3.1".to_owned();
    vec![
        resumed(changes, None, &program),
        resumed(LimitChanges::default(), None, &program),
        EventKind::StepStarted { instead_of: None, step: 1, observation: Observation::default() },
        EventKind::StepStarted {
            instead_of: None,
            step: 2,
            observation: Observation { done_file: stamp, tree, ..Observation::default() },
        },
    ]
}

fn iterations() -> Vec<EventKind> {
    let (step, crashes, delay) = (1, 3, Duration::from_secs(4));
    let mut kinds = vec![
        iteration_started(1),
        EventKind::AgentStarted {
            unit: unit(1),
            pid: 4711,
            prompt: Some(Fingerprint("6c62272e07bb0142".into())),
        },
        EventKind::BackingOff { step, crashes, delay },
    ];
    for by in completions() {
        kinds.push(EventKind::CompletionRequested { unit: unit(1), by: by.clone() });
        kinds.push(iteration_finished(1, Verdict::Complete(by)));
    }
    for why in endings() {
        kinds.push(EventKind::AgentEnding { unit: unit(1), why });
        kinds.push(iteration_finished(1, Verdict::AgentStopped(why)));
    }
    for verdict in [Verdict::Incomplete, Verdict::Crashed, Verdict::Interrupted] {
        kinds.push(iteration_finished(1, verdict));
    }
    kinds.push(unseen_end());
    kinds
}

fn unseen_end() -> EventKind {
    let report = IterationReport {
        closing_text: None,
        checks: Vec::new(),
        verdict: Verdict::Interrupted,
        end: None,
        duration: Duration::ZERO,
        observation: Observation::default(),
        output: OutputSummary::default(),
        stream_summary: None,
        spend: None,
    };
    EventKind::IterationFinished { unit: unit(2), report }
}

fn completions() -> [CompletionSignal; 3] {
    let marker = "<promise>COMPLETE</promise>".to_owned();
    [
        CompletionSignal::Marker(MarkerMatch { marker, offset: 12, line: 3, message: None }),
        CompletionSignal::File,
        CompletionSignal::ExitCode,
    ]
}

fn endings() -> [StopReason; 6] {
    [
        StopReason::Lingering,
        StopReason::Idle,
        StopReason::Timeout,
        StopReason::StepTime,
        StopReason::RunTime,
        StopReason::Cancelled,
    ]
}

pub(crate) fn cancels() -> [CancelCause; 5] {
    [
        CancelCause::OutputClosed,
        CancelCause::Hangup,
        CancelCause::Interrupt,
        CancelCause::Terminate,
        CancelCause::GuardLost,
    ]
}

pub(crate) fn step_ends() -> Vec<StepEnd> {
    let reason = "argument list too long".to_owned();
    let mut ends = vec![
        StepEnd::MaxIterations,
        StepEnd::Failed(ProcessEnd::Exited(2)),
        StepEnd::Failed(ProcessEnd::Signaled(9)),
        StepEnd::Failed(ProcessEnd::NotStarted { reason, transient: false }),
        StepEnd::Stagnated(3),
        StepEnd::Cycling(2),
        StepEnd::StepTime,
        StepEnd::RunTime,
        StepEnd::Cancelled,
    ];
    ends.extend(completions().map(StepEnd::Complete));
    ends.extend(endings().map(StepEnd::AgentStopped));
    ends
}

fn interruptions() -> Vec<EventKind> {
    let mut kinds = cancels().map(|by| EventKind::Cancelled { by }).to_vec();
    kinds.extend([
        EventKind::Paused,
        EventKind::Continued,
        EventKind::MachineSlept { duration: Duration::from_millis(3_600_001) },
        warning("\"quotes\", \\, a line\nbreak, \u{1b}[0m, \u{2028} and ünïcödé"),
    ]);
    kinds
}

fn run_ends() -> Vec<RunEnd> {
    let mut ends = vec![RunEnd::Complete];
    ends.extend(step_ends().into_iter().take(3).map(|end| RunEnd::Incomplete { step: 1, end }));
    ends.extend(cancels().map(RunEnd::Interrupted));
    ends
}

/// Facts from streams that are understood, and their consequences.
fn kinds_since_2_0() -> Vec<EventKind> {
    let changes = LimitChanges {
        run_cost: Some(Limit::parse("12.50").expect("an amount")),
        step_cost: Some(Limit::Off),
        max_wait: Some(Limit::At(HumanDuration::from_secs(7200))),
        ..LimitChanges::default()
    };
    let marker = "FORKHESTRA_COMPLETE".to_owned();
    let in_message = MarkerMatch { marker, offset: 40_962, line: 2, message: Some(3) };
    let by = CompletionSignal::Marker(in_message);
    let mut kinds = vec![resumed(changes, None, "0.6.0")];
    kinds.extend(spends().map(|spend| EventKind::Spent { unit: unit(1), spend }));
    kinds.push(EventKind::CompletionRequested { unit: unit(1), by: by.clone() });
    kinds.push(finished_with_summary(Verdict::Complete(by), OutcomeClass::Finished));
    kinds.push(finished_with_summary(
        Verdict::Refused(ClaimRefusal::NoWork),
        OutcomeClass::Finished,
    ));
    kinds.push(finished_with_summary(Verdict::Postponed, OutcomeClass::UsageLimit));
    kinds.extend(OutcomeClass::ALL.map(|class| finished_with_summary(Verdict::Blocked, class)));
    let until = Timestamp::from_milliseconds(timestamp().milliseconds() + 7_200_000);
    for why in [WaitCause::UsageLimit, WaitCause::Overloaded] {
        kinds.push(EventKind::Waiting { step: 1, why, until });
    }
    for why in endings_since_2_0() {
        kinds.push(EventKind::AgentEnding { unit: unit(1), why });
        kinds.push(iteration_finished(1, Verdict::AgentStopped(why)));
    }
    let ends = step_ends_since_2_0();
    kinds.extend(ends.into_iter().map(|end| EventKind::StepFinished { step: 1, end }));
    let end = step_ends_since_2_0().swap_remove(3);
    kinds.push(EventKind::RunFinished { end: RunEnd::Incomplete { step: 1, end } });
    kinds
}

/// Spends of which all, a part and nothing has a price.
pub(crate) fn spends() -> [Spend; 3] {
    let tokens = TokenCounts {
        input: 2100,
        output: 75,
        cache_read: 8700,
        cache_write: 790,
        cache_write_1h: 0,
    };
    let dollars = Dollars::from_nanos(12_345_678);
    [
        Spend { tokens, dollars, unpriced: false },
        Spend { tokens: TokenCounts { cache_write_1h: 9, ..tokens }, dollars, unpriced: true },
        Spend { tokens, dollars: Dollars::from_nanos(0), unpriced: true },
    ]
}

fn finished_with_summary(verdict: Verdict, class: OutcomeClass) -> EventKind {
    let is_limit = class == OutcomeClass::UsageLimit;
    let outcome = AgentOutcome {
        class,
        message: Some("You've hit your 5-hour limit".to_owned()).filter(|_| is_limit),
        resets: Some(Timestamp::from_milliseconds(timestamp().milliseconds() + 7_170_000))
            .filter(|_| is_limit),
    };
    let activity = AgentActivity { turns: 4, tool_calls: 3, denials: 1, retries: 2 };
    let EventKind::IterationFinished { unit, mut report } = iteration_finished(1, verdict) else {
        unreachable!("it is what it is called")
    };
    report.stream_summary = Some(StreamSummary { outcome, activity });
    report.spend = Some(spends()[0]);
    EventKind::IterationFinished { unit, report }
}

fn endings_since_2_0() -> [StopReason; 4] {
    [StopReason::Futile, StopReason::StepCost, StopReason::RunCost, StopReason::CostUnknown]
}

pub(crate) fn step_ends_since_2_0() -> Vec<StepEnd> {
    let message = Some("Invalid API key".to_owned());
    let blocked = AgentOutcome { message, ..AgentOutcome::of(OutcomeClass::Authentication) };
    let mut ends = vec![StepEnd::StepCost, StepEnd::RunCost, StepEnd::CostUnknown];
    ends.push(StepEnd::Blocked(blocked));
    ends.extend(OutcomeClass::ALL.map(|class| StepEnd::Blocked(AgentOutcome::of(class))));
    ends.extend(endings_since_2_0().map(StepEnd::AgentStopped));
    ends
}

/// A host where every program is installed.
struct SampleHost;

impl HostEnvironment for SampleHost {
    fn locate(&self, program: &str) -> ProgramLocation {
        ProgramLocation::Found(format!("/usr/bin/{program}"))
    }

    fn file(&self, _path: &str) -> FileState {
        FileState::Readable
    }

    fn prompt_file(&self, _path: &str) -> FileState {
        FileState::Readable
    }

    fn task_database(&self) -> Option<String> {
        None
    }
}

/// The plan of the frozen journals, without later defaults for loops of builders.
pub(crate) fn plan() -> Plan {
    let chain = Dsl::parse("planner -> builder:10").expect("a chain");
    let request = PlanRequest::new(RunTarget::Dsl(chain), "/home/ada/engine");
    let mut plan =
        plan::build(&request, &forkhestra_core::config::ConfigLayers::default(), &SampleHost)
            .expect("nothing is wrong with it")
            .plan;
    for step in &mut plan.steps {
        step.checks.clear();
        step.sandbox = None;
        step.limits.stagnation = Sourced::default(Limit::Off);
    }
    plan
}
