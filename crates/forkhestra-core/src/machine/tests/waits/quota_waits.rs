//! Waits for the quota of an account: no agent is started while a window is too full.

use super::super::support::run_simulation::{fold, start};
use crate::config::{Backend, CheckWhen, OnHookError};
use crate::control::ControlRequest;
use crate::event::{LimitChanges, OutcomeClass, WaitCause};
use crate::hook::HookPoint;
use crate::id::UnitId;
use crate::machine::tests::checks::checked;
use crate::machine::tests::hooks::hooked;
use crate::machine::tests::properties::{assert_quota_holds, with_quota};
use crate::machine::tests::task_poll::{ready, working_through_tasks};
use crate::machine::tests::*;
use crate::plan::{AgentKind, DirectSpawn, Replay, ReplaySpeed};
use crate::policy::TaskWork;
use crate::quota::{QuotaLimits, QuotaReading, QuotaWindow};
use crate::time::Timestamp;

pub(super) const HOUR: u64 = 3600;
pub(super) const FIVE_HOURS: QuotaWindow = QuotaWindow::FiveHours;
pub(super) const SEVEN_DAYS: QuotaWindow = QuotaWindow::SevenDays;

/// A chain with a quota.
pub(super) fn plan_with(chain: &str, quota: &str) -> Plan {
    with_quota(plan(chain), QuotaLimits::parse(quota).ok())
}

/// An agent that does its work, and reports that this much of a window is used.
pub(super) fn reporting(window: QuotaWindow, used: u16, resets_in: u64) -> SimulatedAgent {
    SimulatedAgent::with_outcome(OutcomeClass::Finished).reporting(window, used, resets_in)
}

/// This agent at first, then one that completes and reports nothing.
pub(super) fn first(agent: SimulatedAgent) -> impl Fn(UnitId) -> SimulatedAgent + Clone + 'static {
    move |unit| match (unit.step, unit.iteration, unit.attempt) {
        (1, 1, 1) => agent.clone(),
        _ => SimulatedAgent::understood_done(),
    }
}

pub(super) fn waits(run: &RunSimulation) -> Vec<(WaitCause, u64)> {
    let wait = |event: &Event| match &event.kind {
        EventKind::Waiting { why, until, .. } => {
            Some((*why, until.saturating_since(event.at).as_secs()))
        }
        _ => None,
    };
    run.events.iter().filter_map(wait).collect()
}

pub(super) fn is_waiting(kind: &EventKind) -> bool {
    matches!(kind, EventKind::Waiting { why: WaitCause::Quota, .. })
}

fn readings(run: &RunSimulation) -> Vec<(Backend, QuotaWindow, u16)> {
    let reading = |kind: &EventKind| match kind {
        EventKind::Quota { backend, window, used, .. } => Some((*backend, *window, *used)),
        _ => None,
    };
    run.kinds().filter_map(reading).collect()
}

pub(super) fn quota(text: &str) -> LimitChanges {
    LimitChanges { quota: limit(text), ..LimitChanges::default() }
}

pub(super) fn max_wait(text: &str) -> LimitChanges {
    LimitChanges { max_wait: limit(text), ..LimitChanges::default() }
}

pub(super) fn ended(run: &RunSimulation) -> String {
    ends(run.machine.state())
}

/// The waits of a run are exact to the second: an agent needs 10 ms.
pub(super) fn one_wait(run: &RunSimulation) -> Option<u64> {
    match waits(run).as_slice() {
        [] => None,
        [(WaitCause::Quota, seconds)] => Some(*seconds),
        other => panic!("{other:?}"),
    }
}

/// The limit, the reported share, the end of the window, and the wait.
#[test]
fn an_agent_is_not_started_until_its_windows_allow_it() {
    for (limits, window, used, resets_in, expected) in [
        ("5h=90%", FIVE_HOURS, 90, HOUR, None),
        ("5h=90%", FIVE_HOURS, 91, HOUR, Some(HOUR)),
        ("5h=90%", FIVE_HOURS, 91, 0, None),
        ("5h=100%", FIVE_HOURS, 100, HOUR, None),
        ("5h=100%", FIVE_HOURS, 101, HOUR, Some(HOUR)),
        ("5h=90%", SEVEN_DAYS, 100, HOUR, None),
        ("7d=1%", SEVEN_DAYS, 2, 5 * HOUR, Some(5 * HOUR)),
        ("5h=50%,7d=50%", SEVEN_DAYS, 51, 5 * HOUR, Some(5 * HOUR)),
        // The second hour begins in half an hour.
        ("5h=even", FIVE_HOURS, 20, 4 * HOUR + HOUR / 2, None),
        ("5h=even", FIVE_HOURS, 21, 4 * HOUR + HOUR / 2, Some(HOUR / 2)),
        ("5h=even", FIVE_HOURS, 41, 4 * HOUR + HOUR / 2, Some(HOUR + HOUR / 2)),
        ("5h=even", FIVE_HOURS, 100, HOUR, None),
        ("5h=even", FIVE_HOURS, 101, HOUR, Some(HOUR)),
        // The last day begins in an hour.
        ("7d=even", SEVEN_DAYS, 86, 25 * HOUR, Some(HOUR)),
        ("7d=even", SEVEN_DAYS, 85, 25 * HOUR, None),
    ] {
        let run =
            RunSimulation::new(plan_with("a:2", limits), first(reporting(window, used, resets_in)));
        let run = run.run();
        let case = format!("{limits}: {used} % of {window:?}, {resets_in} s left");
        // The agent had worked for 10 ms when the wait began.
        let expected = expected.map(|seconds| seconds - 1);
        assert_eq!(one_wait(&run), expected, "{case}");
        assert_eq!(run.took().as_secs(), expected.map_or(0, |seconds| seconds + 1), "{case}");
        assert_eq!((run.spawned.len(), ended(&run).as_str()), (2, "marker: complete"), "{case}");
        assert_eq!(verdicts(&run), ["incomplete", "complete"], "{case}");
        assert_quota_holds(&run.events);
    }
}

#[test]
fn an_unknown_quota_holds_no_agent_back() {
    let run = RunSimulation::new(plan_with("a:3", "5h=1%,7d=1%"), |_| {
        SimulatedAgent::with_outcome(OutcomeClass::Finished)
    });
    let run = run.run();
    assert_eq!((one_wait(&run), run.spawned.len()), (None, 3));
    assert_eq!(run.machine.state().quota_text(1, start().wall), None, "unknown is not 0 %");
}

#[test]
fn a_reported_share_is_recorded_when_it_changes() {
    let reporting_often = |unit: UnitId| {
        let agent = reporting(FIVE_HOURS, 40, HOUR).reporting(FIVE_HOURS, 40, HOUR);
        let agent = agent.reporting(SEVEN_DAYS, 7, 90 * HOUR).reporting(FIVE_HOURS, 40, HOUR + 1);
        match unit.iteration {
            3 => agent.reporting(FIVE_HOURS, 41, HOUR),
            _ => agent,
        }
    };
    let run = RunSimulation::new(plan("a:3"), reporting_often).run();
    let (claude, told) = (Backend::Claude, readings(&run));
    assert_eq!(told, [(claude, FIVE_HOURS, 40), (claude, SEVEN_DAYS, 7), (claude, FIVE_HOURS, 41)]);
    let state = run.machine.state();
    assert_eq!(state.quota_text(1, start().wall).as_deref(), Some("5h 41 % · 7d 7 %"));
    assert_eq!(fold(&run.events), *state);
}

/// The agents of the second step use the account of these back-ends.
fn second_step_uses(backend: Option<Backend>) -> Plan {
    let mut plan = plan_with("a -> b", "5h=90%");
    let location = ProgramLocation::Found("/bin/a".to_owned());
    let direct = |backend| DirectSpawn::new(backend, "a".to_owned(), location.clone());
    plan.steps[0].agent.kind = AgentKind::Direct(direct(Backend::Claude));
    if let Some(backend) = backend {
        plan.steps[1].agent.kind = AgentKind::Direct(direct(backend));
    }
    plan
}

#[test]
fn the_account_is_that_of_the_back_end_in_every_step() {
    let script = |unit: UnitId| match unit.step {
        1 => reporting(FIVE_HOURS, 95, HOUR),
        _ => SimulatedAgent::with_outcome(OutcomeClass::Finished),
    };
    for (backend, expected) in [
        (Some(Backend::Claude), Some(HOUR - 1)),
        (Some(Backend::Codex), None),
        (Some(Backend::Gemini), None),
        // The account of a program is unknown.
        (None, None),
    ] {
        let run = RunSimulation::new(second_step_uses(backend), script).run();
        assert_eq!(one_wait(&run), expected, "{backend:?}");
        assert_eq!(run.spawned.len(), 2, "{backend:?}");
    }
}

#[test]
fn a_program_that_repeats_what_is_known_uses_the_account() {
    let script = |unit: UnitId| match unit.step {
        1 => reporting(FIVE_HOURS, 95, HOUR),
        _ if unit.iteration == 1 => reporting(FIVE_HOURS, 95, HOUR),
        _ => SimulatedAgent::understood_done(),
    };
    let mut plan = second_step_uses(None);
    plan.steps[1].iterations = plan_with("b:2", "5h=90%").steps[0].iterations;
    let run = RunSimulation::new(plan, script).run();
    assert_eq!(readings(&run).len(), 2, "the second one tells whose account the step uses");
    assert_eq!((one_wait(&run), run.spawned.len()), (Some(HOUR - 1), 3));
    assert_quota_holds(&run.events);
}

#[test]
fn an_agent_that_should_tell_and_does_not_is_named_once() {
    let warnings = |run: &RunSimulation| {
        let is_about_quota = |kind: &&EventKind| matches!(kind, EventKind::Warning { message } if message.starts_with("quota is not enforced: "));
        run.kinds().filter(is_about_quota).count()
    };
    let silent = |_: UnitId| SimulatedAgent::with_outcome(OutcomeClass::Finished);
    let both = || second_step_uses(Some(Backend::Claude));
    let run = RunSimulation::new(both(), silent).run();
    assert_eq!(warnings(&run), 1);
    let events = up_to(&run, |kind| matches!(kind, EventKind::StepFinished { .. }));
    let again = RunSimulation::resumed(&events, LimitChanges::default(), silent).run();
    assert_eq!(warnings(&again), 0, "it is recorded already");
    let reports = |_: UnitId| reporting(FIVE_HOURS, 10, HOUR);
    let mut unlimited = both();
    unlimited.steps.iter_mut().for_each(|step| step.limits.quota.value = Limit::Off);
    let mut of_codex = second_step_uses(Some(Backend::Codex));
    of_codex.steps[0].limits.quota.value = Limit::Off;
    for run in [
        RunSimulation::new(both(), reports),
        RunSimulation::new(unlimited, silent),
        RunSimulation::new(of_codex, silent),
        RunSimulation::new(plan_with("a:3", "5h=90%"), silent),
        RunSimulation::new(both(), |_| SimulatedAgent::exiting(1)),
    ] {
        assert_eq!(warnings(&run.run()), 0);
    }
}

/// A window cannot end later than it is long.
#[test]
fn an_implausible_reset_is_dropped() {
    for (window, resets_in, expected) in [
        (FIVE_HOURS, 5 * HOUR + HOUR / 2, 1),
        (FIVE_HOURS, 50 * HOUR, 0),
        (SEVEN_DAYS, 50 * HOUR, 1),
        (SEVEN_DAYS, 24 * 8 * HOUR, 0),
    ] {
        let run = RunSimulation::new(plan("a:2"), first(reporting(window, 95, resets_in))).run();
        assert_eq!(readings(&run).len(), expected, "{window:?} in {resets_in} s");
    }
}

#[test]
fn a_recording_uses_no_account() {
    let mut plan = plan_with("a:2", "5h=90%");
    let speed = ReplaySpeed::parse("max").expect("it is a speed");
    plan.steps[0].agent.replay = Some(Replay { recording: "r".to_owned(), step: 1, speed });
    let run = RunSimulation::new(plan, first(reporting(FIVE_HOURS, 95, HOUR))).run();
    assert_eq!((readings(&run), one_wait(&run)), (vec![], None));
}

#[test]
fn a_wait_that_is_longer_than_max_wait_ends_the_step() {
    for (limits, window, resets_in, longest, expected) in [
        ("5h=90%", FIVE_HOURS, 2 * HOUR, "2h", "marker: complete"),
        ("5h=90%", FIVE_HOURS, 2 * HOUR, "1h", "quota: incomplete at 1"),
        ("7d=90%", SEVEN_DAYS, 7 * HOUR, "6h", "quota: incomplete at 1"),
        ("7d=90%", SEVEN_DAYS, 90 * HOUR, "off", "marker: complete"),
        // Only an hour is left until the last day.
        ("7d=even", SEVEN_DAYS, 25 * HOUR, "6h", "marker: complete"),
    ] {
        let mut plan = plan_with("a:2", limits);
        plan.steps[0].limits.max_wait.value = limit(longest).expect("there is one");
        let run = RunSimulation::new(plan, first(reporting(window, 91, resets_in))).run();
        assert_eq!(ended(&run), expected, "{limits} {longest}");
        let is_complete = expected == "marker: complete";
        assert_eq!(one_wait(&run).is_some(), is_complete, "{limits} {longest}");
        assert_eq!(run.spawned.len(), if is_complete { 2 } else { 1 }, "{limits} {longest}");
    }
}

#[test]
fn a_quota_is_waited_for_after_a_usage_limit() {
    let limited = SimulatedAgent::with_outcome(OutcomeClass::UsageLimit)
        .with(|stream| stream.resets_in = Some(HOUR))
        .reporting(FIVE_HOURS, 100, HOUR)
        .reporting(SEVEN_DAYS, 85, 4 * HOUR);
    let run = RunSimulation::new(plan_with("a:1", "5h=90%,7d=80%"), first(limited.clone())).run();
    let expected = [(WaitCause::UsageLimit, HOUR + 30), (WaitCause::Quota, 3 * HOUR - 31)];
    assert_eq!(waits(&run), expected);
    assert_eq!((ended(&run).as_str(), run.spawned.len()), ("marker: complete", 2));
    // Together they are too long.
    let mut plan = plan_with("a:1", "5h=90%,7d=80%");
    plan.steps[0].limits.max_wait.value = limit("3h").expect("there is one");
    let run = RunSimulation::new(plan, first(limited)).run();
    assert_eq!((ended(&run).as_str(), waits(&run).len()), ("quota: incomplete at 1", 1));
}

/// A quota delays an agent, and nothing else.
#[test]
fn a_step_that_starts_no_agent_does_not_wait() {
    let script = first(reporting(FIVE_HOURS, 95, 4 * HOUR));
    let stuck = || TaskWork::Stuck("TASK-2 is blocked".to_owned());
    for (chain, left, expected) in [
        ("a:3", TaskWork::AllDone, "tasks_done: complete"),
        ("a:3", stuck(), "tasks_blocked: incomplete at 1"),
        ("a:3", TaskWork::Empty, "no_tasks: incomplete at 1"),
        ("a -> b:3", TaskWork::AllDone, "exit_code tasks_done: complete"),
        ("a -> b:3", stuck(), "exit_code tasks_blocked: incomplete at 2"),
    ] {
        for longest in ["6h", "1h"] {
            let mut plan = working_through_tasks(plan_with(chain, "5h=90%"));
            for step in &mut plan.steps {
                step.limits.max_wait.value = limit(longest).expect("there is one");
            }
            let (left, is_first) = (left.clone(), chain == "a:3");
            let run = RunSimulation::new(plan, script.clone()).with_tasks(move |_, finished| {
                (if is_first && finished == 0 { ready() } else { left.clone() }, 5)
            });
            let run = run.run();
            assert_eq!((ended(&run).as_str(), waits(&run)), (expected, vec![]), "{chain}");
            assert_eq!(run.spawned.len(), 1, "{chain}");
        }
    }
    let mut plan = plan_with("a -> b:3", "5h=90%");
    plan.steps[1].checks = checked("a", &[CheckWhen::Completion]).steps[0].checks.clone();
    plan.steps[1].checks[0].value.must_fail_first = true;
    let run = RunSimulation::new(plan, script).run();
    assert_eq!(
        (ended(&run).as_str(), waits(&run)),
        ("exit_code cannot_check: incomplete at 2", vec![])
    );
}

#[test]
fn the_tasks_are_asked_again_after_a_wait() {
    let script = first(reporting(FIVE_HOURS, 95, 4 * HOUR));
    let plan = working_through_tasks(plan_with("a:3", "5h=90%"));
    let polls = std::cell::Cell::new(0);
    let run = RunSimulation::new(plan, script.clone()).with_tasks(move |_, _| {
        polls.set(polls.get() + 1);
        // The first poll is that before the first iteration.
        (if polls.get() < 3 { ready() } else { TaskWork::AllDone }, 5)
    });
    let run = run.run();
    assert_eq!(one_wait(&run), Some(4 * HOUR - 1));
    assert_eq!((ended(&run).as_str(), run.spawned.len()), ("tasks_done: complete", 1));
    // A changed limit decides again, with the tasks as they are then.
    let plan = working_through_tasks(plan_with("a:3", "5h=90%"));
    let polls = std::cell::Cell::new(0);
    let run = RunSimulation::new(plan, script).with_tasks(move |_, _| {
        polls.set(polls.get() + 1);
        (if polls.get() < 3 { ready() } else { TaskWork::AllDone }, 5)
    });
    let run = run.asked_at(10_000, ControlRequest::Set(max_wait("1h"))).run();
    assert_eq!((ended(&run).as_str(), run.took().as_secs()), ("tasks_done: complete", 10));
}

#[test]
fn waits_for_the_quota_do_not_add_up_over_iterations() {
    let run =
        RunSimulation::new(plan_with("a:4", "5h=90%"), |_| reporting(FIVE_HOURS, 95, 4 * HOUR));
    let run = run.run();
    assert_eq!(waits(&run).len(), 3, "each is four hours long, and six are allowed");
    assert_eq!(ended(&run), "max_iterations: incomplete at 1");
}

#[test]
fn the_calendar_decides_when_a_wait_is_over() {
    let script = first(reporting(FIVE_HOURS, 95, 5 * HOUR));
    let waiting = || {
        let mut run = RunSimulation::new(plan_with("a:2", "5h=90%"), script.clone());
        while waits(&run).is_empty() {
            assert!(run.step());
        }
        run
    };
    let mut slept = waiting();
    slept.set_forward(seconds(6 * HOUR));
    slept.feed(Input::Slept(seconds(6 * HOUR)));
    assert!(slept.run().took() < seconds(1));
    let mut set_back = waiting();
    set_back.set_back(seconds(24 * HOUR));
    let set_back = set_back.run();
    assert_eq!(
        (set_back.took().as_secs(), ended(&set_back).as_str()),
        (5 * HOUR, "marker: complete")
    );
}

#[test]
fn times_of_run_and_step_end_a_wait() {
    let run_time = limited("a:9", |limits| limits.run_time = limit("1h"));
    let run_time = with_quota(run_time, QuotaLimits::parse("5h=90%").ok());
    let mut step_time = plan_with("a:9", "5h=90%");
    step_time.steps[0].limits.time.value = limit("1h").expect("there is one");
    for (plan, end) in [(run_time, "run_time"), (step_time, "step_time")] {
        let run = RunSimulation::new(plan, |_| reporting(FIVE_HOURS, 95, 2 * HOUR)).run();
        assert_eq!(ended(&run), format!("{end}: incomplete at 1"));
        assert_eq!(run.took().as_secs(), HOUR);
    }
}

#[test]
fn a_changed_quota_holds_at_once() {
    let script = first(reporting(FIVE_HOURS, 60, 4 * HOUR));
    let set = |changes| ControlRequest::Set(changes);
    let run = |quota, change| {
        let run = RunSimulation::new(plan_with("a:2", quota), script.clone());
        run.asked_at(10_000, set(change)).run()
    };
    for change in ["5h=60%", "off", "7d=even"] {
        let higher = run("5h=50%", quota(change));
        assert_eq!((ended(&higher).as_str(), higher.took().as_secs()), ("marker: complete", 10));
    }
    let same = run("5h=50%", quota("5h=40%"));
    assert_eq!((waits(&same).len(), same.took().as_secs()), (1, 4 * HOUR), "it is said once");
    // In the third hour, 60 % are allowed.
    let even = run("5h=50%", quota("5h=even"));
    let expected = [4 * HOUR - 1, HOUR - 10];
    assert_eq!(waits(&even), expected.map(|seconds| (WaitCause::Quota, seconds)));
    let shorter = run("5h=50%", max_wait("1h"));
    assert_eq!(
        (ended(&shorter).as_str(), shorter.took().as_secs()),
        ("quota: incomplete at 1", 10)
    );
}

#[test]
fn a_quota_that_is_set_during_a_backoff_holds_the_next_agent_back() {
    let script = |unit: UnitId| match unit.iteration {
        1..=4 => {
            SimulatedAgent::with_outcome(OutcomeClass::Crashed).reporting(FIVE_HOURS, 60, HOUR)
        }
        _ => SimulatedAgent::understood_done(),
    };
    let run = RunSimulation::new(plan("a:5"), script)
        .asked_at(500, ControlRequest::Set(quota("5h=50%")))
        .run();
    assert_eq!((ended(&run).as_str(), waits(&run).len()), ("marker: complete", 4));
}

#[test]
fn hooks_for_limits_run_before_a_wait_and_an_end() {
    use HookPoint::{OnLimit, PreIteration};
    let hooks = [OnLimit, PreIteration].map(|point| (point, OnHookError::Continue));
    let script = first(reporting(FIVE_HOURS, 60, 4 * HOUR));
    let points = |run: &RunSimulation| -> Vec<HookPoint> {
        let hook = |kind: &EventKind| match kind {
            EventKind::HookFinished { report } => Some(report.moment.point),
            _ => None,
        };
        run.kinds().filter_map(hook).collect()
    };
    let waiting = hooked(plan_with("a:2", "5h=50%"), &hooks);
    let run = RunSimulation::new(waiting.clone(), script.clone()).run();
    assert_eq!(points(&run), [PreIteration, OnLimit, PreIteration]);
    let mut ending = waiting.clone();
    ending.steps[0].limits.max_wait.value = limit("1h").expect("there is one");
    let run = RunSimulation::new(ending, script.clone()).run();
    assert_eq!(points(&run), [PreIteration, OnLimit]);
    // A limit that is raised while the hook runs makes the wait needless.
    let mut run = RunSimulation::new(waiting, script);
    let is_hooked = |run: &RunSimulation| {
        let started = |kind: &EventKind| matches!(kind, EventKind::AuxJobStarted { .. });
        run.kinds().filter(|kind| started(kind)).count() == 2
    };
    while !is_hooked(&run) {
        assert!(run.step());
    }
    run.ask(ControlRequest::Set(quota("off")));
    let run = run.run();
    assert_eq!((waits(&run), points(&run)), (vec![], vec![PreIteration, OnLimit, PreIteration]));
}

#[test]
fn a_quota_that_is_set_while_a_hook_runs_holds_the_agent_back() {
    let hooks = [(HookPoint::PreIteration, OnHookError::Continue)];
    let script = first(reporting(FIVE_HOURS, 60, HOUR));
    let mut run = RunSimulation::new(hooked(plan("a:2"), &hooks), script);
    let is_hooked = |run: &RunSimulation| {
        let started = |kind: &EventKind| matches!(kind, EventKind::AuxJobStarted { .. });
        run.kinds().filter(|kind| started(kind)).count() == 2
    };
    while !is_hooked(&run) {
        assert!(run.step());
    }
    run.ask(ControlRequest::Set(quota("5h=50%")));
    let run = run.run();
    assert_eq!((ended(&run).as_str(), waits(&run).len()), ("marker: complete", 1));
    assert_quota_holds(&run.events);
}

#[test]
fn a_skipped_or_stopped_wait_ends() {
    let script = first(reporting(FIVE_HOURS, 60, HOUR));
    for (request, expected) in [
        (ControlRequest::Skip, "skipped: complete"),
        (ControlRequest::Stop, "interrupted: stop"),
        (ControlRequest::StopNow, "interrupted: stop_now"),
    ] {
        let run = RunSimulation::new(plan_with("a:2", "5h=50%"), script.clone());
        let run = run.asked_at(10_000, request).run();
        assert_eq!((ended(&run).as_str(), run.took().as_secs()), (expected, 10));
    }
}

#[test]
fn a_reading_of_an_agent_that_has_ended_is_dropped() {
    let mut run =
        RunSimulation::new(plan("a:2"), |_| SimulatedAgent::with_outcome(OutcomeClass::Finished));
    let unit = UnitId { step: 1, iteration: 1, attempt: 1 };
    while run.spawned.len() < 2 {
        assert!(run.step());
    }
    let resets = Timestamp::from_milliseconds(9_000_000);
    let reading = QuotaReading { window: FIVE_HOURS, used: 99, resets };
    run.feed(Input::QuotaReported { unit, reading });
    assert_eq!(readings(&run.run()), []);
}
