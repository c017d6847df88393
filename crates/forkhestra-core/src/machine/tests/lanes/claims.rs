//! Completion claims of agents in lanes.

use super::support::journal_rules::assert_rules;
use super::support::lane_scripts::{LaneAgent, LaneScripts};
use super::support::lanes_simulation::LanesSimulation;
use super::support::plans::{one_step, with_check, with_landing_check};
use crate::config::CheckWhen;
use crate::machine::Workplace;
use crate::machine::tests::ends;
use crate::machine::tests::support::aux_job_scripts::AuxJobScript;

/// The third iteration claims completion, and everyone who is told of a refusal.
fn claiming() -> LaneScripts {
    LaneScripts {
        agent: Box::new(|start| {
            let agent = LaneAgent::taking(100 + u64::from(start.unit.iteration));
            let claims = start.unit.iteration == 3 || start.feedback.is_some();
            if claims { agent.done() } else { agent }
        }),
        ..LaneScripts::default()
    }
}

#[test]
fn a_claim_lets_the_others_finish_and_is_checked_on_the_landed_work() {
    let plan = with_check(one_step("a:20", 4), CheckWhen::Completion);
    let run = LanesSimulation::new(plan, claiming()).run();
    assert_rules(&run);
    assert_eq!(ends(run.machine.state()), "marker: complete");
    assert!(run.started.len() < 9, "{:#?}", run.story());
    let checked: Vec<_> = run.ran.iter().map(|start| (start.place, start.tree.len())).collect();
    assert_eq!(checked, [(Some(Workplace::MergeQueue), run.started.len())]);
    assert_eq!(run.repository.user.len(), run.started.len());
    assert_eq!(run.repository.closed, 1);
}

#[test]
fn a_refused_claim_is_told_to_its_lane_and_the_others_go_on() {
    let job = Box::new(|start: &super::support::lane_scripts::JobStart| {
        AuxJobScript::exiting(i32::from(start.tree.len() < 9))
    });
    let plan = with_check(one_step("a:20", 4), CheckWhen::Completion);
    let run = LanesSimulation::new(plan, LaneScripts { job, ..claiming() }).run();
    assert_rules(&run);
    assert_eq!(ends(run.machine.state()), "marker: complete");
    let refused = run.story().iter().filter(|line| line.contains("claim of")).count();
    let told = run.started.iter().filter(|start| start.feedback.is_some()).count();
    assert!(refused > 0 && refused == told, "{refused} {told}: {:#?}", run.story());
    let claims = run.started.iter().filter(|start| start.feedback.is_some());
    let lanes: Vec<_> = claims.map(|start| start.lane).collect();
    let first = run.started.iter().find(|start| start.unit.iteration == 3);
    assert!(lanes.iter().all(|lane| *lane == first.expect("it was").lane), "{lanes:?}");
}

#[test]
fn a_check_that_passed_at_the_landing_of_the_same_commit_is_not_run_again() {
    let run = LanesSimulation::new(with_landing_check(one_step("a:20", 4)), claiming()).run();
    assert_rules(&run);
    assert_eq!(ends(run.machine.state()), "marker: complete");
    let trees: Vec<_> = run.ran.iter().map(|start| start.tree.clone()).collect();
    let mut unique = trees.clone();
    unique.sort();
    unique.dedup();
    assert_eq!(unique.len(), trees.len(), "{trees:?}");
}

#[test]
fn without_completion_checks_a_claim_ends_the_step() {
    let run = LanesSimulation::new(one_step("a:20 -> b", 2), claiming()).run();
    assert_rules(&run);
    assert_eq!(ends(run.machine.state()), "marker exit_code: complete");
}
