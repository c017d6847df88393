//! Hooks of iterations in lanes.

use std::collections::BTreeMap;

use super::support::journal_rules::assert_rules;
use super::support::lane_scripts::LaneScripts;
use super::support::lanes_simulation::LanesSimulation;
use super::support::plans::one_step;
use crate::config::OnHookError;
use crate::event::AuxJob;
use crate::hook::HookPoint;
use crate::machine::Workplace;
use crate::machine::tests::ends;
use crate::machine::tests::hooks::hooked;

#[test]
fn hooks_run_once_for_each_iteration_in_its_lane() {
    let points = [HookPoint::PreIteration, HookPoint::PostIteration, HookPoint::OnFailure];
    let plan = hooked(one_step("a:12", 3), &points.map(|point| (point, OnHookError::Continue)));
    let run = LanesSimulation::new(plan, LaneScripts::default()).run();
    assert_rules(&run);
    let mut calls: BTreeMap<String, usize> = BTreeMap::new();
    for start in &run.ran {
        let AuxJob::Hook { moment, .. } = start.aux_job else { continue };
        let is_in_lane = matches!(start.place, Some(Workplace::Lane(_)));
        assert_eq!(is_in_lane, moment.point != HookPoint::OnFailure, "{start:?}");
        *calls.entry(format!("{moment:?}")).or_default() += 1;
    }
    assert!(calls.values().all(|count| *count == 1), "{calls:#?}");
    assert_eq!(calls.len(), 25);
    assert_eq!(ends(run.machine.state()), "max_iterations: incomplete at 1");
}

#[test]
fn a_hook_that_must_not_fail_ends_the_step_with_lanes() {
    let plan = hooked(one_step("a:12", 3), &[(HookPoint::PostIteration, OnHookError::Abort)]);
    let job =
        Box::new(|_: &_| crate::machine::tests::support::aux_job_scripts::AuxJobScript::exiting(1));
    let run = LanesSimulation::new(plan, LaneScripts { job, ..LaneScripts::default() }).run();
    assert_rules(&run);
    assert_eq!(ends(run.machine.state()), "hook_failed: incomplete at 1");
    assert_eq!(run.started.len(), 3);
}
