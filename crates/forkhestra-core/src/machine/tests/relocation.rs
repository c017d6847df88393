//! Resuming a run whose project was moved.

use super::support::run_simulation::fold;
use super::*;
use crate::event::{Event, FileStamp, LimitChanges};
use crate::id::UnitId;
use crate::policy::GracePeriods;

/// A run that failed in `/work`, with programs inside and outside of it.
fn failed() -> Vec<Event> {
    let mut plan = plan("a -> b");
    plan.task_database = Some("/work/forge/tasks".to_owned());
    set_location(&mut plan, 0, "/work/agents/a.sh");
    RunSimulation::new(plan, |_| SimulatedAgent::exiting(1)).run().events
}

fn set_location(plan: &mut Plan, index: usize, path: &str) {
    if let plan::AgentKind::Program(program) = &mut plan.steps[index].agent.kind {
        program.location = ProgramLocation::Found(path.to_owned());
    }
}

fn moved(state: RunState) -> RunSimulation {
    let changes = LimitChanges::default();
    let machine = Machine::resume(
        state,
        changes,
        "test",
        GracePeriods::default(),
        support::run_simulation::start(),
    );
    let machine = machine.moved_to(Some("/new/place".to_owned()));
    RunSimulation::with(machine, Box::new(|_| SimulatedAgent::exiting(0))).run()
}

#[test]
fn the_plan_follows_and_so_does_everything_inside_the_project() {
    let events = failed();
    let run = moved(fold(&events));
    let plan = &run.machine.state().plan;
    let found: Vec<_> = plan.steps.iter().filter_map(|step| step.agent.kind.location()).collect();
    let expected =
        ["/new/place/agents/a.sh", "/bin/b"].map(|path| ProgramLocation::Found(path.into()));
    assert_eq!(found, expected.iter().collect::<Vec<_>>());
    assert_eq!(plan.working_directory, "/new/place");
    assert_eq!(plan.task_database.as_deref(), Some("/new/place/forge/tasks"));
    assert_eq!(fold(&[events, run.events.clone()].concat()), *run.machine.state());
}

/// A resume needs the new plan before the journal has it.
#[test]
fn a_plan_that_has_followed_already_stays_as_it_is() {
    let mut state = fold(&failed());
    state.plan.relocate("/new/place");
    let there = state.plan.clone();
    assert_eq!(moved(state).machine.state().plan, there);
}

/// Its stamp differs at the new place, although the file was not touched since the step began.
#[test]
fn a_done_file_that_was_there_before_completes_nothing_at_the_new_place() {
    for kept in 4..12 {
        let old = |_: UnitId| SimulatedAgent { done_file: true, ..SimulatedAgent::exiting(0) };
        let mut first = RunSimulation::new(with_done_file("a:3"), old);
        first.done_file = true;
        let mut events = first.run().events;
        events.truncate(kept);
        if let EventKind::StepStarted { observation, .. } = &mut events[1].kind {
            observation.done_file = Some(FileStamp("at the old place".to_owned()));
        }
        let finished = fold(&events).steps[0].finished;
        let machine = Machine::resume(
            fold(&events),
            LimitChanges::default(),
            "test",
            GracePeriods::default(),
            support::run_simulation::start(),
        );
        let machine = machine.moved_to(Some("/new/place".to_owned()));
        let mut again = RunSimulation::with(machine, Box::new(old));
        again.done_file = true;
        let again = again.run();
        assert_eq!(ends(again.machine.state()), "max_iterations: incomplete at 1", "{kept}");
        assert_eq!(again.outcomes().len() as u32, 3 - finished, "{kept}");
        assert_eq!(fold(&[events, again.events].concat()), *again.machine.state());
    }
}

#[test]
fn a_directory_that_only_begins_alike_is_another_one() {
    let mut plan = plan("a");
    set_location(&mut plan, 0, "/workshop/a");
    plan.relocate("/new/place");
    assert_eq!(
        plan.steps[0].agent.kind.location(),
        Some(&ProgramLocation::Found("/workshop/a".to_owned()))
    );
}
