//! Hooks run at their hook points, in order, once.

use super::checks::{ON_COMPLETION, checked};
use super::support::aux_job_scripts::AuxJobScript;
use super::support::run_simulation::fold;
use super::*;
use crate::config::{OnCycle, OnHookError};
use crate::event::{AuxJob, CancelCause, LimitChanges, OutcomeClass};
use crate::hook::HookPoint;
use crate::id::UnitId;
use crate::machine::recovery::RecoveryCase;
use crate::plan::{PlanHook, Sourced};
use crate::text::count::Count;

type HookTestScript = fn(UnitId) -> SimulatedAgent;

/// The same plan with hooks.
pub(super) fn hooked(mut plan: Plan, hooks: &[(HookPoint, OnHookError)]) -> Plan {
    let hook = |(on, on_error): &(HookPoint, OnHookError)| {
        Sourced::default(PlanHook {
            on: *on,
            run: format!("./{on}.sh"),
            timeout: Limit::At(HumanDuration::from_secs(60)),
            on_error: *on_error,
        })
    };
    plan.hooks = hooks.iter().map(hook).collect();
    plan
}

/// The same plan with a hook at every hook point.
fn everywhere(plan: Plan) -> Plan {
    hooked(plan, &HookPoint::ALL.map(|point| (point, OnHookError::Continue)))
}

fn with_one(plan: Plan, point: HookPoint, on_error: OnHookError) -> Plan {
    hooked(plan, &[(point, on_error)])
}

fn same() -> LimitChanges {
    LimitChanges::default()
}

/// Which hooks ran, and for which iteration.
fn ran(run: &RunSimulation) -> Vec<String> {
    run.aux_jobs
        .ran
        .iter()
        .filter_map(|aux_job| match aux_job {
            AuxJob::Hook { moment, .. } => Some(match moment.unit {
                Some(unit) => format!("{} {unit}", moment.point),
                None => moment.point.to_string(),
            }),
            _ => None,
        })
        .collect()
}

fn failures(run: &RunSimulation) -> Vec<Option<&str>> {
    run.kinds()
        .filter_map(|kind| match kind {
            EventKind::HookFinished { report } => Some(report.failure.as_deref()),
            _ => None,
        })
        .collect()
}

#[test]
fn hooks_run_before_and_after_each_iteration_and_at_the_end() {
    let second = |unit: UnitId| {
        if unit.iteration == 2 { SimulatedAgent::done() } else { SimulatedAgent::exiting(0) }
    };
    let run = RunSimulation::new(everywhere(plan("a:3 -> b")), second).run();
    let expected = [
        "pre-iteration 1.1.1",
        "post-iteration 1.1.1",
        "pre-iteration 1.2.1",
        "post-iteration 1.2.1",
        "pre-iteration 2.1.1",
        "post-iteration 2.1.1",
        "on-complete 2.1.1",
    ];
    assert_eq!(ran(&run), expected);
    assert_eq!(run.machine.end(), Some(&RunEnd::Complete));
}

#[test]
fn hooks_of_one_point_run_in_order_although_the_first_fails() {
    let point = (HookPoint::OnComplete, OnHookError::Continue);
    let run = RunSimulation::new(hooked(plan("a"), &[point, point, point]), |_| {
        SimulatedAgent::exiting(0)
    })
    .with_chores(|aux_job| match aux_job {
        AuxJob::Hook { number: 1, .. } => AuxJobScript::exiting(3),
        AuxJob::Hook { number: 2, .. } => AuxJobScript::impossible(),
        _ => AuxJobScript::exiting(0),
    })
    .run();
    assert_eq!(failures(&run), [Some("exit 3"), Some("no"), None]);
    assert_eq!(run.machine.end(), Some(&RunEnd::Complete));
}

#[test]
fn each_end_calls_its_hooks() {
    let stagnating = limited("a:9", |limits| limits.stagnation = limit("2"));
    let mut cycling = plan("a:9");
    cycling.steps[0].on_cycle = Some(Sourced::default(OnCycle::Stop));
    let timed = limited("a:9", |limits| limits.run_time = limit("5s"));
    let still = |_: UnitId| SimulatedAgent { tree: Some('x'), ..SimulatedAgent::exiting(0) };
    let flips = |unit: UnitId| {
        let tree = Some(if unit.iteration.is_multiple_of(2) { 'x' } else { 'y' });
        SimulatedAgent { tree, ..SimulatedAgent::exiting(0) }
    };
    let table: [(Plan, HookTestScript, &[&str]); 8] = [
        (plan("a"), |_| SimulatedAgent::exiting(0), &["on-complete"]),
        (plan("a"), |_| SimulatedAgent::exiting(1), &["on-failure"]),
        (plan("a:2"), |_| SimulatedAgent::exiting(0), &["on-failure"]),
        (stagnating, still, &["on-stagnation"]),
        (cycling, flips, &["on-stagnation"]),
        (timed, |_| SimulatedAgent::hanging(), &["on-limit", "on-failure"]),
        (
            plan("a"),
            |_| SimulatedAgent::with_outcome(OutcomeClass::Authentication),
            &["on-failure"],
        ),
        (
            limited("a:9", |limits| limits.max_wait = limit("1s")),
            |_| SimulatedAgent::with_outcome(OutcomeClass::UsageLimit),
            &["on-limit", "on-failure"],
        ),
    ];
    for (plan, script, expected) in table {
        let run = RunSimulation::new(everywhere(plan), script).run();
        let all = ran(&run);
        let at_the_end = all.iter().filter(|name| name.starts_with("on-"));
        let points: Vec<&str> = at_the_end.filter_map(|name| name.split(' ').next()).collect();
        assert_eq!(points, expected, "{}", ends(run.machine.state()));
        assert!(matches!(run.kinds().last(), Some(EventKind::RunFinished { .. })));
    }
}

#[test]
fn an_interrupted_run_calls_only_its_interrupt_hook() {
    let run = RunSimulation::new(everywhere(plan("a:3")), |_| SimulatedAgent::hanging())
        .cancelled_at(5000, CancelCause::Interrupt)
        .run();
    assert_eq!(ran(&run), ["pre-iteration 1.1.1", "on-interrupt 1.1.1"]);
    for (by, again) in
        [(CancelCause::GuardLost, None), (CancelCause::Interrupt, Some(CancelCause::Interrupt))]
    {
        let deaf =
            |_| SimulatedAgent { obeys: Some(ProcessSignal::Kill), ..SimulatedAgent::hanging() };
        let mut run = RunSimulation::new(everywhere(plan("a:3")), deaf).cancelled_at(5000, by);
        if let Some(again) = again {
            run = run.cancelled_at(5500, again);
        }
        assert_eq!(ran(&run.run()), ["pre-iteration 1.1.1"], "there is no wait");
    }
}

/// The guard process bounds the time of a cancelled run.
#[test]
fn the_hooks_of_a_cancelled_run_have_little_time_in_all() {
    let point = (HookPoint::OnInterrupt, OnHookError::Continue);
    let slow_first = |aux_job| match aux_job {
        AuxJob::Hook { number: 1, .. } => {
            AuxJobScript { exits_at: Some(15_000), ..AuxJobScript::exiting(0) }
        }
        AuxJob::Hook { number: 2, .. } => AuxJobScript::hanging(),
        _ => AuxJobScript::exiting(0),
    };
    let run = RunSimulation::new(hooked(plan("a:3"), &[point, point, point]), |_| {
        SimulatedAgent::hanging()
    })
    .with_chores(slow_first)
    .cancelled_at(5000, CancelCause::Interrupt)
    .run();
    let not_called = "was not called: the run was cancelled, and other hooks took too long";
    assert_eq!(failures(&run), [None, Some("took too long"), Some(not_called)]);
    assert_eq!(ran(&run).len(), 2);
    assert_eq!(
        (run.took().as_secs(), ends(run.machine.state())),
        (25, "interrupted: interrupt".into())
    );
}

#[test]
fn the_hook_of_a_usage_limit_is_called_once_before_the_wait() {
    let limited = |unit: UnitId| match unit.attempt {
        1 => SimulatedAgent::with_outcome(OutcomeClass::UsageLimit)
            .with(|stream| stream.resets_in = Some(3600)),
        2 => SimulatedAgent::with_outcome(OutcomeClass::Overloaded)
            .with(|stream| stream.tool_calls = 0),
        _ => SimulatedAgent::understood_done(),
    };
    let plan = with_one(plan("a:3"), HookPoint::OnLimit, OnHookError::Continue);
    let run = RunSimulation::new(plan, limited).run();
    assert_eq!(ran(&run), ["on-limit 1.1.2"]);
    let waits = |kind: &EventKind| matches!(kind, EventKind::Waiting { .. });
    let hook = run.kinds().position(|kind| matches!(kind, EventKind::HookFinished { .. }));
    assert!(hook < run.kinds().position(waits));
    // A run that is killed or cancelled during the wait does not call the hook for it again.
    let killed = up_to(&run, waits);
    assert_eq!(ran(&RunSimulation::resumed(&killed, same(), limited).run()), Vec::<String>::new());
    let mut cancelled = RunSimulation::resumed(&killed, same(), limited);
    assert!(cancelled.step());
    cancelled.feed(Input::Cancel(CancelCause::Interrupt));
    let both = [killed, cancelled.events].concat();
    assert_eq!(fold(&both).end, Some(RunEnd::Interrupted(CancelCause::Interrupt)));
    assert_eq!(ran(&RunSimulation::resumed(&both, same(), limited).run()), Vec::<String>::new());
}

#[test]
fn a_hook_that_hangs_is_ended_after_its_time_and_the_run_goes_on() {
    let plan = with_one(plan("a"), HookPoint::PreIteration, OnHookError::Continue);
    let run = RunSimulation::new(plan, |_| SimulatedAgent::exiting(0))
        .with_chores(|_| AuxJobScript::hanging())
        .run();
    assert_eq!((failures(&run), run.took().as_secs()), (vec![Some("took too long")], 60));
    assert_eq!(ends(run.machine.state()), "exit_code: complete");
}

/// A hook that must not fail, before an agent, fails again after a resume until it is repaired.
#[test]
fn a_hook_that_must_not_fail_ends_the_run_before_the_agent_and_is_asked_again() {
    let plan = with_one(plan("a:2"), HookPoint::PreIteration, OnHookError::Abort);
    let red = || |_| AuxJobScript::exiting(1);
    let run = RunSimulation::new(plan, |_| SimulatedAgent::done()).with_chores(red()).run();
    assert_eq!(ends(run.machine.state()), "hook_failed: incomplete at 1");
    assert_eq!(run.spawned, []);
    let still =
        RunSimulation::resumed(&run.events, same(), |_| SimulatedAgent::done()).with_chores(red());
    let still = still.run();
    assert_eq!(ends(still.machine.state()), "hook_failed: incomplete at 1");
    assert_eq!(still.spawned, []);
    let mended = RunSimulation::resumed(&run.events, same(), |_| SimulatedAgent::done()).run();
    assert_eq!((ran(&mended).len(), ends(mended.machine.state())), (1, "marker: complete".into()));
}

#[test]
fn a_hook_that_must_not_fail_after_the_last_iteration_costs_no_other_one() {
    let plan = with_one(plan("a:2"), HookPoint::PostIteration, OnHookError::Abort);
    let run = RunSimulation::new(plan, |_| SimulatedAgent::done())
        .with_chores(|_| AuxJobScript::exiting(1))
        .run();
    assert_eq!(ends(run.machine.state()), "hook_failed: incomplete at 1");
    let again = RunSimulation::resumed(&run.events, same(), |_| SimulatedAgent::exiting(1)).run();
    assert_eq!(ends(again.machine.state()), "marker: complete");
    assert_eq!((again.spawned.len(), ran(&again)), (0, vec!["post-iteration 1.1.1".to_owned()]));
}

#[test]
fn at_an_end_no_hook_can_change_it() {
    let plan = with_one(plan("a"), HookPoint::OnComplete, OnHookError::Abort);
    let run = RunSimulation::new(plan, |_| SimulatedAgent::exiting(0))
        .with_chores(|_| AuxJobScript::exiting(1))
        .run();
    assert_eq!((ran(&run).len(), run.machine.end()), (1, Some(&RunEnd::Complete)));
}

#[test]
fn a_resumed_run_calls_no_iteration_hook_again() {
    let run = RunSimulation::new(everywhere(plan("a:2")), |_| SimulatedAgent::exiting(0)).run();
    assert_eq!(ran(&run).last().map(String::as_str), Some("on-failure 1.2.1"));
    let more = LimitChanges { iterations: Count::parse("3").ok(), ..same() };
    let again = RunSimulation::resumed(&run.events, more, |_| SimulatedAgent::done()).run();
    assert_eq!(ran(&again), ["pre-iteration 1.3.1", "post-iteration 1.3.1", "on-complete 1.3.1"]);
    // The hooks for the run's end are called again at its next end.
    let not_raised = RunSimulation::resumed(&run.events, same(), |_| SimulatedAgent::done()).run();
    assert_eq!(ran(&not_raised), ["on-failure 1.2.1"]);
}

#[test]
fn a_cancelled_hook_is_called_again_when_the_run_goes_on() {
    for (point, spawned) in [(HookPoint::PreIteration, 0), (HookPoint::PostIteration, 1)] {
        let plan = with_one(plan("a:2"), point, OnHookError::Continue);
        let run = RunSimulation::new(plan, |_| SimulatedAgent::exiting(0))
            .with_chores(|_| AuxJobScript::hanging())
            .cancelled_at(5000, CancelCause::Interrupt)
            .run();
        assert_eq!(ends(run.machine.state()), "interrupted: interrupt");
        assert_eq!((run.spawned.len(), failures(&run).len()), (spawned, 0));
        let again = RunSimulation::resumed(&run.events, same(), |_| SimulatedAgent::done()).run();
        assert_eq!(ran(&again)[0], ran(&run)[0]);
        assert_eq!(again.spawned.len(), 1);
    }
}

#[test]
fn a_cancelled_hook_after_the_last_iteration_leaves_the_step_complete() {
    let plan = with_one(plan("a:2"), HookPoint::PostIteration, OnHookError::Abort);
    let run = RunSimulation::new(plan, |_| SimulatedAgent::done())
        .with_chores(|_| AuxJobScript::hanging())
        .cancelled_at(5000, CancelCause::Interrupt)
        .run();
    assert_eq!(run.machine.end(), Some(&RunEnd::Complete));
}

#[test]
fn a_signal_at_the_end_ends_the_hook_and_not_the_others() {
    let point = (HookPoint::OnComplete, OnHookError::Continue);
    let hanging_first = |aux_job| match aux_job {
        AuxJob::Hook { number: 1, .. } => AuxJobScript::hanging(),
        _ => AuxJobScript::exiting(0),
    };
    let run = |again: bool| {
        let run =
            RunSimulation::new(hooked(plan("a"), &[point, point]), |_| SimulatedAgent::exiting(0))
                .with_chores(hanging_first)
                .cancelled_at(5000, CancelCause::Interrupt);
        if again { run.cancelled_at(5000, CancelCause::Interrupt) } else { run }.run()
    };
    assert_eq!(failures(&run(false)), [Some("was ended: cancelled"), None]);
    assert_eq!(run(false).machine.end(), Some(&RunEnd::Complete));
    assert_eq!(failures(&run(true)).len(), 1, "the second one is not waited for");
    assert_eq!(run(true).machine.end(), Some(&RunEnd::Complete));
}

#[test]
fn a_run_that_was_killed_in_a_hook_calls_it_again_and_those_before_it_not() {
    let point = (HookPoint::OnComplete, OnHookError::Continue);
    let whole =
        RunSimulation::new(hooked(plan("a"), &[point, point]), |_| SimulatedAgent::exiting(0))
            .run();
    let starts = |kind: &EventKind| {
        matches!(kind, EventKind::AuxJobStarted { aux_job: AuxJob::Hook { number: 2, .. }, .. })
    };
    let killed = up_to(&whole, starts);
    assert_eq!(RecoveryCase::from_state(&fold(&killed)), RecoveryCase::CompleteUnrecorded);
    let again = RunSimulation::resumed(&killed, same(), |_| SimulatedAgent::exiting(1)).run();
    assert!(matches!(again.aux_jobs.ran[..], [AuxJob::Hook { number: 2, .. }]));
    assert_eq!(again.machine.end(), Some(&RunEnd::Complete));
}

#[test]
fn the_hooks_of_an_iteration_come_after_its_checks() {
    let plan =
        with_one(checked("a:1", &ON_COMPLETION), HookPoint::PostIteration, OnHookError::Continue);
    let run = RunSimulation::new(plan, |_| SimulatedAgent::done()).run();
    assert!(matches!(run.aux_jobs.ran[..], [AuxJob::Check { .. }, AuxJob::Hook { .. }]));
    let finished = |kind: &EventKind| matches!(kind, EventKind::IterationFinished { .. });
    let hook = |kind: &EventKind| matches!(kind, EventKind::HookFinished { .. });
    assert!(run.kinds().position(finished) < run.kinds().position(hook));
}

#[test]
fn a_resume_calls_no_hook_of_an_interrupted_iteration() {
    let plan = with_one(plan("a:2"), HookPoint::PostIteration, OnHookError::Continue);
    let run = RunSimulation::new(plan, |_| SimulatedAgent::hanging())
        .cancelled_at(50, CancelCause::Interrupt)
        .run();
    let again = RunSimulation::resumed(&run.events, same(), |_| SimulatedAgent::done()).run();
    assert_eq!(ran(&again), ["post-iteration 1.1.2"]);
}

#[test]
fn no_agent_is_started_when_a_hook_has_used_up_the_time() {
    let mut plan = with_one(plan("a:2"), HookPoint::PreIteration, OnHookError::Continue);
    plan.limits.time.value = limit("20s").expect("there is one");
    let run = RunSimulation::new(plan, |_| SimulatedAgent::done())
        .with_chores(|_| AuxJobScript::hanging())
        .run();
    assert_eq!(ends(run.machine.state()), "run_time: incomplete at 1");
    assert_eq!(run.spawned, []);
}

#[test]
fn a_pause_stops_a_hook_and_its_clock() {
    let plan = with_one(plan("a"), HookPoint::PreIteration, OnHookError::Continue);
    let run = RunSimulation::new(plan, |_| SimulatedAgent::exiting(0))
        .with_chores(|_| AuxJobScript::hanging())
        .at(5000, Input::Pause)
        .run();
    assert_eq!(run.took().as_secs(), 3600 + 60);
}
