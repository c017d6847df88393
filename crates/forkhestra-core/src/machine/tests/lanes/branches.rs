//! Parallel branches, each in a lane of its own.

use super::support::journal_rules::assert_rules;
use super::support::lane_scripts::{LaneAgent, LaneScripts};
use super::support::lanes_simulation::LanesSimulation;
use super::support::plans::{parallel, with_landing_check, with_lane_setup};
use crate::event::AuxJob;
use crate::machine::Workplace;
use crate::machine::tests::support::simulated_agent::SimulatedAgent;
use crate::machine::tests::{ends, plan};
use crate::plan::{Flow, FlowStage};

fn scripted(
    agent: impl Fn(&super::support::lane_scripts::AgentStart) -> LaneAgent + 'static,
) -> LaneScripts {
    LaneScripts { agent: Box::new(agent), ..LaneScripts::default() }
}

/// The second iteration of a step claims completion.
fn claiming_second() -> LaneScripts {
    scripted(|start| {
        let agent = LaneAgent::taking(100 * start.unit.step as u64);
        if start.unit.iteration == 2 { agent.done() } else { agent }
    })
}

#[test]
fn parallel_branches_land_before_the_next_step() {
    let run = LanesSimulation::new(parallel("a:5 -> b:5 -> c", 1..=2), claiming_second()).run();
    assert_rules(&run);
    assert_eq!(ends(run.machine.state()), "marker marker exit_code: complete");
    let at_c = run.started.last().expect("c ran");
    assert_eq!((at_c.unit.step, at_c.lane), (3, None));
    assert_eq!((run.repository.user.len(), run.most_agents), (5, 2));
}

#[test]
fn a_branch_that_is_not_complete_lets_the_others_finish_their_iteration() {
    let scripts = scripted(|start| match start.unit.step {
        1 => LaneAgent::of(SimulatedAgent::exiting(1)).idle(),
        _ => LaneAgent::taking(500),
    });
    let run = LanesSimulation::new(parallel("a -> b:5 -> c", 1..=2), scripts).run();
    assert_rules(&run);
    assert_eq!(ends(run.machine.state()), "failed open pending: incomplete at 1");
    assert_eq!(run.started.len(), 2);
    assert_eq!(run.repository.user.len(), 1, "the other one lands");
    let resumed = run.resumed(crate::event::LimitChanges::default()).run();
    assert_rules(&resumed);
    let again: Vec<_> = resumed.started.iter().map(|start| start.unit.to_string()).collect();
    assert!(again.contains(&"1.1.2".to_owned()), "{again:?}");
}

#[test]
fn a_branch_checks_its_claim_in_its_lane_and_landing_checks_run_on_merged_work() {
    let plan = with_landing_check(super::support::plans::with_check(
        parallel("a:5 -> b:5", 1..=2),
        crate::config::CheckWhen::Completion,
    ));
    let run = LanesSimulation::new(plan, claiming_second()).run();
    assert_rules(&run);
    assert_eq!(ends(run.machine.state()), "marker marker: complete");
    let places = |number: usize| {
        let of = run.ran.iter().filter(
            move |start| matches!(start.aux_job, AuxJob::Check { number: of, .. } if of == number),
        );
        of.map(|start| matches!(start.place, Some(Workplace::Lane(_)))).collect::<Vec<_>>()
    };
    assert_eq!(places(1), [true, true]);
    assert!(!places(2).is_empty() && places(2).iter().all(|is_in_lane| !is_in_lane));
}

#[test]
fn the_set_up_of_a_lane_runs_in_branches_as_well() {
    let run =
        LanesSimulation::new(with_lane_setup(parallel("a:5 -> b:5", 1..=2)), claiming_second())
            .run();
    let set_up = run.ran.iter().filter(|start| matches!(start.aux_job, AuxJob::Setup { .. }));
    let lanes = set_up.filter(|start| matches!(start.place, Some(Workplace::Lane(_)))).count();
    assert_eq!(lanes, 2, "{:?}", run.ran);
}

/// Steps 1 and 2 in parallel, in a repeated group with step 3, which decides.
#[test]
fn rounds_around_branches_begin_their_lanes_anew() {
    let mut plan = plan("(a:5 -> b:5 -> c):3");
    let flow = plan.flow.as_mut().expect("it has a group");
    let FlowStage::Group(group) = &mut flow.0[0] else { panic!("it is a group") };
    let of = |step| Flow(vec![FlowStage::Step(step)]);
    group.stages = Flow(vec![FlowStage::Parallel(vec![of(1), of(2)]), FlowStage::Step(3)]);
    let scripts = scripted(|start| match (start.unit.step, start.unit.iteration) {
        // The judge refuses the first round.
        (3, 1) => LaneAgent::of(SimulatedAgent::exiting(1)).idle(),
        (3, _) => LaneAgent::of(SimulatedAgent::exiting(0)).idle(),
        (_, iteration) if iteration % 2 == 0 => LaneAgent::taking(100).done(),
        _ => LaneAgent::taking(100),
    });
    let run = LanesSimulation::new(plan, scripts).run();
    assert_rules(&run);
    assert_eq!(ends(run.machine.state()), "marker marker exit_code: complete");
    assert_eq!(run.repository.user.len(), 8);
}

#[test]
fn an_alternative_runs_instead_of_branches_of_which_one_failed() {
    let mut plan = plan("a:2 -> b:2 -> c");
    let of = |step| Flow(vec![FlowStage::Step(step)]);
    let branches = Flow(vec![FlowStage::Parallel(vec![of(1), of(2)])]);
    plan.flow = Some(Flow(vec![FlowStage::Alternatives(vec![branches, of(3)])]));
    let scripts = scripted(|start| match start.unit.step {
        2 => LaneAgent::taking(100),
        _ => LaneAgent::taking(50).done(),
    });
    let run = LanesSimulation::new(plan, scripts).run();
    assert_rules(&run);
    assert_eq!(ends(run.machine.state()), "marker max_iterations exit_code: complete");
}
