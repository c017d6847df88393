//! Lanes share the iterations of a step, and all their work lands.

use std::collections::BTreeSet;

use super::support::journal_rules::assert_rules;
use super::support::lane_scripts::{LaneAgent, LaneScripts};
use super::support::lanes_simulation::LanesSimulation;
use super::support::plans::{one_step, with_landing_check};
use crate::machine::tests::ends;

#[test]
fn four_lanes_share_twenty_iterations_and_all_work_lands_once() {
    let run = LanesSimulation::new(one_step("a:20", 4), LaneScripts::default()).run();
    assert_eq!(ends(run.machine.state()), "max_iterations: incomplete at 1");
    let numbers: Vec<u32> = run.started.iter().map(|start| start.unit.iteration).collect();
    assert_eq!(numbers, (1..=20).collect::<Vec<_>>());
    assert_eq!(run.most_agents, 4);
    let all: BTreeSet<String> = run.started.iter().map(|start| start.unit.to_string()).collect();
    assert_eq!(run.repository.integration, Some(all.clone()));
    assert_eq!(run.repository.user, all);
    assert_rules(&run);
}

#[test]
fn work_that_waits_during_checks_is_one_batch() {
    let agent = LaneAgent::taking(10);
    let scripts = LaneScripts { agent: Box::new(move |_| agent.clone()), ..LaneScripts::default() };
    let run = LanesSimulation::new(with_landing_check(one_step("a:8", 4)), scripts).run();
    assert_rules(&run);
    let story = run.story();
    assert!(story.iter().any(|line| line.starts_with("land ") && line.contains('+')), "{story:#?}");
}
