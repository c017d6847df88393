//! Time limits end hanging agents and report it.

use crate::machine::tests::*;

#[test]
fn an_iteration_that_takes_too_long_is_ended_and_the_loop_goes_on() {
    let plan = limited("a:3", |limits| limits.timeout = limit("30s"));
    let run = RunSimulation::new(plan, |_| SimulatedAgent::hanging()).run();
    assert_eq!(ends(run.machine.state()), "max_iterations: incomplete at 1");
    assert_eq!(endings(&run), [StopReason::Timeout; 3]);
    assert_eq!(run.took().as_secs(), 90);
}

#[test]
fn an_agent_that_runs_once_and_takes_too_long_has_failed() {
    let plan = limited("a", |limits| limits.timeout = limit("30s"));
    let run = RunSimulation::new(plan, |_| SimulatedAgent::hanging()).run();
    assert_eq!(ends(run.machine.state()), "timeout: incomplete at 1");
}

#[test]
fn an_idle_agent_is_ended_after_half_an_hour() {
    let agent = || SimulatedAgent { load: 0, ..SimulatedAgent::hanging() };
    let run = RunSimulation::new(plan("a:1"), move |_| agent()).run();
    assert_eq!(endings(&run), [StopReason::Idle]);
    assert_eq!(run.took().as_secs(), 1800);
}

#[test]
fn a_silent_agent_that_works_is_left_alone() {
    let agent = || SimulatedAgent { exits_at: Some(4 * 3600 * 1000), ..SimulatedAgent::exiting(0) };
    let run = RunSimulation::new(plan("a"), move |_| agent()).run();
    assert_eq!(ends(run.machine.state()), "exit_code: complete");
    assert!(run.probes > 400);
}

#[test]
fn an_idle_limit_that_is_off_asks_for_no_signs_of_life() {
    let plan = limited("a:1", |limits| {
        limits.idle_timeout = limit::<HumanDuration>("off");
        limits.timeout = limit("9h");
    });
    let run =
        RunSimulation::new(plan, |_| SimulatedAgent { load: 0, ..SimulatedAgent::hanging() }).run();
    assert_eq!((run.probes, endings(&run)), (0, vec![StopReason::Timeout]));
}

#[test]
fn the_time_of_a_run_ends_it_in_the_middle_of_an_iteration() {
    let plan = limited("a:100 -> b", |limits| limits.run_time = limit("1m"));
    let agent = || SimulatedAgent { exits_at: Some(25_000), ..SimulatedAgent::exiting(0) };
    let run = RunSimulation::new(plan, move |_| agent()).run();
    assert_eq!(ends(run.machine.state()), "run_time pending: incomplete at 1");
    assert_eq!((run.took().as_secs(), run.spawned.len()), (60, 3));
}

#[test]
fn the_time_of_a_step_counts_only_its_own() {
    let mut plan = plan("a -> b:100");
    plan.steps[1].limits.time.value = Limit::At(HumanDuration::from_secs(60));
    let agent = || SimulatedAgent { exits_at: Some(45_000), ..SimulatedAgent::exiting(0) };
    let run = RunSimulation::new(plan, move |_| agent()).run();
    assert_eq!(ends(run.machine.state()), "exit_code step_time: incomplete at 2");
    assert_eq!(run.took().as_secs(), 105);
}

#[test]
fn time_that_is_used_up_while_backing_off_ends_the_run_at_once() {
    let plan = limited("a:100", |limits| limits.run_time = limit("10s"));
    let run = RunSimulation::new(plan, |_| SimulatedAgent::exiting(1)).run();
    assert_eq!(ends(run.machine.state()), "run_time: incomplete at 1");
    assert_eq!((run.spawned.len(), run.took().as_secs()), (4, 10));
}

#[test]
fn the_time_of_a_step_ends_while_it_backs_off_too() {
    let mut plan = plan("a:100");
    plan.steps[0].limits.time.value = Limit::At(HumanDuration::from_secs(10));
    let run = RunSimulation::new(plan, |_| SimulatedAgent::exiting(1)).run();
    assert_eq!(ends(run.machine.state()), "step_time: incomplete at 1");
    assert_eq!((run.spawned.len(), run.took().as_secs()), (4, 10));
}

#[test]
fn a_loop_that_changes_nothing_has_stagnated() {
    let plan = limited("a:100", |limits| limits.stagnation = limit("3"));
    let same = |_| SimulatedAgent { tree: Some('x'), ..SimulatedAgent::exiting(0) };
    let run = RunSimulation::new(plan.clone(), same).run();
    assert_eq!(ends(run.machine.state()), "stagnated: incomplete at 1");
    assert_eq!(run.spawned.len(), 4, "the tree before the step is not known here");
    let flips = |unit: crate::id::UnitId| {
        let tree = Some(if unit.iteration.is_multiple_of(2) { 'x' } else { 'y' });
        SimulatedAgent { tree, ..SimulatedAgent::exiting(0) }
    };
    let run = RunSimulation::new(plan, flips).run();
    assert_eq!(ends(run.machine.state()), "cycling: incomplete at 1");
}

#[test]
fn crashes_that_change_nothing_do_not_count_as_stagnation() {
    let plan = limited("a:12", |limits| limits.stagnation = limit("3"));
    let crashing = |_| SimulatedAgent { tree: Some('x'), ..SimulatedAgent::exiting(1) };
    let run = RunSimulation::new(plan.clone(), crashing).run();
    assert_eq!(ends(run.machine.state()), "max_iterations: incomplete at 1");
    // Crashes do not hide stagnation, either.
    let some_crash = |unit: crate::id::UnitId| {
        let code = i32::from(unit.iteration.is_multiple_of(2));
        SimulatedAgent { tree: Some('x'), ..SimulatedAgent::exiting(code) }
    };
    let run = RunSimulation::new(plan, some_crash).run();
    assert_eq!(ends(run.machine.state()), "stagnated: incomplete at 1");
}

#[test]
fn an_agent_that_is_done_but_does_not_go_is_ended_and_keeps_its_verdict() {
    let agent = || SimulatedAgent { exits_at: None, ..SimulatedAgent::done() };
    let run = RunSimulation::new(plan("a:5"), move |_| agent()).run();
    assert_eq!(ends(run.machine.state()), "marker: complete");
    assert_eq!(endings(&run), [StopReason::Lingering]);
    assert_eq!(run.took().as_secs(), 300);
}

#[test]
fn a_marker_after_we_began_to_end_an_agent_does_not_count() {
    let plan = limited("a:1", |limits| limits.timeout = limit("30s"));
    let agent =
        || SimulatedAgent { says_done_at: Some(30_001), obeys: None, ..SimulatedAgent::hanging() };
    let run = RunSimulation::new(plan, move |_| SimulatedAgent {
        obeys: Some(ProcessSignal::Kill),
        ..agent()
    })
    .run();
    assert_eq!(ends(run.machine.state()), "max_iterations: incomplete at 1");
}

#[test]
fn an_agent_that_ignores_us_is_killed_ten_seconds_later() {
    let plan = limited("a:1", |limits| limits.timeout = limit("30s"));
    let run = RunSimulation::new(plan, |_| SimulatedAgent {
        obeys: Some(ProcessSignal::Kill),
        ..SimulatedAgent::hanging()
    })
    .run();
    let signals: Vec<_> =
        run.signals.iter().map(|(at, signal)| (at.as_secs() - 1000, *signal)).collect();
    assert_eq!(signals, [(30, ProcessSignal::Terminate), (40, ProcessSignal::Kill)]);
}

#[test]
fn a_process_that_cannot_even_be_killed_does_not_hold_the_run() {
    let plan = limited("a:1", |limits| limits.timeout = limit("30s"));
    let run =
        RunSimulation::new(plan, |_| SimulatedAgent { obeys: None, ..SimulatedAgent::hanging() })
            .run();
    assert_eq!(run.took().as_secs(), 50);
    assert!(run.kinds().any(|kind| matches!(kind, EventKind::Warning { .. })));
}

#[test]
fn leftovers_of_an_agent_are_terminated_and_then_killed() {
    let agent =
        || SimulatedAgent { stragglers_obey: Some(ProcessSignal::Kill), ..SimulatedAgent::done() };
    let run = RunSimulation::new(plan("a:1"), move |_| agent()).run();
    let signals: Vec<_> =
        run.signals.iter().map(|(at, signal)| (at.as_secs() - 1000, *signal)).collect();
    assert_eq!(signals, [(1, ProcessSignal::Terminate), (6, ProcessSignal::Kill)]);
    assert_eq!(ends(run.machine.state()), "marker: complete");
}
