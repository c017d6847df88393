//! Simulates a power failure at every call.

use super::disk::change_fate::FateCoverage;
use super::disk_scenario::DiskScenario;
use super::power_failure_trials::PowerFailureTrials;

#[test]
fn a_power_failure_at_any_moment_loses_nothing_that_is_finished() {
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
fn a_power_failure_at_any_moment_of_a_run_that_goes_on_loses_nothing_either() {
    let mut trials = PowerFailureTrials::new();
    let scenes = DiskScenario::cut_off(&trials.place());
    let calls = scenes.iter().map(|scene| let_power_fail(&mut trials, scene)).sum();
    trials.report("a run that goes on", calls, (104, 8_768));
}

/// Runs a scenario with a power failure at each point, and returns the number of calls.
fn let_power_fail(trials: &mut PowerFailureTrials, scene: &DiskScenario) -> usize {
    let (world, before) = scene.set(&trials.place());
    let mut process = scene.begin(&world, 1).expect("nothing fails");
    process.append_all(scene.to_come()).expect("nothing fails");
    process.end().expect("nothing fails");
    let after = world.disk.history().len();
    trials.power_failures(world.disk, before..=after, FateCoverage::Full);
    world.disk.calls().len()
}
