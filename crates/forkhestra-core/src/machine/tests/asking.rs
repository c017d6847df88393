//! Steps that work through the task database ask it before an agent is paid for.

use proptest::prelude::*;

use super::checking::{checked, in_room};
use super::chores::Chore;
use super::damaged::without;
use super::hooking::hooked;
use super::simulation::fold;
use super::*;
use crate::check::CheckSpec;
use crate::config::{CheckWhen, OnError};
use crate::event::{Cancel, Errand, LimitChanges, OutcomeClass};
use crate::hook::HookPoint;
use crate::id::UnitId;
use crate::plan::{Check, Sourced};
use crate::policy::TaskWork;

pub(super) fn task_work() -> impl Strategy<Value = TaskWork> {
    prop_oneof![
        4 => Just(TaskWork::Ready),
        1 => Just(TaskWork::AllDone),
        1 => Just(TaskWork::Stuck("TASK-2 is blocked".to_owned())),
        1 => Just(TaskWork::NoTasks),
        1 => Just(TaskWork::Unknown),
    ]
}

/// The same plan, whose loops go from task to task.
pub(super) fn working_through_tasks(mut plan: Plan) -> Plan {
    for step in plan.steps.iter_mut().filter(|step| step.iterations.is_some()) {
        step.works_through_tasks = true;
        step.checks.push(Sourced::default(Check {
            check: CheckSpec::Tasks,
            name: None,
            when: CheckWhen::Completion,
            // As every check has by default: errands of these worlds may hang.
            timeout: Limit::At(Time::from_secs(600)),
            runner: None,
        }));
    }
    plan
}

impl Simulation {
    /// Has this be told of the tasks, by the step and how many of its iterations are finished.
    pub(super) fn with_tasks(
        mut self,
        tasks: impl Fn(usize, u32) -> (TaskWork, u64) + 'static,
    ) -> Self {
        self.chores.tasks = Box::new(tasks);
        self
    }

    pub(super) fn ask_tasks(&mut self, step: usize) {
        let finished = self.machine.state().steps[step - 1].finished;
        let (work, after) = (self.chores.tasks)(step, finished);
        self.chores.told = Some((step, finished, work.clone()));
        self.later(Duration::from_millis(after), Input::TasksTold { step, work });
    }

    /// Whether an agent may be started, as far as the tasks are concerned.
    pub(super) fn was_told_to_work(&self, unit: UnitId) -> bool {
        let plan = &self.machine.state().plan.steps[unit.step - 1];
        let told = self.chores.told.as_ref();
        !plan.works_through_tasks
            || told.is_some_and(|(step, finished, work)| {
                (*step, *finished + 1) == (unit.step, unit.iteration) && work.end(plan).is_none()
            })
    }
}

fn stuck() -> TaskWork {
    TaskWork::Stuck("TASK-2 is blocked".to_owned())
}

/// So many tasks, of which each iteration does one without a word.
fn tasks(number: u32) -> impl Fn(usize, u32) -> (TaskWork, u64) + Clone {
    move |_, finished| match finished {
        done if done < number => (TaskWork::Ready, 5),
        _ => (TaskWork::AllDone, 5),
    }
}

fn builder(chain: &str) -> Simulation {
    Simulation::new(working_through_tasks(plan(chain)), |_| Agent::exiting(0))
}

#[test]
fn what_is_told_decides_whether_an_agent_is_started() {
    for (work, expected) in [
        (TaskWork::AllDone, (0, "tasks_done: complete")),
        (stuck(), (0, "tasks_blocked: incomplete at 1")),
        (TaskWork::NoTasks, (0, "no_tasks: incomplete at 1")),
        (TaskWork::Ready, (3, "max_iterations: incomplete at 1")),
        (TaskWork::Unknown, (3, "max_iterations: incomplete at 1")),
    ] {
        let told = work.clone();
        let run = builder("a:3").with_tasks(move |_, _| (told.clone(), 5)).run();
        assert_eq!((run.spawned.len(), &*ends(run.machine.state())), expected, "{work:?}");
    }
}

#[test]
fn the_last_task_completes_the_step_without_one_more_iteration() {
    for most in [2, 3, 20] {
        let run = builder(&format!("a:{most}")).with_tasks(tasks(2)).run();
        assert_eq!(run.spawned.len(), 2, "of {most}");
        assert_eq!(ends(run.machine.state()), "tasks_done: complete", "of {most}");
    }
    let run = builder("a:2").with_tasks(tasks(3)).run();
    assert_eq!(ends(run.machine.state()), "max_iterations: incomplete at 1");
}

#[test]
fn what_is_blocked_after_the_last_iteration_does_not_hide_that_it_was_the_last() {
    let run =
        builder("a:1").with_tasks(|_, done| (if done == 0 { TaskWork::Ready } else { stuck() }, 5));
    assert_eq!(ends(run.run().machine.state()), "max_iterations: incomplete at 1");
}

#[test]
fn a_step_of_which_more_is_asked_than_tasks_is_not_complete_with_them() {
    let with_check = checked("a:3", &[CheckWhen::Completion]);
    let in_room = in_room(plan("a:3"), None);
    for plan in [with_check, in_room, with_done_file("a:3")] {
        let plan = working_through_tasks(plan);
        let run = Simulation::new(plan, |_| Agent::exiting(0)).with_tasks(tasks(0)).run();
        assert_eq!(run.spawned.len(), 3);
        assert_eq!(ends(run.machine.state()), "max_iterations: incomplete at 1");
    }
}

#[test]
fn the_question_comes_before_hooks_and_nothing_of_it_is_recorded_but_the_end() {
    let plan = hooked(
        working_through_tasks(plan("a:3")),
        &[(HookPoint::PreIteration, OnError::Continue), (HookPoint::OnFailure, OnError::Continue)],
    );
    let run = Simulation::new(plan, |_| Agent::exiting(0));
    let run = run.with_tasks(|_, _| (TaskWork::NoTasks, 5)).run();
    let points: Vec<HookPoint> = run
        .chores
        .ran
        .iter()
        .filter_map(|errand| match errand {
            Errand::Hook { moment, .. } => Some(moment.point),
            _ => None,
        })
        .collect();
    assert_eq!(points, [HookPoint::OnFailure]);
    let started = run.kinds().filter(|kind| matches!(kind, EventKind::IterationStarted { .. }));
    assert_eq!(started.count(), 0);
}

#[test]
fn a_marker_with_tasks_left_goes_on_to_the_next_task() {
    let plan = working_through_tasks(plan("a:5"));
    let run = Simulation::new(plan, |_| Agent::done())
        .with_chores(|errand| match errand {
            Errand::Check { unit, .. } => Chore::known(unit.iteration == 3),
            _ => Chore::exiting(0),
        })
        .with_tasks(tasks(3))
        .run();
    assert_eq!(verdicts(&run), ["refused", "refused", "complete"]);
    assert_eq!(ends(run.machine.state()), "marker: complete");
}

#[test]
fn after_a_wait_the_tasks_are_asked_again() {
    let plan = working_through_tasks(plan("a:5"));
    let crashes = Simulation::new(plan.clone(), |_| Agent::exiting(1)).with_tasks(tasks(2)).run();
    assert_eq!(ends(crashes.machine.state()), "tasks_done: complete");
    let limit = |_| Agent::heard(OutcomeClass::UsageLimit).with(|s| s.resets_in = Some(60));
    let asked = std::cell::Cell::new(0);
    let told = move |_: usize, _: u32| {
        asked.set(asked.get() + 1);
        (if asked.get() > 1 { stuck() } else { TaskWork::Ready }, 5)
    };
    let waits = Simulation::new(plan, limit).with_tasks(told).run();
    assert_eq!((waits.spawned.len(), verdicts(&waits)), (1, vec!["postponed"]));
    assert_eq!(ends(waits.machine.state()), "tasks_blocked: incomplete at 1");
}

#[test]
fn whoever_cancels_does_not_wait_for_the_answer() {
    let run = builder("a:3").with_tasks(|_, _| (TaskWork::Ready, 60_000));
    let run = run.cancelled_at(100, Cancel::Interrupt).run();
    assert_eq!(ends(run.machine.state()), "interrupted: interrupt");
    assert!(run.took() < seconds(5) && run.spawned.is_empty());
}

#[test]
fn a_run_that_found_nothing_to_do_asks_again_when_it_is_resumed() {
    for work in [stuck(), TaskWork::NoTasks] {
        let found = builder("a:3").with_tasks(move |_, _| (work.clone(), 5)).run();
        let same = LimitChanges::default();
        let again = Simulation::resumed(&found.events, same, |_| Agent::exiting(0));
        let again = again.with_tasks(tasks(1)).run();
        assert_eq!(ends(again.machine.state()), "tasks_done: complete");
        assert_eq!(again.spawned.len(), 1);
        let both = [found.events, again.events.clone()].concat();
        assert_eq!(&fold(&both), again.machine.state());
    }
}

#[test]
fn steps_of_other_agents_ask_nobody() {
    let run = Simulation::new(plan("a:2 -> a"), |_| Agent::done());
    let run = run.with_tasks(|_, _| panic!("nobody has to know")).run();
    assert_eq!(ends(run.machine.state()), "marker exit_code: complete");
}

#[test]
fn a_journal_that_lost_the_end_of_such_a_step_invents_no_iteration() {
    let run = builder("a:3 -> a").with_tasks(tasks(0)).run();
    let is_end = |kind: &EventKind| matches!(kind, EventKind::StepFinished { step: 1, .. });
    let lost = run.kinds().position(is_end).expect("the step ends");
    let state = mend(&without(&run.events, &[lost])).expect("it has a beginning").state;
    assert_eq!(ends(&state), "tasks_done exit_code: complete");
    assert_eq!(state.steps[0].finished, 0);
}
