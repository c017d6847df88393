//! What lanes mean for the tasks that their agents do.

use std::cell::Cell;
use std::rc::Rc;

use super::support::journal_rules::assert_rules;
use super::support::lane_scripts::{LaneAgent, LaneScripts};
use super::support::lanes_simulation::LanesSimulation;
use super::support::plans::one_step;
use crate::event::{Event, EventKind, StepEnd};
use crate::machine::tests::task_poll::{ready, working_through_tasks};
use crate::machine::tests::{ends, plan};
use crate::policy::{StepTaskProgress, TaskWork};

/// The work of agents conflicts unless they merge, which they do if they are told to.
fn in_conflict() -> LaneScripts {
    LaneScripts {
        agent: Box::new(|start| LaneAgent {
            merges: start.feedback.is_some(),
            ..LaneAgent::taking(50 + u64::from(start.unit.iteration))
        }),
        conflicts: Box::new(|one, other| one != other),
        ..LaneScripts::default()
    }
}

fn refused(run: &LanesSimulation) -> usize {
    run.kinds().filter(|kind| matches!(kind, EventKind::LandingRefused { .. })).count()
}

#[test]
fn refused_work_gives_its_tasks_back_before_the_next_agent_of_its_lane() {
    let run = LanesSimulation::new(one_step("a:4", 2), in_conflict()).run();
    assert_rules(&run);
    assert!(refused(&run) > 0, "{:#?}", run.story());
    assert_eq!(run.repository.returned.len(), refused(&run), "{:#?}", run.story());
    for (_, unit, tasks) in &run.repository.returned {
        assert!(tasks.contains(&format!("TASK-{unit}")), "{unit}: {tasks:?}");
    }
}

#[test]
fn a_killed_run_gives_the_tasks_of_refused_work_back_again() {
    let run = LanesSimulation::new(one_step("a:4", 2), in_conflict()).run();
    let is_refusal = |event: &Event| matches!(event.kind, EventKind::LandingRefused { .. });
    let first = run.events.iter().position(is_refusal).expect("one is refused");
    let killed = run.killed_after(first + 1, false);
    assert_eq!(killed.repository.returned, []);
    let lane = run.events[first].lane;
    let resumed = killed.run();
    let given = resumed.repository.returned.first().map(|(lane, ..)| *lane);
    assert_eq!(given, lane, "{:#?}", resumed.story());
    assert_eq!(ends(resumed.machine.state()), ends(run.machine.state()));
}

#[test]
fn tasks_of_other_lanes_let_a_lane_rest_and_not_a_lone_agent() {
    let plan = plan("a:4");
    let taken = TaskWork::Taken("TASK-1 is in progress".to_owned());
    let end = |finished, shares| {
        taken.end(&plan.steps[0], StepTaskProgress { finished, had_open: true, shares })
    };
    let rests = Some(StepEnd::TasksBlocked("TASK-1 is in progress".to_owned()));
    assert_eq!(end(0, true), rests);
    assert_eq!(end(1, false), rests);
    assert_eq!(end(0, false), None);
}

/// A task that needs no commit is Done at once, and what waits for it can be claimed.
#[test]
fn a_lane_at_rest_asks_again_after_every_iteration() {
    let polls = Rc::new(Cell::new(0));
    let asked = Rc::clone(&polls);
    let scripts = LaneScripts {
        agent: Box::new(|_| LaneAgent::taking(100).idle()),
        tasks: Box::new(move |_, agents| {
            asked.set(asked.get() + 1);
            match agents {
                0 => ready(),
                _ => TaskWork::Taken("TASK-1 is in progress".to_owned()),
            }
        }),
        ..LaneScripts::default()
    };
    // The lanes are made one after the other.
    let delay = Box::new(|number| if number < 6 { 10 * number as u64 } else { 1 });
    let scripts = LaneScripts { delay, ..scripts };
    let run = LanesSimulation::new(working_through_tasks(one_step("a:6", 2)), scripts).run();
    assert_eq!((run.started.len(), run.most_agents), (6, 1), "{:#?}", run.story());
    assert!(polls.get() >= 11, "{} times: {:#?}", polls.get(), run.story());
}
