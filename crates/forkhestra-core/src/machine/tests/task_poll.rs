//! Steps that work through the task database poll it before an agent is started.

use proptest::prelude::*;

use super::checks::{checked, with_clean_room};
use super::hooks::hooked;
use super::support::aux_job_scripts::AuxJobScript;
use super::support::run_simulation::fold;
use super::*;
use crate::check::CheckSpec;
use crate::config::{CheckWhen, OnHookError};
use crate::event::{AuxJob, CancelCause, LimitChanges, OutcomeClass};
use crate::hook::HookPoint;
use crate::id::UnitId;
use crate::plan::{PlanCheck, Sourced};
use crate::policy::{StepTaskProgress, TaskWork, polls_tasks};

/// A task can be claimed.
pub(super) fn ready() -> TaskWork {
    let ids = || vec!["TASK-1".to_owned()];
    TaskWork::Ready { ready: ids(), open: ids() }
}

fn unknown() -> TaskWork {
    TaskWork::Unknown("the task TASK-1 is empty".to_owned())
}

pub(super) fn task_work() -> impl Strategy<Value = TaskWork> {
    prop_oneof![
        4 => Just(ready()),
        1 => Just(TaskWork::AllDone),
        1 => Just(TaskWork::Stuck("TASK-2 is blocked".to_owned())),
        1 => Just(TaskWork::NoDatabase),
        1 => Just(TaskWork::Empty),
        1 => Just(unknown()),
    ]
}

/// The same plan, whose loops work through tasks.
pub(super) fn working_through_tasks(mut plan: Plan) -> Plan {
    for step in plan.steps.iter_mut().filter(|step| step.iterations.is_some()) {
        step.works_through_tasks = true;
        step.checks.push(Sourced::default(PlanCheck {
            check: CheckSpec::Tasks,
            name: None,
            when: CheckWhen::Completion,
            // The default timeout of checks: simulated aux jobs may hang.
            timeout: Limit::At(HumanDuration::from_secs(600)),
            must_fail_first: false,
            runner: None,
        }));
    }
    plan
}

impl RunSimulation {
    /// Sets the state of the tasks by step and its finished iterations.
    pub(super) fn with_tasks(
        mut self,
        tasks: impl Fn(usize, u32) -> (TaskWork, u64) + 'static,
    ) -> Self {
        self.aux_jobs.tasks = Box::new(tasks);
        self
    }

    pub(super) fn ask_tasks(&mut self, step: usize) {
        let finished = self.machine.state().steps[step - 1].finished;
        let (work, after) = (self.aux_jobs.tasks)(step, finished);
        self.aux_jobs.last_task_work = Some((step, finished, work.clone()));
        self.later(Duration::from_millis(after), Input::TasksPolled { step, work });
    }

    fn progress(&self, step: usize, finished: u32) -> StepTaskProgress {
        let open = self.machine.state().steps[step - 1].before.open_tasks.as_ref();
        let had_open = open.is_some_and(|open| !open.is_empty());
        StepTaskProgress { finished, had_open, shares: false }
    }

    /// Sets the tasks that are open when a step begins.
    fn with_open_tasks(mut self, ids: &[&str]) -> Self {
        self.aux_jobs.open_tasks = Some(ids.iter().map(|id| (*id).to_owned()).collect());
        self
    }

    /// Whether the tasks allow an agent to be started.
    pub(super) fn may_start_agent(&self, unit: UnitId) -> bool {
        let plan = &self.machine.state().plan.steps[unit.step - 1];
        let last_work = self.aux_jobs.last_task_work.as_ref();
        let state = &self.machine.state().steps[unit.step - 1];
        !polls_tasks(plan)
            || state.feedback.is_from_another_step()
            || last_work.is_some_and(|(step, finished, work)| {
                let progress = self.progress(*step, *finished);
                (*step, *finished + 1) == (unit.step, unit.iteration)
                    && work.end(plan, progress).is_none()
            })
    }
}

fn stuck() -> TaskWork {
    TaskWork::Stuck("TASK-2 is blocked".to_owned())
}

/// This many tasks, of which each iteration finishes one without a claim.
fn tasks(number: u32) -> impl Fn(usize, u32) -> (TaskWork, u64) + Clone {
    move |_, finished| match finished {
        done if done < number => (ready(), 5),
        _ => (TaskWork::AllDone, 5),
    }
}

fn builder(chain: &str) -> RunSimulation {
    RunSimulation::new(working_through_tasks(plan(chain)), |_| SimulatedAgent::exiting(0))
}

#[test]
fn the_task_poll_decides_whether_an_agent_is_started() {
    for (work, expected) in [
        (TaskWork::AllDone, (0, "tasks_done: complete")),
        (stuck(), (0, "tasks_blocked: incomplete at 1")),
        (TaskWork::NoDatabase, (0, "no_tasks: incomplete at 1")),
        (TaskWork::Empty, (0, "no_tasks: incomplete at 1")),
        (ready(), (3, "max_iterations: incomplete at 1")),
        (unknown(), (3, "max_iterations: incomplete at 1")),
    ] {
        let reported = work.clone();
        let run = builder("a:3").with_tasks(move |_, _| (reported.clone(), 5)).run();
        assert_eq!((run.spawned.len(), &*ends(run.machine.state())), expected, "{work:?}");
    }
}

#[test]
fn the_last_task_completes_the_step_without_one_more_iteration() {
    for limit in [2, 3, 20] {
        let run = builder(&format!("a:{limit}")).with_tasks(tasks(2)).run();
        assert_eq!(run.spawned.len(), 2, "of {limit}");
        assert_eq!(ends(run.machine.state()), "tasks_done: complete", "of {limit}");
    }
    let run = builder("a:2").with_tasks(tasks(3)).run();
    assert_eq!(ends(run.machine.state()), "max_iterations: incomplete at 1");
}

#[test]
fn blocked_tasks_after_the_last_iteration_win_over_the_iteration_limit() {
    let run = builder("a:1").with_tasks(|_, done| (if done == 0 { ready() } else { stuck() }, 5));
    assert_eq!(ends(run.run().machine.state()), "tasks_blocked: incomplete at 1");
}

#[test]
fn finished_tasks_do_not_complete_a_step_with_other_conditions() {
    let with_check = checked("a:3", &[CheckWhen::Completion]);
    let in_room = with_clean_room(plan("a:3"), None);
    for plan in [with_check, in_room, with_done_file("a:3")] {
        let plan = working_through_tasks(plan);
        let run =
            RunSimulation::new(plan, |_| SimulatedAgent::exiting(0)).with_tasks(tasks(0)).run();
        assert_eq!(run.spawned.len(), 3);
        assert_eq!(ends(run.machine.state()), "max_iterations: incomplete at 1");
    }
}

#[test]
fn a_poll_without_tasks_ends_the_step_before_hooks_and_iterations() {
    let plan = hooked(
        working_through_tasks(plan("a:3")),
        &[
            (HookPoint::PreIteration, OnHookError::Continue),
            (HookPoint::OnFailure, OnHookError::Continue),
        ],
    );
    let run = RunSimulation::new(plan, |_| SimulatedAgent::exiting(0));
    let run = run.with_tasks(|_, _| (TaskWork::NoDatabase, 5)).run();
    let points: Vec<HookPoint> = run
        .aux_jobs
        .ran
        .iter()
        .filter_map(|aux_job| match aux_job {
            AuxJob::Hook { moment, .. } => Some(moment.point),
            _ => None,
        })
        .collect();
    assert_eq!(points, [HookPoint::OnFailure]);
    let started = run.kinds().filter(|kind| matches!(kind, EventKind::IterationStarted { .. }));
    assert_eq!(started.count(), 0);
}

#[test]
fn a_marker_with_tasks_left_continues_with_the_next_task() {
    let plan = working_through_tasks(plan("a:5"));
    let run = RunSimulation::new(plan, |_| SimulatedAgent::done())
        .with_chores(|aux_job| match aux_job {
            AuxJob::Check { unit, .. } => AuxJobScript::known(unit.iteration == 3),
            _ => AuxJobScript::exiting(0),
        })
        .with_tasks(tasks(3))
        .run();
    assert_eq!(verdicts(&run), ["refused", "refused", "complete"]);
    assert_eq!(ends(run.machine.state()), "marker: complete");
}

#[test]
fn after_a_wait_the_tasks_are_asked_again() {
    let plan = working_through_tasks(plan("a:5"));
    let crashes =
        RunSimulation::new(plan.clone(), |_| SimulatedAgent::exiting(1)).with_tasks(tasks(2)).run();
    assert_eq!(ends(crashes.machine.state()), "tasks_done: complete");
    let limit =
        |_| SimulatedAgent::with_outcome(OutcomeClass::UsageLimit).with(|s| s.resets_in = Some(60));
    let asked = std::cell::Cell::new(0);
    let reported = move |_: usize, _: u32| {
        asked.set(asked.get() + 1);
        (if asked.get() > 1 { stuck() } else { ready() }, 5)
    };
    let waits = RunSimulation::new(plan, limit).with_tasks(reported).run();
    assert_eq!((waits.spawned.len(), verdicts(&waits)), (1, vec!["postponed"]));
    assert_eq!(ends(waits.machine.state()), "tasks_blocked: incomplete at 1");
}

#[test]
fn a_cancel_does_not_wait_for_the_task_poll() {
    let run = builder("a:3").with_tasks(|_, _| (ready(), 60_000));
    let run = run.cancelled_at(100, CancelCause::Interrupt).run();
    assert_eq!(ends(run.machine.state()), "interrupted: interrupt");
    assert!(run.took() < seconds(5) && run.spawned.is_empty());
}

#[test]
fn a_run_that_found_nothing_to_do_asks_again_when_it_is_resumed() {
    for work in [stuck(), TaskWork::NoDatabase] {
        let found = builder("a:3").with_tasks(move |_, _| (work.clone(), 5)).run();
        let same = LimitChanges::default();
        let again = RunSimulation::resumed(&found.events, same, |_| SimulatedAgent::exiting(0));
        let again = again.with_tasks(tasks(1)).run();
        assert_eq!(ends(again.machine.state()), "tasks_done: complete");
        assert_eq!(again.spawned.len(), 1);
        let both = [found.events, again.events.clone()].concat();
        assert_eq!(&fold(&both), again.machine.state());
    }
}

#[test]
fn a_step_that_runs_once_does_not_ask() {
    let run = RunSimulation::new(plan("a -> a"), |_| SimulatedAgent::done());
    let run = run.with_tasks(|_, _| panic!("it is not asked")).run();
    assert_eq!(ends(run.machine.state()), "exit_code exit_code: complete");
}

/// The same plan with agents that are not built in but have the check.
fn own(mut plan: Plan) -> Plan {
    plan = working_through_tasks(plan);
    plan.steps.iter_mut().for_each(|step| step.works_through_tasks = false);
    plan
}

#[test]
fn an_agent_that_is_not_built_in_is_started_at_least_once() {
    for (work, open, expected) in [
        (TaskWork::AllDone, &[][..], (3, "max_iterations: incomplete at 1")),
        (TaskWork::AllDone, &["TASK-1"], (1, "tasks_done: complete")),
        (stuck(), &["TASK-2"], (1, "tasks_blocked: incomplete at 1")),
        (stuck(), &[], (1, "tasks_blocked: incomplete at 1")),
        (TaskWork::NoDatabase, &[], (3, "max_iterations: incomplete at 1")),
        (TaskWork::Empty, &[], (3, "max_iterations: incomplete at 1")),
        (ready(), &["TASK-1"], (3, "max_iterations: incomplete at 1")),
        (unknown(), &[], (3, "max_iterations: incomplete at 1")),
    ] {
        let reported = work.clone();
        let run = RunSimulation::new(own(plan("a:3")), |_| SimulatedAgent::exiting(0))
            .with_open_tasks(open);
        let run = run.with_tasks(move |_, _| (reported.clone(), 5)).run();
        let found = (run.spawned.len(), &*ends(run.machine.state()));
        assert_eq!(found, expected, "{work:?} {open:?}");
    }
}

/// The warnings of a run.
fn warnings(run: &RunSimulation) -> Vec<String> {
    run.kinds()
        .filter_map(|kind| match kind {
            EventKind::Warning { message } => Some(message.clone()),
            _ => None,
        })
        .collect()
}

#[test]
fn a_marker_that_is_accepted_while_tasks_are_ready_is_a_warning() {
    let expected_text = "step 1 is complete although 1 task is ready: TASK-1; \
                `--check tasks` would refuse that";
    for (chain, work, expected) in [
        ("a:2", ready(), Some(expected_text)),
        ("a:2 -> b", ready(), Some(expected_text)),
        ("a:2", TaskWork::AllDone, None),
        ("a:2", stuck(), None),
        ("a:2", TaskWork::NoDatabase, None),
        ("a:2", unknown(), None),
        // A later step works on them, or the agent leaves them on purpose.
        ("a:2 -> builder:2", ready(), None),
        ("planner:2", ready(), None),
        ("fk:reviewer:2", ready(), None),
        ("task-worker:2", ready(), None),
        ("a", ready(), None),
    ] {
        let reported = work.clone();
        let run = RunSimulation::new(plan(chain), |_| SimulatedAgent::done());
        let run = run.with_tasks(move |_, _| (reported.clone(), 5)).run();
        assert!(ends(run.machine.state()).ends_with("complete"), "{chain}");
        let expected: Vec<String> = expected.map(str::to_owned).into_iter().collect();
        assert_eq!(warnings(&run), expected, "{chain} {work:?}");
    }
}

#[test]
fn a_step_that_is_done_is_done_even_if_the_run_is_cancelled_while_tasks_are_asked_for() {
    let run = RunSimulation::new(plan("a:2 -> b"), |_| SimulatedAgent::done());
    let run =
        run.with_tasks(|_, _| (ready(), 60_000)).cancelled_at(30_000, CancelCause::Interrupt).run();
    assert_eq!(ends(run.machine.state()), "marker pending: interrupt");
    assert!(run.took() < seconds(40));
}

/// No agent has acted on the refusal, although no task is left.
#[test]
fn a_round_whose_agents_all_crashed_is_not_complete_by_its_tasks() {
    let mut plan = working_through_tasks(plan("(a:2 -> b):3"));
    plan.steps[0].agent.name = "fixer".to_owned();
    let run = RunSimulation::new(plan, |unit| match (unit.step, unit.iteration) {
        (1, 1) => SimulatedAgent::done(),
        _ => SimulatedAgent::exiting(9),
    });
    let run =
        run.with_tasks(|_, finished| (if finished == 0 { ready() } else { TaskWork::AllDone }, 5));
    let run = run.run();
    assert_eq!(ends(run.machine.state()), "max_iterations pending: incomplete at 1");
}
