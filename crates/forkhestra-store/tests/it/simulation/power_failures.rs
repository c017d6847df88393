//! Simulates a power failure at every call.

use super::disk::change_fate::FateCoverage;
use super::disk_scenario::DiskScenario;
use super::power_failure_trials::PowerFailureTrials;

#[test]
fn a_power_failure_at_any_point_loses_nothing_finished() {
    let mut trials = PowerFailureTrials::new();
    let calls = let_power_fail(&mut trials, &DiskScenario::new());
    trials.report("a run", calls, (49, 5_339));
}

/// The end of an agent is durable. Results of its checks may get lost, and are then determined
/// again.
#[test]
fn a_power_failure_while_work_is_checked_loses_no_agent() {
    let mut trials = PowerFailureTrials::new();
    let calls = let_power_fail(&mut trials, &DiskScenario::with_checks());
    trials.report("a run with checks", calls, (45, 5_296));
}

#[test]
fn a_power_failure_at_any_point_of_a_resumed_run_loses_nothing() {
    let mut trials = PowerFailureTrials::new();
    let scenarios = DiskScenario::cut_off(&trials.place());
    let calls = scenarios.iter().map(|scenario| let_power_fail(&mut trials, scenario)).sum();
    trials.report("a run that goes on", calls, (104, 8_768));
}

/// Runs a scenario with a power failure at each point, and returns the number of calls.
fn let_power_fail(trials: &mut PowerFailureTrials, scenario: &DiskScenario) -> usize {
    let (state, before) = scenario.set(&trials.place());
    let mut process = scenario.begin(&state, 1).expect("nothing fails");
    process.append_all(scenario.to_come()).expect("nothing fails");
    process.end().expect("nothing fails");
    let after = state.disk.history().len();
    trials.power_failures(state.disk, before..=after, FateCoverage::Full);
    state.disk.calls().len()
}
