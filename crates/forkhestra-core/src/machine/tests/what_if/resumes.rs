//! Runs that were resumed, steered or cut off.

use super::support::{limits, prediction, prediction_of};
use crate::control::ControlRequest;
use crate::event::{CancelCause, Event, EventKind, LimitChanges, OutcomeClass};
use crate::id::UnitId;
use crate::machine::tests::support::run_simulation::RunSimulation;
use crate::machine::tests::support::simulated_agent::SimulatedAgent;
use crate::machine::tests::{ends, limited, plan};

/// Iterations of a second that change the work tree and cost 10 cents; the sixth completes.
fn sixth(unit: UnitId) -> SimulatedAgent {
    let tree = char::from_digit(unit.iteration, 36);
    let agent = SimulatedAgent::with_outcome(OutcomeClass::Finished).spending(10);
    SimulatedAgent { exits_at: Some(1000), tree, says_done_at_end: unit.iteration == 6, ..agent }
}

/// A run that ended, and its resumption.
fn resumed(first: &[Event], options: &str) -> Vec<Event> {
    let second = RunSimulation::resumed(first, limits(options), sixth).run();
    [first, &second.events].concat()
}

#[test]
fn a_run_that_completed_after_a_resume_is_harmed() {
    let first = RunSimulation::new(plan("a:4"), sixth).run();
    assert_eq!(
        prediction(&first, "--max-iterations 3"),
        "run max_iterations after iteration 3 of step 1, saved 10c 1000ms"
    );
    let events = resumed(&first.events, "--max-iterations 9");
    let expected = "run max_iterations after iteration 3 of step 1, saved 30c 3005ms, harmed";
    assert_eq!(prediction_of(&events, "--max-iterations 3"), expected);
}

#[test]
fn a_limit_that_was_changed_by_a_resume_has_its_new_value_from_then_on() {
    let first = RunSimulation::new(plan("a:4"), sixth).run();
    let events = resumed(&first.events, "--max-iterations 9");
    // It ended there, and was resumed.
    assert_eq!(prediction_of(&events, "--max-iterations 4"), "unchanged");
    assert_eq!(prediction_of(&events, "--max-iterations 5"), "continues");
    // Other limits hold in the resumed run.
    let expected = "run run_cost after iteration 5 of step 1, saved 10c 1005ms, harmed";
    assert_eq!(prediction_of(&events, "--max-cost 0.50"), expected);
    assert_eq!(prediction_of(&events, "--max-cost 0.50 --max-iterations 4"), expected);
}

#[test]
fn a_limit_that_was_changed_during_the_run_has_its_new_value_from_then_on() {
    let set = |options| ControlRequest::Set(limits(options));
    let run = RunSimulation::new(plan("a:9"), sixth).asked_at(3_500, set("--max-cost 5")).run();
    assert!(run.kinds().any(|kind| matches!(kind, EventKind::LimitsChanged { .. })));
    let expected = "run run_cost after iteration 2 of step 1, saved 40c 4005ms, harmed";
    assert_eq!(prediction(&run, "--max-cost 0.20"), expected);
    assert_eq!(prediction(&run, "--max-cost 0.50"), "unchanged");
    let expected = "run max_iterations after iteration 5 of step 1, saved 10c 1005ms, harmed";
    assert_eq!(prediction(&run, "--max-iterations 5"), expected);
}

#[test]
fn an_interrupted_run_is_followed_through_its_resumption() {
    let first =
        RunSimulation::new(plan("a:9"), sixth).cancelled_at(2_500, CancelCause::Interrupt).run();
    assert_eq!(ends(first.machine.state()), "interrupted: interrupt");
    assert_eq!(
        prediction(&first, "--max-iterations 2"),
        "run max_iterations after iteration 2 of step 1, saved 10c 501ms"
    );
    assert_eq!(prediction(&first, "--max-iterations 3"), "unchanged");
    let events = resumed(&first.events, "");
    let expected = "run max_iterations after iteration 4 of step 1, saved 20c 2005ms, harmed";
    assert_eq!(prediction_of(&events, "--max-iterations 4"), expected);
}

#[test]
fn a_run_that_was_killed_is_followed_through_its_resumption() {
    let whole = RunSimulation::new(plan("a:9"), sixth).run();
    for count in 2..whole.events.len() {
        let events = resumed(&whole.events[..count], "");
        assert_eq!(prediction_of(&events, ""), "unchanged", "{count}");
        let prediction = prediction_of(&events, "--max-iterations 4");
        assert!(
            prediction.starts_with("run max_iterations after iteration 4 of step 1"),
            "{count}: {prediction}"
        );
        assert!(prediction.ends_with("harmed"), "{count}: {prediction}");
    }
}

#[test]
fn time_in_a_pause_does_not_count() {
    let run = RunSimulation::new(plan("a:9"), sixth)
        .asked_at(1_500, ControlRequest::Pause)
        .asked_at(60_000, ControlRequest::Continue)
        .run();
    assert!(run.took().as_secs() > 60);
    assert_eq!(prediction(&run, "--timeout 2s --max-time 7s"), "unchanged");
    let expected = "run run_time in iteration 5 of step 1, saved 10c 1305ms, harmed";
    assert_eq!(prediction(&run, "--max-time 4200ms"), expected);
}

#[test]
fn a_step_that_was_skipped_ends_where_it_did() {
    let run =
        RunSimulation::new(plan("a:9 -> b:9"), sixth).asked_at(2_500, ControlRequest::Skip).run();
    assert_eq!(ends(run.machine.state()), "skipped marker: complete");
    assert_eq!(prediction(&run, "--max-iterations 6"), "unchanged");
    let expected = "run max_iterations after iteration 2 of step 1, saved ";
    assert!(prediction(&run, "--max-iterations 2").starts_with(expected));
    // A run with a skipped step did not complete its work, so nothing harms it.
    let expected = "run max_iterations after iteration 3 of step 2, saved 30c 3005ms";
    assert_eq!(prediction(&run, "--max-iterations 3"), expected);
}

#[test]
fn a_resume_that_only_repeats_the_end_changes_nothing() {
    let plan = limited("a:9", |changes| *changes = limits("--max-cost 0.30"));
    let first = RunSimulation::new(plan, sixth).run();
    let second = RunSimulation::resumed(&first.events, LimitChanges::default(), sixth).run();
    let events = [first.events.as_slice(), &second.events].concat();
    assert_eq!(prediction_of(&events, "--max-cost 0.30"), "unchanged");
    assert_eq!(prediction_of(&events, "--max-cost 0.40"), "continues");
    let expected = "run run_cost after iteration 2 of step 1, saved 10c 6ms";
    assert_eq!(prediction_of(&events, "--max-cost 0.20"), expected);
}
