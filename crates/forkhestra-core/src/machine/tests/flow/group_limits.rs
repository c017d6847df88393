//! Limits of groups, for all their rounds together.

use super::support::{story_line, with_condition};
use crate::event::{LimitChanges, OutcomeClass, StepEnd};
use crate::explain::{CrossedLimit, raising_option};
use crate::id::UnitId;
use crate::limit::GroupLimits;
use crate::machine::tests::support::aux_job_scripts::AuxJobScript;
use crate::machine::tests::support::run_simulation::fold;
use crate::machine::tests::support::samples::dollars;
use crate::machine::tests::*;

/// A plan with these limits for its first group.
fn with_group_limits(chain: &str, set: impl Fn(&mut GroupLimits)) -> Plan {
    let mut plan = plan(chain);
    let flow = plan.flow.as_mut().expect("the chain has a group");
    flow.for_each_group_mut(&mut |group| {
        if group.number == 1 {
            set(&mut group.limits);
        }
    });
    plan
}

fn for_at_most(chain: &str, cost: &str) -> Plan {
    with_group_limits(chain, |limits| limits.cost.value = limit(cost).expect("there is one"))
}

/// Agents that each spend two dollars, of which the second never accepts.
fn two_dollars_each(unit: UnitId) -> SimulatedAgent {
    match unit.step {
        1 => SimulatedAgent::understood_done().spending(200),
        2 => SimulatedAgent::with_outcome(OutcomeClass::Finished).spending(200),
        _ => SimulatedAgent::understood_done(),
    }
}

/// The chain of most tests: a round costs four dollars.
const ROUNDS: &str = "(a:3 -> b:1):9 else c:2";

#[test]
fn the_cost_of_all_rounds_counts_for_a_group() {
    let run = RunSimulation::new(for_at_most(ROUNDS, "9"), two_dollars_each).run();
    let expected = "round 1.1, 1.1.1, 2.1.1, refused by 2: text of 2.1.1, round 1.2, 1.2.1, 2.2.1, \
                    refused by 2: text of 2.2.1, round 1.3, 1.3.1, 3 instead of 2, 3.1.1";
    assert_eq!(story_line(&run), expected);
}

#[test]
fn a_group_that_reached_its_cost_begins_no_other_round() {
    let plan = for_at_most("(a:3 -> b:1):9", "8");
    let run = RunSimulation::new(plan, two_dollars_each).run();
    let end = RunEnd::Incomplete { step: 2, end: StepEnd::GroupCost };
    assert_eq!(run.machine.end(), Some(&end));
    assert_eq!(run.spawned.len(), 4);
    let state = run.machine.state();
    let crossed = CrossedLimit::of(&StepEnd::GroupCost, state, 2).expect("it is a limit");
    assert_eq!((crossed.option.as_str(), crossed.value.as_str()), ("--group-cost", "$8.00"));
    let option = raising_option(state, run.clock().wall);
    assert_eq!(option.as_deref(), Some("--group-cost 16"));
}

#[test]
fn a_resume_raises_the_cost_of_a_group() {
    let run = RunSimulation::new(for_at_most("(a:3 -> b:1):9", "4"), two_dollars_each).run();
    assert_eq!(run.spawned.len(), 2);
    let changes = LimitChanges { group_cost: limit("8"), ..LimitChanges::default() };
    let resumed = RunSimulation::resumed(&run.events, changes, two_dollars_each).run();
    let end = RunEnd::Incomplete { step: 2, end: StepEnd::GroupCost };
    assert_eq!(resumed.machine.end(), Some(&end));
    assert_eq!(resumed.spawned.len(), 2);
    let all = [run.events.as_slice(), &resumed.events].concat();
    assert_eq!(&fold(&all), resumed.machine.state());
}

#[test]
fn a_running_agent_is_ended_at_the_cost_of_its_group() {
    let plan = for_at_most("(a:3 -> b):2 -> c", "3.50");
    let run = RunSimulation::new(plan, |_| {
        let agent = SimulatedAgent::with_outcome(OutcomeClass::Finished);
        let agent = agent.with(|stream| {
            stream.spends = (1..9).map(|second| (1000 * second, dollars(100 * second))).collect();
        });
        SimulatedAgent { exits_at: None, ..agent }
    });
    let run = run.run();
    assert_eq!(endings(&run), [StopReason::GroupCost]);
    assert_eq!(ends(run.machine.state()), "group_cost pending pending: incomplete at 1");
    let expected = "80 % of the cost limit of the group around step 1 is reached: $3.0000 of $3.50";
    assert_eq!(warnings(&run), [expected]);
}

#[test]
fn an_unknown_cost_ends_a_group_with_a_cost_limit() {
    let unpriced = crate::cost::Spend { unpriced: true, ..crate::cost::Spend::default() };
    let plan = for_at_most("(a:3 -> b):2 -> c", "3");
    let run = RunSimulation::new(plan, move |_| {
        SimulatedAgent::understood_done().with(|stream| stream.spends = vec![(1, unpriced)])
    });
    let run = run.run();
    assert_eq!(ends(run.machine.state()), "marker cost_unknown pending: incomplete at 2");
    let option = raising_option(run.machine.state(), run.clock().wall);
    assert_eq!(option.as_deref(), Some("--group-cost off"));
}

#[test]
fn the_time_of_all_rounds_counts_for_a_group() {
    let slow = |_| SimulatedAgent { exits_at: Some(4_000), ..SimulatedAgent::exiting(1) };
    let agent = move |unit: UnitId| match unit.step {
        1 => SimulatedAgent { exits_at: Some(4_000), ..SimulatedAgent::done() },
        _ => slow(unit),
    };
    let ten_seconds = |limits: &mut GroupLimits| limits.time.value = limit("10s").expect("one");
    let plan = with_group_limits("(a:3 -> b):9 -> c", ten_seconds);
    let run = RunSimulation::new(plan, agent).run();
    assert_eq!(endings(&run), [StopReason::GroupTime]);
    assert_eq!(ends(run.machine.state()), "marker group_time pending: incomplete at 2");
    assert_eq!(run.took().as_secs(), 10);
    let option = raising_option(run.machine.state(), run.clock().wall);
    assert_eq!(option.as_deref(), Some("--group-time 20s"));
    let changes = LimitChanges { group_time: limit("15s"), ..LimitChanges::default() };
    let resumed = RunSimulation::resumed(&run.events, changes, agent).run();
    assert_eq!(
        resumed.machine.end(),
        Some(&RunEnd::Incomplete { step: 2, end: StepEnd::GroupTime })
    );
    assert_eq!(resumed.took().as_secs(), 5);
}

#[test]
fn the_time_of_conditions_counts_for_the_groups_around_them() {
    let ten_seconds = |limits: &mut GroupLimits| limits.time.value = limit("10s").expect("one");
    let plan = with_group_limits("((a -> b):2 -> c):9 -> d", ten_seconds);
    let plan = with_condition(with_condition(plan, 1, Some(2)), 2, None);
    let mut run =
        RunSimulation::new(plan, |unit| SimulatedAgent::exiting(i32::from(unit.step == 3)));
    run.aux_jobs.script =
        Box::new(|_| AuxJobScript { exits_at: Some(4_000), ..AuxJobScript::exiting(0) });
    let run = run.run();
    let expected = "round 1.1, condition of 1: true, round 2.1, 1.1.1, condition of 2: true, 2.1.1, \
                    3.1.1, refused by 3: text of 3.1.1, round 1.2";
    assert_eq!(story_line(&run), expected);
    assert_eq!(run.took().as_secs(), 10);
    assert_eq!(run.machine.end(), Some(&RunEnd::Incomplete { step: 1, end: StepEnd::GroupTime }));
    assert_eq!(fold(&run.events), *run.machine.state());
}

#[test]
fn the_limit_of_the_run_is_named_before_that_of_a_group() {
    let mut plan = for_at_most("((a:3 -> b:1):9 -> c):9", "4");
    let run = RunSimulation::new(plan.clone(), two_dollars_each).run();
    assert_eq!(run.machine.end(), Some(&RunEnd::Incomplete { step: 2, end: StepEnd::GroupCost }));
    plan.limits.cost.value = limit("4").expect("there is one");
    let run = RunSimulation::new(plan, two_dollars_each).run();
    assert_eq!(run.machine.end(), Some(&RunEnd::Incomplete { step: 2, end: StepEnd::RunCost }));
}

/// The time of conditions stays when a round of the outer group begins.
#[test]
fn the_time_of_conditions_of_an_inner_group_counts_over_all_outer_rounds() {
    let mut plan = with_condition(plan("((a -> b) -> c):9"), 2, None);
    let flow = plan.flow.as_mut().expect("it has groups");
    flow.for_each_group_mut(&mut |group| {
        if group.number == 2 {
            group.limits.time.value = limit("10s").expect("a time");
        }
    });
    let mut run =
        RunSimulation::new(plan, |unit| SimulatedAgent::exiting(i32::from(unit.step == 3)));
    run.aux_jobs.script =
        Box::new(|_| AuxJobScript { exits_at: Some(4_000), ..AuxJobScript::exiting(0) });
    let run = run.run();
    assert_eq!(run.machine.state().groups[0].round, 3, "{}", story_line(&run));
    assert_eq!(run.machine.end(), Some(&RunEnd::Incomplete { step: 2, end: StepEnd::GroupTime }));
}

/// The outer limit has room left.
#[test]
fn a_resume_is_advised_to_raise_only_what_is_used_up() {
    let mut plan = plan("((a:3 -> b:1):9 -> c):2");
    let flow = plan.flow.as_mut().expect("it has groups");
    flow.for_each_group_mut(&mut |group| {
        let dollars = if group.number == 1 { "20" } else { "4" };
        group.limits.cost.value = limit(dollars).expect("an amount");
    });
    let run = RunSimulation::new(plan, two_dollars_each).run();
    assert_eq!(run.machine.end(), Some(&RunEnd::Incomplete { step: 2, end: StepEnd::GroupCost }));
    let option = raising_option(run.machine.state(), run.clock().wall);
    assert_eq!(option.as_deref(), Some("--group-cost 20"), "not twice the outer limit");
}
