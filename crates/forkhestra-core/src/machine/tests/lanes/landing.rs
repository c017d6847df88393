//! Landing: conflicts, refusals, parked work and landing checks.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;

use super::support::journal_rules::assert_rules;
use super::support::lane_scripts::{LaneAgent, LaneScripts};
use super::support::lanes_simulation::LanesSimulation;
use super::support::plans::{one_step, with_landing_check};
use crate::event::{EventKind, LimitChanges};
use crate::machine::Workplace;
use crate::machine::tests::ends;
use crate::machine::tests::support::aux_job_scripts::AuxJobScript;

/// An agent that merges what has landed if it is told to.
fn repairing() -> LaneScripts {
    LaneScripts {
        agent: Box::new(|start| LaneAgent {
            merges: start.feedback.is_some(),
            ..LaneAgent::taking(100 + u64::from(start.unit.iteration))
        }),
        ..LaneScripts::default()
    }
}

fn is_pair(one: &str, other: &str, pair: [&str; 2]) -> bool {
    pair.contains(&one) && pair.contains(&other) && one != other
}

#[test]
fn a_conflict_is_told_to_the_next_agent_in_the_lane_and_lands_after_its_repair() {
    let conflicts = Box::new(|one: &str, other: &str| is_pair(one, other, ["1.1.1", "1.2.1"]));
    let run =
        LanesSimulation::new(one_step("a:6", 2), LaneScripts { conflicts, ..repairing() }).run();
    assert_rules(&run);
    let story = run.story();
    assert!(story.contains(&"2: refuse 1.2.1 conflict".to_owned()), "{story:#?}");
    let told = run.started.iter().filter(|start| start.feedback.is_some());
    let told: Vec<_> = told.map(|start| (start.lane, start.feedback.clone())).collect();
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!(told[0].0.map(crate::id::LaneNumber::get), Some(2));
    assert!(told[0].1.as_ref().is_some_and(|text| text.contains("iteration 1")), "{told:?}");
    assert_eq!(run.repository.integration.map(|all| all.len()), Some(6));
}

#[test]
fn work_that_is_refused_three_times_is_parked_and_its_lane_goes_on() {
    let conflicts = Box::new(|one: &str, _: &str| one == "1.2.1");
    let scripts = LaneScripts { conflicts, ..LaneScripts::default() };
    let run = LanesSimulation::new(one_step("a:14", 2), scripts).run();
    assert_rules(&run);
    let parked: Vec<usize> = run.repository.parked.values().map(BTreeSet::len).collect();
    let refusals = run.story().iter().filter(|line| line.contains("refuse")).count();
    assert_eq!((parked.len(), refusals), (1, 3), "{:#?}", run.story());
    let parked = &run.repository.parked[&1];
    assert!(parked.contains("1.2.1"));
    let landed = run.repository.integration.clone().expect("there is one");
    let own: Vec<&String> = parked.difference(&landed).collect();
    assert_eq!((own.len(), landed.len()), (3, 11));
    let of_lane = run.started.iter().filter(|start| start.lane.is_some_and(|lane| lane.get() == 2));
    assert!(of_lane.count() > 3, "the lane goes on");
}

#[test]
fn only_the_work_that_turns_a_check_red_is_refused() {
    let fixes: Rc<RefCell<BTreeSet<String>>> = Rc::default();
    let known = Rc::clone(&fixes);
    let scripts = LaneScripts {
        agent: Box::new(move |start| {
            if start.feedback.is_some() {
                known.borrow_mut().insert(start.unit.to_string());
            }
            LaneAgent::taking(100)
        }),
        job: Box::new(move |start| {
            let is_fixed = start.tree.iter().any(|unit| fixes.borrow().contains(unit));
            let is_red = start.tree.contains("1.3.1") && !is_fixed;
            AuxJobScript::exiting(i32::from(is_red))
        }),
        ..LaneScripts::default()
    };
    let run = LanesSimulation::new(with_landing_check(one_step("a:8", 4)), scripts).run();
    assert_rules(&run);
    let refused: Vec<String> =
        run.story().into_iter().filter(|line| line.contains("refuse")).collect();
    assert_eq!(refused, ["3: refuse 1.3.1 checks"]);
    assert_eq!(run.repository.integration.map(|all| all.len()), Some(8));
}

#[test]
fn a_check_that_is_red_from_the_start_refuses_nothing() {
    let job = Box::new(|_: &_| AuxJobScript::exiting(1));
    let scripts = LaneScripts { job, ..LaneScripts::default() };
    let run = LanesSimulation::new(with_landing_check(one_step("a:8", 4)), scripts).run();
    assert_rules(&run);
    assert_eq!(run.repository.user.len(), 8);
    assert_eq!(ends(run.machine.state()), "max_iterations: incomplete at 1");
}

#[test]
fn landing_checks_without_a_verdict_end_the_step_and_a_resume_lands_the_work() {
    let is_broken = Rc::new(Cell::new(true));
    let broken = Rc::clone(&is_broken);
    let scripts = LaneScripts {
        job: Box::new(move |start| {
            let is_work = start.place == Some(Workplace::MergeQueue) && !start.tree.is_empty();
            if broken.get() && is_work {
                AuxJobScript::impossible()
            } else {
                AuxJobScript::exiting(0)
            }
        }),
        ..LaneScripts::default()
    };
    let run = LanesSimulation::new(with_landing_check(one_step("a:4", 4)), scripts).run();
    assert_rules(&run);
    assert_eq!(ends(run.machine.state()), "cannot_check: incomplete at 1");
    assert!(run.repository.user.is_empty());
    is_broken.set(false);
    let resumed = run.resumed(LimitChanges::default()).run();
    assert_rules(&resumed);
    assert_eq!(resumed.started.len(), 0, "{:#?}", resumed.story());
    assert_eq!(resumed.repository.user.len(), 4);
    assert_eq!(ends(resumed.machine.state()), "max_iterations: incomplete at 1");
}

#[test]
fn refused_work_that_no_agent_will_repair_is_parked() {
    let conflicts = Box::new(|one: &str, other: &str| is_pair(one, other, ["1.1.1", "1.2.1"]));
    let run =
        LanesSimulation::new(one_step("a:2", 2), LaneScripts { conflicts, ..repairing() }).run();
    assert_rules(&run);
    let parked = run.kinds().filter(|kind| matches!(kind, EventKind::WorkParked { .. })).count();
    assert_eq!(parked, 1, "{:#?}", run.story());
    assert_eq!(ends(run.machine.state()), "max_iterations: incomplete at 1");
}
