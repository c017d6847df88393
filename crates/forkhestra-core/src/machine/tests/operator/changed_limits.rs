//! Limits that an operator changes during the run apply at once.

use super::control_requests::{timeout, unit, until};
use crate::config::OnHookError;
use crate::control::{AcceptedRequest, ControlReply, ControlRequest};
use crate::event::{LimitChanges, OutcomeClass};
use crate::hook::HookPoint;
use crate::id::UnitId;
use crate::machine::machine_phase::MachinePhase;
use crate::machine::tests::hooks::hooked;
use crate::machine::tests::*;
use crate::text::count::Count;

fn iterations(count: &str) -> LimitChanges {
    LimitChanges { iterations: Count::parse(count).ok(), ..LimitChanges::default() }
}

fn set(changes: LimitChanges) -> ControlRequest {
    ControlRequest::Set(changes)
}

/// A run whose agents hang, with the first limits from the beginning and the second after ten
/// seconds.
fn changed(first: &LimitChanges, second: LimitChanges) -> RunSimulation {
    let plan = limited("a", |limits| {
        limits.timeout = first.timeout;
        limits.idle_timeout = first.idle_timeout.or(limit("off"));
    });
    RunSimulation::new(plan, |_| SimulatedAgent { load: 0, ..SimulatedAgent::hanging() })
        .asked_at(10_000, set(second))
        .run()
}

#[test]
fn a_timeout_counts_from_when_the_agent_was_started() {
    for (first, second, ends_at) in [("30s", "60s", 60), ("60s", "30s", 30), ("60s", "5s", 10)] {
        let run = changed(&timeout(first), timeout(second));
        assert_eq!(run.took().as_secs(), ends_at, "{first}, then {second}");
        assert_eq!(endings(&run), [StopReason::Timeout]);
    }
    let idle = |text| LimitChanges { idle_timeout: limit(text), ..LimitChanges::default() };
    let off = LimitChanges { timeout: limit("off"), ..idle("40s") };
    let run = changed(&timeout("30s"), off);
    assert_eq!((run.took().as_secs(), endings(&run)), (50, vec![StopReason::Idle]), "from now on");
}

#[test]
fn an_idle_agent_is_judged_by_the_limit_of_now() {
    let idle = |text| LimitChanges { idle_timeout: limit(text), ..LimitChanges::default() };
    for (first, second, ends_at) in [("20s", "40s", 40), ("80s", "40s", 40), ("80s", "2s", 10)] {
        let run = changed(&idle(first), idle(second));
        assert_eq!((run.took().as_secs(), endings(&run)), (ends_at, vec![StopReason::Idle]));
    }
    let without = LimitChanges { idle_timeout: limit("off"), ..timeout("1m") };
    assert_eq!(endings(&changed(&idle("20s"), without)), [StopReason::Timeout]);
}

#[test]
fn a_cost_limit_below_the_spend_ends_the_agent_now() {
    let spending = |_| SimulatedAgent {
        exits_at: None,
        ..SimulatedAgent::with_outcome(OutcomeClass::Finished)
            .with(|s| s.spends = vec![(5, support::samples::dollars(50))])
    };
    for (change, word) in [
        (LimitChanges { run_cost: limit("0.40"), ..LimitChanges::default() }, "run_cost"),
        (LimitChanges { step_cost: limit("0.40"), ..LimitChanges::default() }, "step_cost"),
    ] {
        let run = RunSimulation::new(plan("a:9"), spending).asked_at(10_000, set(change)).run();
        assert_eq!(run.took().as_secs(), 10);
        assert_eq!(ends(run.machine.state()), format!("{word}: incomplete at 1"));
    }
}

#[test]
fn a_higher_cost_limit_continues_the_run() {
    let spending = |_| SimulatedAgent::with_outcome(OutcomeClass::Finished).spending(50);
    let mut costly = plan("a:9");
    costly.limits.cost.value = limit("1").expect("there is one");
    let more = LimitChanges { run_cost: limit("off"), ..LimitChanges::default() };
    let run = RunSimulation::new(costly, spending).asked_at(5, set(more)).run();
    assert_eq!(
        (run.spawned.len(), ends(run.machine.state()).as_str()),
        (9, "max_iterations: incomplete at 1")
    );
}

#[test]
fn a_number_of_iterations_holds_after_this_one() {
    let slow = |_| SimulatedAgent { exits_at: Some(5000), ..SimulatedAgent::exiting(0) };
    for (count, expected) in [("1", 1), ("3", 3), ("7", 7)] {
        let run =
            RunSimulation::new(plan("a:5"), slow).asked_at(1000, set(iterations(count))).run();
        assert_eq!(run.spawned.len(), expected);
    }
    // A step in its backoff is not tried again.
    let run = RunSimulation::new(plan("a:5"), |_| SimulatedAgent::exiting(1))
        .asked_at(500, set(iterations("1")));
    let run = run.run();
    assert_eq!((run.spawned.len(), run.took().as_millis()), (1, 500));
    // Nor is an agent started whose hook is running.
    let plan = hooked(plan("a:5"), &[(HookPoint::PreIteration, OnHookError::Continue)]);
    let run = RunSimulation::new(plan, |_| SimulatedAgent::exiting(0));
    let mut run = until(run, |phase| matches!(phase, MachinePhase::RunningHooks(_)));
    while run.spawned.is_empty() || !matches!(run.machine.phase, MachinePhase::RunningHooks(_)) {
        assert!(run.step());
    }
    run.ask(set(iterations("1")));
    assert_eq!(run.run().spawned, [unit(1, 1, 1)]);
}

#[test]
fn a_step_about_to_end_continues_if_its_limit_is_raised() {
    let run =
        RunSimulation::new(plan("a:2"), |_| SimulatedAgent::exiting(0)).in_repository(Some(500));
    let mut run = until(run, |phase| matches!(phase, MachinePhase::Surveying { .. }));
    run.ask(set(timeout("1m")));
    assert!(matches!(run.machine.phase, MachinePhase::Surveying { .. }), "that is another limit");
    run.ask(set(iterations("3")));
    let run = run.run();
    assert_eq!(
        (run.spawned.len(), ends(run.machine.state()).as_str()),
        (3, "max_iterations: incomplete at 1")
    );
}

#[test]
fn a_wait_that_is_longer_than_the_new_limit_is_decided_again() {
    let unserved = |id: UnitId| match id.attempt {
        1 => SimulatedAgent::with_outcome(OutcomeClass::UsageLimit)
            .with(|stream| stream.resets_in = Some(3600)),
        _ => SimulatedAgent::understood_done(),
    };
    let max_wait = |text| LimitChanges { max_wait: limit(text), ..LimitChanges::default() };
    let run =
        |change| RunSimulation::new(plan("a:5"), unserved).asked_at(10_000, set(change)).run();
    let shorter = run(max_wait("1m"));
    assert_eq!(ends(shorter.machine.state()), "usage_limit: incomplete at 1");
    assert_eq!(shorter.took().as_secs(), 10);
    let longer = run(max_wait("2h"));
    assert_eq!(
        (longer.took().as_secs(), ends(longer.machine.state()).as_str()),
        (3630, "marker: complete")
    );
    let waits = longer.kinds().filter(|kind| matches!(kind, EventKind::Waiting { .. })).count();
    assert_eq!(waits, 1, "it is said once");
}

#[test]
fn time_limits_hold_at_once() {
    let run_time = |text| LimitChanges { run_time: limit(text), ..LimitChanges::default() };
    let hanging = RunSimulation::new(plan("a:5"), |_| SimulatedAgent::hanging());
    let run = hanging.asked_at(10_000, set(run_time("15s"))).run();
    assert_eq!((run.took().as_secs(), endings(&run)), (15, vec![StopReason::RunTime]));
    let crashing = RunSimulation::new(plan("a:9"), |_| SimulatedAgent::exiting(1));
    let run = crashing.asked_at(8_000, set(run_time("10s"))).run();
    assert_eq!(
        (run.took().as_secs(), ends(run.machine.state()).as_str()),
        (10, "run_time: incomplete at 1")
    );
}

#[test]
fn limits_that_were_changed_hold_after_a_resume() {
    let run = RunSimulation::new(plan("a:5"), |_| SimulatedAgent::hanging())
        .asked_at(1000, set(iterations("2")))
        .asked_at(2000, ControlRequest::StopNow)
        .run();
    assert_eq!(run.answer(1), Some(ControlReply::Accepted(AcceptedRequest::Changed)));
    let again = RunSimulation::resumed(&run.events, LimitChanges::default(), |_| {
        SimulatedAgent::exiting(0)
    })
    .run();
    assert_eq!(again.spawned, [unit(1, 1, 2), unit(1, 2, 1)]);
}

#[test]
fn limits_that_are_changed_during_a_pause_hold_when_the_run_goes_on() {
    let spending = |_| SimulatedAgent {
        exits_at: None,
        ..SimulatedAgent::with_outcome(OutcomeClass::Finished)
            .with(|s| s.spends = vec![(5, support::samples::dollars(50))])
    };
    let change = LimitChanges { run_cost: limit("0.40"), ..LimitChanges::default() };
    let run = RunSimulation::new(plan("a:9"), spending)
        .asked_at(1000, ControlRequest::Pause)
        .asked_at(2000, set(change))
        .asked_at(60_000, ControlRequest::Continue)
        .run();
    assert_eq!(
        (run.took().as_secs(), ends(run.machine.state()).as_str()),
        (60, "run_cost: incomplete at 1")
    );
    let signals: Vec<ProcessSignal> = run.signals.iter().map(|(_, signal)| *signal).collect();
    assert_eq!(
        signals,
        [ProcessSignal::Suspend, ProcessSignal::Continue, ProcessSignal::Terminate]
    );
}
