//! Limits of a step with lanes: stagnation, cost, time and accounts.

use super::support::journal_rules::assert_rules;
use super::support::lane_scripts::{LaneAgent, LaneScripts};
use super::support::lanes_simulation::LanesSimulation;
use super::support::plans::one_step;
use crate::config::Backend;
use crate::event::{EventKind, OutcomeClass, StopReason};
use crate::machine::tests::support::samples::dollars;
use crate::machine::tests::support::simulated_agent::SimulatedAgent;
use crate::machine::tests::{ends, limit};
use crate::plan::{AgentKind, DirectSpawn, Plan, ProgramLocation};

fn scripted(
    agent: impl Fn(&super::support::lane_scripts::AgentStart) -> LaneAgent + 'static,
) -> LaneScripts {
    LaneScripts { agent: Box::new(agent), ..LaneScripts::default() }
}

fn lane_of(start: &super::support::lane_scripts::AgentStart) -> u8 {
    start.lane.map_or(0, crate::id::LaneNumber::get)
}

fn with_stagnation(mut plan: Plan, count: &str) -> Plan {
    plan.steps[0].limits.stagnation.value = limit(count).expect("there is one");
    plan
}

fn with_cost(mut plan: Plan, cost: &str) -> Plan {
    plan.steps[0].limits.cost.value = limit(cost).expect("there is one");
    plan
}

/// Agents of a known back-end.
fn of_claude(mut plan: Plan) -> Plan {
    let location = ProgramLocation::Found("/bin/claude".to_owned());
    let direct = DirectSpawn::new(Backend::Claude, "claude".to_owned(), location);
    plan.steps[0].agent.kind = AgentKind::Direct(direct);
    plan
}

#[test]
fn stagnation_in_every_lane_ends_the_step() {
    let scripts = scripted(|_| LaneAgent::taking(100).idle());
    let run = LanesSimulation::new(with_stagnation(one_step("a:50", 3), "3"), scripts).run();
    assert_rules(&run);
    assert_eq!(ends(run.machine.state()), "stagnated: incomplete at 1");
    assert_eq!(run.started.len(), 9);
}

#[test]
fn landed_work_is_progress_for_every_lane() {
    let scripts = scripted(|start| {
        let agent = LaneAgent::taking(100);
        if lane_of(start) == 1 { agent } else { agent.idle() }
    });
    let run = LanesSimulation::new(with_stagnation(one_step("a:50", 3), "3"), scripts).run();
    assert_rules(&run);
    assert_eq!(ends(run.machine.state()), "max_iterations: incomplete at 1");
    assert_eq!(run.started.len(), 50);
}

#[test]
fn the_cost_limit_of_a_step_holds_for_all_lanes_together() {
    let process = SimulatedAgent::with_outcome(OutcomeClass::Finished).spending(10);
    let scripts = scripted(move |_| LaneAgent::of(process.clone()));
    let run = LanesSimulation::new(with_cost(one_step("a:50", 4), "1.00"), scripts).run();
    assert_rules(&run);
    assert_eq!(ends(run.machine.state()), "step_cost: incomplete at 1");
    assert!((10..=13).contains(&run.started.len()), "{}", run.started.len());
    let spent = run.machine.state().spend_of(1);
    assert!(spent.dollars.nanos() <= dollars(130).dollars.nanos(), "{spent:?}");
}

#[test]
fn at_the_cost_limit_the_agents_of_all_lanes_are_ended() {
    let scripts = scripted(|start| {
        let process = SimulatedAgent::with_outcome(OutcomeClass::Finished);
        let spends =
            if lane_of(start) == 1 { vec![(50, dollars(200))] } else { vec![(5, dollars(10))] };
        let process = process.with(|stream| stream.spends = spends);
        LaneAgent::of(SimulatedAgent { exits_at: Some(3_600_000), ..process })
    });
    let mut plan = with_cost(one_step("a:50", 4), "2.00");
    plan.steps[0].limits.idle_timeout.value = limit("off").expect("there is one");
    plan.steps[0].limits.timeout.value = limit("off").expect("there is one");
    let run = LanesSimulation::new(plan, scripts).run();
    assert_rules(&run);
    assert_eq!(ends(run.machine.state()), "step_cost: incomplete at 1");
    let ended = run
        .kinds()
        .filter(|kind| matches!(kind, EventKind::AgentEnding { why: StopReason::StepCost, .. }));
    assert_eq!(ended.count(), 4, "{:#?}", run.story());
    assert_eq!(run.started.len(), 4);
}

#[test]
fn the_time_limit_of_a_run_ends_all_lanes() {
    let mut plan = one_step("a:50", 3);
    plan.limits.time.value = limit("1s").expect("there is one");
    let run =
        LanesSimulation::new(plan, scripted(|_| LaneAgent::of(SimulatedAgent::hanging()))).run();
    assert_rules(&run);
    assert_eq!(ends(run.machine.state()), "run_time: incomplete at 1");
    assert_eq!(run.started.len(), 3);
}

#[test]
fn a_usage_limit_that_one_lane_hears_of_starts_no_agent_in_any_lane() {
    let plan = of_claude(one_step("a:12", 3));
    let scripts = scripted(|start| {
        let is_refused = start.unit.iteration == 2 && start.unit.attempt == 1;
        let class = if is_refused { OutcomeClass::UsageLimit } else { OutcomeClass::Finished };
        let process = SimulatedAgent::with_outcome(class);
        let process = process.with(|stream| stream.resets_in = is_refused.then_some(1000));
        let exits_at = Some(100 * u64::from(start.unit.iteration));
        LaneAgent::of(SimulatedAgent { exits_at, ..process })
    });
    let run = LanesSimulation::new(plan, scripts).run();
    assert_rules(&run);
    let heard = run.kinds().position(|kind| matches!(kind, EventKind::Waiting { .. }));
    let heard = &run.events[heard.expect("it waits")];
    let EventKind::Waiting { until, .. } = heard.kind else { panic!("it was one") };
    let early: Vec<_> = run
        .events
        .iter()
        .filter(|event| matches!(event.kind, EventKind::IterationStarted { .. }))
        .filter(|event| event.at > heard.at && event.at < until)
        .collect();
    assert!(early.is_empty(), "{early:#?}");
    assert_eq!(run.started.len(), 13);
}

#[test]
fn a_crash_delays_its_own_lane_only() {
    let scripts = scripted(|start| {
        if lane_of(start) == 2 {
            LaneAgent::of(SimulatedAgent::exiting(1)).idle()
        } else {
            LaneAgent::taking(100)
        }
    });
    let run = LanesSimulation::new(one_step("a:20", 3), scripts).run();
    assert_rules(&run);
    let lanes: Vec<_> = run
        .events
        .iter()
        .filter(|event| matches!(event.kind, EventKind::BackingOff { .. }))
        .filter_map(|event| event.lane)
        .collect();
    assert!(!lanes.is_empty() && lanes.iter().all(|lane| lane.get() == 2), "{lanes:?}");
    assert!(run.started.iter().filter(|start| lane_of(start) == 2).count() < 5);
}
