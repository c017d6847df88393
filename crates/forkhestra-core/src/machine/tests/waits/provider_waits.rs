//! Waits for an agent's provider: by the wall clock, without using up iterations.

use crate::event::{CancelCause, LimitChanges, OutcomeClass};
use crate::id::UnitId;
use crate::machine::tests::support::run_simulation::fold;
use crate::machine::tests::*;

const HOUR: u64 = 3600;

/// An agent that has reached a usage limit, which is reset in this many seconds.
fn limited_for(seconds: u64) -> SimulatedAgent {
    SimulatedAgent::with_outcome(OutcomeClass::UsageLimit)
        .with(|stream| stream.resets_in = Some(seconds))
}

fn overloaded() -> SimulatedAgent {
    SimulatedAgent::with_outcome(OutcomeClass::Overloaded).with(|stream| stream.tool_calls = 0)
}

/// This agent for the first attempts, then one that completes.
fn at_first(
    tries: u32,
    agent: SimulatedAgent,
) -> impl Fn(UnitId) -> SimulatedAgent + Clone + 'static {
    move |unit| {
        if unit.attempt <= tries { agent.clone() } else { SimulatedAgent::understood_done() }
    }
}

/// The length of each wait at its beginning, in seconds.
fn waits(run: &RunSimulation) -> Vec<u64> {
    run.events
        .iter()
        .filter_map(|event| match &event.kind {
            EventKind::Waiting { until, .. } => Some(until.saturating_since(event.at).as_secs()),
            _ => None,
        })
        .collect()
}

fn is_waiting(kind: &EventKind) -> bool {
    matches!(kind, EventKind::Waiting { .. })
}

fn resumed(
    events: &[Event],
    changes: LimitChanges,
    script: impl Fn(UnitId) -> SimulatedAgent + 'static,
) -> RunSimulation {
    RunSimulation::resumed(events, changes, script).run()
}

fn max_wait(text: &str) -> LimitChanges {
    LimitChanges { max_wait: limit(text), ..LimitChanges::default() }
}

#[test]
fn a_usage_limit_is_waited_for_until_it_is_reset_and_burns_no_iteration() {
    let run = RunSimulation::new(plan("a:1"), at_first(1, limited_for(2 * HOUR))).run();
    assert_eq!(ends(run.machine.state()), "marker: complete");
    assert_eq!(waits(&run), [2 * HOUR + 30]);
    assert_eq!(run.took().as_secs(), 2 * HOUR + 30);
    let unit = |attempt| UnitId { step: 1, iteration: 1, attempt };
    assert_eq!(run.spawned, [unit(1), unit(2)]);
    assert_eq!(verdicts(&run), ["postponed", "complete"]);
    assert_eq!(run.machine.state().steps[0].postponement, ProviderPostponement::default());
}

#[test]
fn a_reset_that_does_not_help_does_not_spin() {
    let run = RunSimulation::new(plan("a:1"), at_first(4, limited_for(0))).run();
    assert_eq!(waits(&run), [30, 60, 120, 240]);
    let blind = SimulatedAgent::with_outcome(OutcomeClass::UsageLimit);
    let run = RunSimulation::new(plan("a:1"), at_first(2, blind)).run();
    assert_eq!(waits(&run), [900, 900]);
}

#[test]
fn an_overload_is_waited_for_longer_and_longer() {
    let run = RunSimulation::new(plan("a:1"), at_first(7, overloaded())).run();
    assert_eq!(waits(&run), [30, 60, 120, 240, 480, 600, 600]);
}

#[test]
fn an_iteration_with_an_outcome_ends_the_row() {
    let script = |unit: UnitId| match (unit.iteration, unit.attempt) {
        (1 | 2, 1..=2) => overloaded(),
        _ => SimulatedAgent::with_outcome(OutcomeClass::Finished),
    };
    let run = RunSimulation::new(plan("a:3"), script).run();
    assert_eq!(waits(&run), [30, 60, 30, 60]);
    assert_eq!(run.machine.state().steps[0].finished, 3);
}

#[test]
fn waits_in_a_row_that_are_too_long_together_end_the_step() {
    let run = RunSimulation::new(plan("a:9"), |_| limited_for(7 * HOUR)).run();
    assert_eq!(ends(run.machine.state()), "usage_limit: incomplete at 1");
    assert_eq!((run.spawned.len(), waits(&run).len()), (1, 0));

    let run = RunSimulation::new(plan("a:9"), |_| limited_for(HOUR)).run();
    assert_eq!(ends(run.machine.state()), "usage_limit: incomplete at 1");
    assert_eq!(waits(&run).len(), 5, "a sixth hour and half a minute would be too much");
    assert_eq!(run.machine.state().steps[0].finished, 0);

    let run = RunSimulation::new(plan("a"), |_| overloaded()).run();
    assert_eq!(ends(run.machine.state()), "overloaded: incomplete at 1");
    assert!(waits(&run).iter().sum::<u64>() <= 6 * HOUR);

    let mut patient = plan("a:1");
    patient.steps[0].limits.max_wait.value = Limit::Off;
    let run = RunSimulation::new(patient, at_first(1, limited_for(90 * HOUR))).run();
    assert_eq!(waits(&run), [90 * HOUR + 30]);
}

/// The run's clock may be stopped while the wall clock goes on.
#[test]
fn the_calendar_decides_when_a_wait_is_over() {
    let mut run = RunSimulation::new(plan("a:1"), at_first(1, limited_for(5 * HOUR)));
    while waits(&run).is_empty() {
        assert!(run.step());
    }
    run.set_forward(seconds(6 * HOUR));
    let run = run.run();
    assert_eq!(ends(run.machine.state()), "marker: complete");
    assert!(run.took() <= seconds(31), "{:?}", run.took());
}

#[test]
fn a_machine_that_slept_looks_at_the_calendar_at_once() {
    let mut run = RunSimulation::new(plan("a:1"), at_first(1, limited_for(5 * HOUR)));
    while waits(&run).is_empty() {
        assert!(run.step());
    }
    run.set_forward(seconds(6 * HOUR));
    run.feed(Input::Slept(seconds(6 * HOUR)));
    assert!(run.run().took() < seconds(1));
}

#[test]
fn a_clock_that_is_set_back_makes_no_wait_longer() {
    let mut run = RunSimulation::new(plan("a:1"), at_first(1, limited_for(HOUR)));
    while waits(&run).is_empty() {
        assert!(run.step());
    }
    run.set_back(seconds(24 * HOUR));
    assert_eq!(run.run().took().as_secs(), HOUR + 30);
}

#[test]
fn times_of_run_and_step_end_a_wait() {
    let run_time = limited("a:9", |limits| limits.run_time = limit("1h"));
    let mut step_time = plan("a:9");
    step_time.steps[0].limits.time.value = limit("1h").expect("there is one");
    for (plan, end) in [(run_time, "run_time"), (step_time, "step_time")] {
        let run = RunSimulation::new(plan, |_| limited_for(2 * HOUR)).run();
        assert_eq!(ends(run.machine.state()), format!("{end}: incomplete at 1"));
        assert_eq!(run.took().as_secs(), HOUR);
    }
}

#[test]
fn a_cancelled_wait_keeps_its_end_time() {
    let script = at_first(1, limited_for(2 * HOUR));
    let run = RunSimulation::new(plan("a:1"), script.clone());
    let run = run.cancelled_at(HOUR * 1000, CancelCause::Interrupt).run();
    assert_eq!(ends(run.machine.state()), "interrupted: interrupt");
    assert_eq!(run.took().as_secs(), HOUR);
    let again = resumed(&run.events, LimitChanges::default(), script);
    assert_eq!(ends(again.machine.state()), "marker: complete");
    assert_eq!((waits(&again), again.took().as_secs()), (vec![HOUR + 30], HOUR + 30));
    assert_eq!(fold(&[&run.events[..], &again.events].concat()), *again.machine.state());
}

/// The wait may be killed at any time, repeatedly.
#[test]
fn a_killed_wait_for_a_usage_limit_goes_on_and_counts_once() {
    // Twice as long would exceed the limit.
    let script = at_first(1, limited_for(4 * HOUR));
    let run = RunSimulation::new(plan("a:1"), script.clone()).run();
    let mut events = up_to(&run, is_waiting);
    let first = fold(&events).steps[0].postponement.clone();
    for _ in 0..3 {
        let again = RunSimulation::resumed(&events, LimitChanges::default(), script.clone()).run();
        assert_eq!(waits(&again), [4 * HOUR + 30]);
        events.extend(up_to(&again, is_waiting));
        assert_eq!(fold(&events).steps[0].postponement, first);
    }
    let before = up_to(&run, |kind| matches!(kind, EventKind::IterationFinished { .. }));
    let again = resumed(&before, LimitChanges::default(), script);
    assert_eq!((waits(&again), again.spawned.len()), (vec![4 * HOUR + 30], 1));
}

#[test]
fn a_killed_wait_for_an_overload_is_forgotten() {
    let run = RunSimulation::new(plan("a:1"), at_first(4, overloaded())).run();
    let events = up_to(
        &run,
        |kind| matches!(kind, EventKind::IterationStarted { unit, .. } if unit.attempt == 4),
    );
    let cut = events.len() - 1;
    let again = resumed(&events[..cut], LimitChanges::default(), at_first(4, overloaded()));
    assert_eq!(waits(&again), [30], "the fourth try is run at once, and is the first of a row");
}

#[test]
fn a_pause_does_not_make_a_wait_longer_than_the_calendar_says() {
    let script = at_first(1, limited_for(2 * HOUR));
    let run = RunSimulation::new(plan("a:1"), script).at(HOUR * 1000, Input::Pause).run();
    assert_eq!(run.took().as_secs(), 2 * HOUR + 30);
    assert_eq!(run.machine.state().elapsed.as_secs(), HOUR + 30, "it stood still for an hour");
}

#[test]
fn a_step_that_a_usage_limit_ended_waits_again_if_that_may_be() {
    let run = RunSimulation::new(plan("a:9"), |_| limited_for(7 * HOUR)).run();
    let done = |_: UnitId| SimulatedAgent::understood_done();
    let again = resumed(&run.events, max_wait("8h"), done);
    assert_eq!((waits(&again), again.spawned.len()), (vec![7 * HOUR + 30], 1));
    let again = resumed(&run.events, LimitChanges::default(), done);
    assert_eq!((waits(&again), again.took().as_secs()), (vec![], 0), "tried at once");
    assert_eq!(again.spawned, [UnitId { step: 1, iteration: 1, attempt: 2 }]);
    // The reset has passed.
    let mut later = RunSimulation::resumed(&run.events, max_wait("8h"), done);
    later.set_forward(seconds(8 * HOUR));
    assert_eq!(waits(&later.run()), [0; 0]);
}

#[test]
fn a_wait_that_is_longer_than_a_lowered_limit_ends_the_step() {
    let script = at_first(1, limited_for(2 * HOUR));
    let run = RunSimulation::new(plan("a:1"), script.clone()).run();
    let again = resumed(&up_to(&run, is_waiting), max_wait("1h"), script);
    assert_eq!(ends(again.machine.state()), "usage_limit: incomplete at 1");
    assert_eq!(again.spawned, []);
}
