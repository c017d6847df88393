//! When a step is complete.

use super::support::run_simulation::fold;
use super::*;

#[test]
fn a_loop_stops_when_its_agent_says_that_it_is_done() {
    let script = |unit: crate::id::UnitId| {
        if unit.iteration == 3 { SimulatedAgent::done() } else { SimulatedAgent::exiting(0) }
    };
    let run = RunSimulation::new(plan("a:10"), script).run();
    assert_eq!(ends(run.machine.state()), "marker: complete");
    assert_eq!(run.machine.state().steps[0].finished, 3);
}

#[test]
fn a_marker_that_is_known_only_at_the_end_of_the_output_counts() {
    let agent = || SimulatedAgent { says_done_at_end: true, ..SimulatedAgent::exiting(1) };
    let run = RunSimulation::new(plan("a:10"), move |_| agent()).run();
    assert_eq!(ends(run.machine.state()), "marker: complete");
}

#[test]
fn a_loop_that_is_never_done_ends_at_its_count() {
    let run = RunSimulation::new(plan("a:4"), |_| SimulatedAgent::exiting(0)).run();
    assert_eq!(ends(run.machine.state()), "max_iterations: incomplete at 1");
    assert_eq!(run.spawned.len(), 4);
}

#[test]
fn an_agent_that_runs_once_needs_exit_code_0_and_no_marker() {
    for (agent, expected) in [
        (SimulatedAgent::exiting(0), "exit_code: complete"),
        (SimulatedAgent::exiting(3), "failed: incomplete at 1"),
        (SimulatedAgent { exits_at: Some(10), ..SimulatedAgent::done() }, "exit_code: complete"),
        (
            SimulatedAgent { end: crate::event::ProcessEnd::Exited(1), ..SimulatedAgent::done() },
            "failed: incomplete at 1",
        ),
    ] {
        let run = RunSimulation::new(plan("a"), move |_| agent.clone()).run();
        assert_eq!(ends(run.machine.state()), expected);
        assert_eq!(run.spawned.len(), 1);
    }
}

#[test]
fn a_done_file_that_appears_completes_a_loop() {
    let script = |unit: crate::id::UnitId| SimulatedAgent {
        done_file: unit.iteration == 2,
        ..SimulatedAgent::exiting(0)
    };
    let run = RunSimulation::new(plan("a:5"), script).run();
    assert_eq!(ends(run.machine.state()), "file: complete");
    assert_eq!(run.spawned.len(), 2);
}

#[test]
fn a_done_file_that_appears_under_a_hanging_agent_is_noticed() {
    let agent = || SimulatedAgent { done_file: true, load: 0, ..SimulatedAgent::hanging() };
    let run = RunSimulation::new(plan("a:5"), move |_| agent()).run();
    assert_eq!(ends(run.machine.state()), "file: complete");
    assert!(run.kinds().any(|kind| matches!(
        kind,
        EventKind::CompletionRequested { by: CompletionSignal::File, .. }
    )));
}

#[test]
fn a_done_file_is_looked_for_every_few_seconds_also_without_an_idle_limit() {
    let agent = || SimulatedAgent { done_file: true, ..SimulatedAgent::hanging() };
    let run = RunSimulation::new(with_done_file("a:5"), move |_| agent()).run();
    assert_eq!(ends(run.machine.state()), "file: complete");
    assert_eq!(run.probes, 1, "a known file is not probed again");
    assert_eq!(run.took().as_secs(), 5 + 300);
    let silent = || SimulatedAgent { exits_at: Some(16_000), ..SimulatedAgent::exiting(0) };
    let run = RunSimulation::new(with_done_file("a:1"), move |_| silent()).run();
    assert_eq!((run.probes, run.took().as_secs()), (3, 16));
}

#[test]
fn an_agent_is_not_probed_without_need() {
    let silent = || SimulatedAgent { exits_at: Some(60_000), ..SimulatedAgent::exiting(0) };
    for plan in [with_done_file("a"), limited("a:1", |limits| limits.idle_timeout = limit("off"))] {
        assert_eq!(RunSimulation::new(plan, move |_| silent()).run().probes, 0);
    }
}

#[test]
fn a_chain_continues_only_after_a_completed_step() {
    let script = |unit: crate::id::UnitId| match unit.step {
        1 => SimulatedAgent::exiting(0),
        2 => SimulatedAgent::exiting(7),
        _ => SimulatedAgent::done(),
    };
    let run = RunSimulation::new(plan("a -> b -> c:2"), script).run();
    assert_eq!(ends(run.machine.state()), "exit_code failed pending: incomplete at 2");
    assert_eq!(run.machine.end().map(RunEnd::exit_code), Some(1));
}

#[test]
fn an_empty_chain_is_complete() {
    let mut empty = plan("a");
    empty.steps.clear();
    let run = RunSimulation::new(empty, |_| SimulatedAgent::exiting(0)).run();
    assert_eq!(run.machine.end(), Some(&RunEnd::Complete));
}

#[test]
fn a_failed_start_ends_the_step_and_uses_no_iteration() {
    let run = RunSimulation::new(plan("a:5"), |_| SimulatedAgent::cannot_start(false)).run();
    assert_eq!(ends(run.machine.state()), "cannot_start: incomplete at 1");
    assert_eq!((run.spawned.len(), run.machine.state().steps[0].finished), (1, 0));
}

#[test]
fn a_start_that_fails_for_a_while_is_tried_again() {
    let script = |unit: crate::id::UnitId| {
        if unit.attempt < 4 { SimulatedAgent::cannot_start(true) } else { SimulatedAgent::done() }
    };
    let run = RunSimulation::new(plan("a:5"), script).run();
    assert_eq!(ends(run.machine.state()), "marker: complete");
    assert_eq!(run.machine.state().steps[0].finished, 1);
    let never = RunSimulation::new(plan("a:5"), |_| SimulatedAgent::cannot_start(true)).run();
    assert_eq!(ends(never.machine.state()), "cannot_start: incomplete at 1");
    assert_eq!(never.spawned.len(), 10);
}

#[test]
fn the_state_is_the_fold_of_the_events() {
    let script = |unit: crate::id::UnitId| {
        if unit.iteration == 2 { SimulatedAgent::done() } else { SimulatedAgent::exiting(1) }
    };
    let run = RunSimulation::new(plan("a:3 -> b:2"), script).run();
    assert_eq!(&fold(&run.events), run.machine.state());
}

#[test]
fn the_intent_is_recorded_before_the_agent_is_started() {
    let state = RunState::new(crate::id::RunId::from_random(1), plan("a:2"));
    let now = support::run_simulation::start();
    let mut machine = Machine::new(state, "test", crate::policy::GracePeriods::default(), now);
    machine.handle(now, Input::Begin);
    let effects = machine.handle(
        now,
        Input::Observed { step: 1, observation: crate::event::Observation::default() },
    );
    let kinds: Vec<_> = effects
        .iter()
        .map(|effect| match effect {
            Effect::Emit(event) if event.kind.must_be_durable() => "durable",
            Effect::Emit(_) => "event",
            Effect::Spawn { .. } => "spawn",
            _ => "other",
        })
        .collect();
    assert_eq!(kinds, ["event", "durable", "spawn"]);
}
