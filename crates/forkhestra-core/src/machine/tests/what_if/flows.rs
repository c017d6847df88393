//! Limits of runs with groups and alternatives.

use super::support::prediction;
use crate::event::OutcomeClass;
use crate::id::UnitId;
use crate::machine::tests::plan;
use crate::machine::tests::support::run_simulation::RunSimulation;
use crate::machine::tests::support::simulated_agent::SimulatedAgent;

/// Every agent spends a dollar. The second step accepts the third round.
fn rounds() -> RunSimulation {
    let agent = |unit: UnitId| match unit.step {
        2 if unit.iteration < 3 => {
            SimulatedAgent::with_outcome(OutcomeClass::Finished).spending(100)
        }
        _ => SimulatedAgent::understood_done().spending(100),
    };
    RunSimulation::new(plan("(a:3 -> b:1):9"), agent).run()
}

#[test]
fn limits_of_groups_are_simulated() {
    let run = rounds();
    assert_eq!(prediction(&run, "--group-cost 100"), "unchanged");
    let ended = prediction(&run, "--group-cost 2");
    assert!(ended.starts_with("run group_cost after iteration 1 of step 2"), "{ended}");
}

/// With its own limit the run does not begin another round.
#[test]
fn a_cost_limit_ends_the_run_at_the_step_that_reaches_it() {
    let ended = prediction(&rounds(), "--max-cost 2");
    assert!(ended.starts_with("run run_cost after iteration 1 of step 2"), "{ended}");
}

#[test]
fn an_end_that_an_alternative_follows_does_not_end_the_run() {
    let agent = |unit: UnitId| match (unit.step, unit.iteration) {
        (1, 1..=3) => SimulatedAgent::with_outcome(OutcomeClass::Finished).spending(100),
        _ => SimulatedAgent::understood_done().spending(100),
    };
    let run = RunSimulation::new(plan("a:5 else b:2"), agent).run();
    let ended = prediction(&run, "--max-iterations 2");
    assert!(ended.starts_with("step max_iterations after iteration 2 of step 1"), "{ended}");
    let ended = prediction(&run, "--max-cost 2");
    assert!(ended.starts_with("run run_cost "), "{ended}");
}
