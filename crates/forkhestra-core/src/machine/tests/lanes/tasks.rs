//! Lanes of a step that works through tasks.

use super::support::journal_rules::assert_rules;
use super::support::lane_scripts::{LaneAgent, LaneScripts};
use super::support::lanes_simulation::LanesSimulation;
use super::support::plans::one_step;
use crate::check::CheckSpec;
use crate::event::EventKind;
use crate::machine::tests::ends;
use crate::machine::tests::task_poll::{ready, working_through_tasks};
use crate::policy::TaskWork;

/// Tasks of which each needs the landed work of the one before.
fn chained(number: usize) -> LaneScripts {
    LaneScripts {
        tasks: Box::new(move |repository, running| {
            let landed = repository.landed();
            if landed >= number {
                TaskWork::AllDone
            } else if running == 0 {
                ready()
            } else {
                TaskWork::Stuck("TASK-2 waits for TASK-1".to_owned())
            }
        }),
        // The lanes are made one after the other.
        delay: Box::new(|number| if number < 6 { 100 * number as u64 } else { 1 }),
        agent: Box::new(|_| LaneAgent::taking(3000)),
        ..LaneScripts::default()
    }
}

#[test]
fn a_lane_without_a_task_rests_until_work_lands() {
    let run = LanesSimulation::new(working_through_tasks(one_step("a:20", 3)), chained(3)).run();
    assert_rules(&run);
    assert_eq!(ends(run.machine.state()), "tasks_done: complete");
    assert_eq!((run.started.len(), run.most_agents), (3, 1), "{:#?}", run.story());
}

#[test]
fn a_step_whose_lanes_find_no_task_has_blocked_tasks() {
    let tasks = Box::new(|_: &_, _| TaskWork::Stuck("TASK-2 is blocked".to_owned()));
    let scripts = LaneScripts { tasks, ..LaneScripts::default() };
    let run = LanesSimulation::new(working_through_tasks(one_step("a:20", 3)), scripts).run();
    assert_eq!(ends(run.machine.state()), "tasks_blocked: incomplete at 1");
    assert_eq!(run.started.len(), 0);
}

#[test]
fn a_program_with_a_task_check_ends_with_blocked_tasks_as_well() {
    let mut plan = working_through_tasks(one_step("a:20", 2));
    plan.steps[0].works_through_tasks = false;
    assert!(plan.steps[0].checks.iter().any(|check| check.value.check == CheckSpec::Tasks));
    let scripts = LaneScripts {
        tasks: Box::new(|repository, _| {
            let landed = repository.landed();
            if landed < 4 { ready() } else { TaskWork::Stuck("TASK-2 is blocked".to_owned()) }
        }),
        ..LaneScripts::default()
    };
    let run = LanesSimulation::new(plan, scripts).run();
    assert_rules(&run);
    assert_eq!(ends(run.machine.state()), "tasks_blocked: incomplete at 1");
}

#[test]
fn used_up_iterations_with_done_tasks_complete_the_step() {
    let scripts = LaneScripts {
        tasks: Box::new(|repository, _| {
            let landed = repository.landed();
            if landed < 4 { ready() } else { TaskWork::AllDone }
        }),
        ..LaneScripts::default()
    };
    let run = LanesSimulation::new(working_through_tasks(one_step("a:4", 2)), scripts).run();
    assert_rules(&run);
    assert_eq!(ends(run.machine.state()), "tasks_done: complete", "{:#?}", run.story());
    let polled = run.kinds().filter(|kind| matches!(kind, EventKind::Warning { .. })).count();
    assert_eq!(polled, 0);
}

#[test]
fn refused_work_is_repaired_although_no_task_can_be_claimed() {
    let scripts = LaneScripts {
        tasks: Box::new(|repository, running| {
            let landed = repository.landed();
            match (landed, running) {
                (0, _) => TaskWork::Ready {
                    ready: vec!["TASK-1".to_owned(), "TASK-2".to_owned()],
                    open: Vec::new(),
                },
                (1, _) => TaskWork::Stuck("TASK-2 is claimed".to_owned()),
                _ => TaskWork::AllDone,
            }
        }),
        conflicts: Box::new(|one, other| one == "1.2.1" && other == "1.1.1"),
        agent: Box::new(|start| LaneAgent {
            merges: start.feedback.is_some(),
            ..LaneAgent::taking(100 + u64::from(start.unit.iteration))
        }),
        ..LaneScripts::default()
    };
    let run = LanesSimulation::new(working_through_tasks(one_step("a:20", 2)), scripts).run();
    assert_rules(&run);
    assert_eq!(ends(run.machine.state()), "tasks_done: complete");
    assert_eq!((run.started.len(), run.repository.parked.len()), (3, 0), "{:#?}", run.story());
}
