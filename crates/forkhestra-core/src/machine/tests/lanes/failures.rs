//! Lanes that cannot be made, work that cannot land, and a work tree that is held.

use std::cell::Cell;
use std::rc::Rc;

use super::support::journal_rules::assert_rules;
use super::support::lane_scripts::{LaneAgent, LaneScripts};
use super::support::lanes_simulation::LanesSimulation;
use super::support::plans::{one_step, parallel, with_landing_check, with_lane_setup};
use crate::event::{AuxJob, EventKind, LimitChanges};
use crate::machine::tests::ends;
use crate::machine::tests::support::aux_job_scripts::AuxJobScript;

/// Agents of which the third claims completion.
fn claiming() -> LaneScripts {
    LaneScripts {
        agent: Box::new(|start| {
            let agent = LaneAgent::taking(100 + u64::from(start.unit.iteration));
            if start.unit.iteration == 3 { agent.done() } else { agent }
        }),
        ..LaneScripts::default()
    }
}

#[test]
fn a_lane_that_cannot_be_made_is_a_warning_and_the_others_work() {
    let scripts = LaneScripts {
        lane_failure: Box::new(|lane| (lane.get() == 2).then(|| "the disk is full".to_owned())),
        ..LaneScripts::default()
    };
    let run = LanesSimulation::new(one_step("a:20", 4), scripts).run();
    assert_rules(&run);
    assert_eq!((run.started.len(), run.most_agents), (20, 3));
    let warning = "warning: lane 2 cannot be made: the disk is full".to_owned();
    assert!(run.story().contains(&warning), "{:#?}", run.story());
}

/// No other lane can do the work of its branch. The run once made the stage again without end.
#[test]
fn without_the_lane_of_a_branch_the_stage_ends() {
    let scripts = LaneScripts {
        lane_failure: Box::new(|lane| (lane.get() == 2).then(|| "the disk is full".to_owned())),
        ..LaneScripts::default()
    };
    let run = LanesSimulation::new(parallel("a -> b -> c", 1..=2), scripts).run();
    assert_rules(&run);
    assert!(ends(run.machine.state()).ends_with("incomplete at 1"), "{:#?}", run.story());
    assert!(ends(run.machine.state()).starts_with("no_lane"), "{:#?}", run.story());
    assert_eq!(run.started.len(), 1, "the other branch finishes its work");
}

#[test]
fn without_any_lane_the_step_ends() {
    let lane_failure = Box::new(|_| Some("the disk is full".to_owned()));
    let scripts = LaneScripts { lane_failure, ..LaneScripts::default() };
    let run = LanesSimulation::new(one_step("a:20", 4), scripts).run();
    assert_eq!(ends(run.machine.state()), "no_lane: incomplete at 1");
    assert_eq!(run.started.len(), 0);
}

#[test]
fn a_lane_whose_set_up_fails_is_a_warning_and_the_others_work() {
    let scripts = LaneScripts {
        job: Box::new(|start| {
            let is_second = matches!(start.place, Some(crate::machine::Workplace::Lane(lane)) if lane.get() == 2);
            AuxJobScript::exiting(i32::from(
                is_second && matches!(start.aux_job, AuxJob::Setup { .. }),
            ))
        }),
        ..LaneScripts::default()
    };
    let run = LanesSimulation::new(with_lane_setup(one_step("a:20", 4)), scripts).run();
    assert_rules(&run);
    assert_eq!((run.started.len(), run.most_agents), (20, 3), "{:#?}", run.story());
}

#[test]
fn without_a_lane_whose_set_up_passes_the_step_ends() {
    let job = Box::new(|_: &_| AuxJobScript::exiting(1));
    let scripts = LaneScripts { job, ..LaneScripts::default() };
    let run = LanesSimulation::new(with_lane_setup(one_step("a:20", 4)), scripts).run();
    assert_eq!(ends(run.machine.state()), "no_lane: incomplete at 1");
    assert_eq!(run.started.len(), 0);
}

#[test]
fn a_held_work_tree_is_told_once_and_a_resume_tries_again_without_agents() {
    let is_held = Rc::new(Cell::new(true));
    let held = Rc::clone(&is_held);
    let scripts = LaneScripts {
        held: Box::new(move |_| held.get().then(|| "src/cart.rs is in the way".to_owned())),
        ..claiming()
    };
    let run = LanesSimulation::new(one_step("a:20 -> b", 2), scripts).run();
    assert_rules(&run);
    assert_eq!(ends(run.machine.state()), "not_landed pending: incomplete at 1");
    let told = run.kinds().filter(|kind| matches!(kind, EventKind::Held { .. })).count();
    assert_eq!(told, 1, "{:#?}", run.story());
    let again = run.resumed(LimitChanges::default()).run();
    assert_eq!(ends(again.machine.state()), "not_landed pending: incomplete at 1");
    assert_eq!(again.started.len(), 0);
    is_held.set(false);
    let resumed = run.resumed(LimitChanges::default()).run();
    assert_rules(&resumed);
    assert_eq!(ends(resumed.machine.state()), "marker exit_code: complete");
    let started: Vec<usize> = resumed.started.iter().map(|start| start.unit.step).collect();
    assert_eq!(started, [2], "only the next step is paid for");
}

#[test]
fn work_that_cannot_be_read_ends_the_step_and_lands_after_a_resume() {
    let is_broken = Rc::new(Cell::new(true));
    let broken = Rc::clone(&is_broken);
    let fetch_failure = Box::new(move |unit: crate::id::UnitId| {
        (broken.get() && unit.iteration == 2).then(|| "no space".to_owned())
    });
    let scripts = LaneScripts { fetch_failure, ..LaneScripts::default() };
    let run = LanesSimulation::new(one_step("a:4", 4), scripts).run();
    assert_rules(&run);
    assert_eq!(ends(run.machine.state()), "not_landed: incomplete at 1");
    is_broken.set(false);
    let resumed = run.resumed(LimitChanges::default()).run();
    assert_rules(&resumed);
    assert_eq!(
        (resumed.started.len(), resumed.repository.user.len()),
        (0, 4),
        "{:#?}",
        resumed.story()
    );
}

#[test]
fn an_integration_ref_that_somebody_else_moved_ends_the_step() {
    let run = LanesSimulation::new(one_step("a:20", 4), LaneScripts::default())
        .moved_at(150, &["foreign"])
        .run();
    assert_eq!(ends(run.machine.state()), "not_landed: incomplete at 1");
    let resumed = run.resumed(LimitChanges::default()).run();
    assert_eq!(ends(resumed.machine.state()), "not_landed: incomplete at 1");
    assert_eq!(resumed.started.len(), 0);
}

#[test]
fn a_check_out_that_fails_refuses_nothing() {
    let scripts = LaneScripts {
        check_out_failure: Box::new(|tree| (!tree.is_empty()).then(|| "no space".to_owned())),
        ..LaneScripts::default()
    };
    let run = LanesSimulation::new(with_landing_check(one_step("a:4", 2)), scripts).run();
    assert_rules(&run);
    assert_eq!(ends(run.machine.state()), "cannot_check: incomplete at 1");
    assert!(!run.story().iter().any(|line| line.contains("refuse")));
}
