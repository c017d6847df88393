//! Estimate of a run's remaining time.

use std::time::Duration;

use forkhestra_core::event::{TaskChangeKind, Verdict};
use forkhestra_core::history::{IterationRecord, RunHistory, StepHistory};
use forkhestra_core::limit::{HumanDuration, Limit};
use forkhestra_core::time::Timestamp;

use super::run_screen_state::RunScreenState;

/// Number of recent iterations or tasks that the estimate uses.
const MAX_SAMPLES: usize = 9;

/// Estimated remaining time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TimeEstimate {
    pub(crate) left: Duration,
    pub(crate) basis: EstimateBasis,
    /// Whether the estimate covers only the current step and further steps follow.
    pub(crate) is_of_step: bool,
}

/// What an estimate is based on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EstimateBasis {
    /// The number of remaining tasks.
    Tasks(usize),
    /// The remaining iterations or time: an upper bound.
    Limits,
}

/// Estimates the remaining time of the current loop. If it finishes tasks, the estimate is the
/// number of remaining tasks times the median of recent tasks. It is bounded by the remaining
/// iterations times the median of recent iterations, and by time limits. None if there is no data
/// or the run is not alive.
pub(crate) fn estimate(view: &RunScreenState, now: Timestamp) -> Option<TimeEstimate> {
    let history = view.history.as_ref().filter(|_| view.is_live())?;
    // A run that is stopping needs no estimate.
    let is_ending =
        history.steering.cancelled.is_some() || history.steering.stop_requested.is_some();
    if is_ending || history.is_skipping() {
        return None;
    }
    let number = history.state.current_step()?;
    let (plan, state) =
        (history.state.plan.steps.get(number - 1)?, &history.state.steps[number - 1]);
    let finished = history.step_iterations_in_round(number);
    let iterations = plan.iterations?.get().saturating_sub(finished);
    let at_work = history.steps[number - 1].unfinished_agent();
    let begun = at_work.map(|agent| view.agent_elapsed(agent, now)).unwrap_or_default();
    let wait = history.pending_wait().map(|wait| wait.until.saturating_since(now));
    let wait = wait.unwrap_or_default();
    let loops = median(history, number)
        .map(|took| took.saturating_mul(iterations) / plan.agents_at_once().max(1))
        .map(|took| took.saturating_sub(begun).saturating_add(wait));
    let run_left = time_left(history.state.plan.limits.time.value, view.elapsed(now));
    let step_left = time_left(plan.limits.time.value, state.elapsed);
    let limit = [loops, run_left, step_left].into_iter().flatten().min();
    let tasks = view.task_progress().map_or(0, |progress| progress.left());
    let by_tasks = task_times(&history.steps[number - 1]).map(|times| {
        let whole = times.median.saturating_mul(u32::try_from(tasks).unwrap_or(u32::MAX));
        // At most one whole task is deducted for the task in progress.
        let begun = (times.unfinished + begun).min(times.median);
        whole.saturating_sub(begun).saturating_add(wait)
    });
    let is_repeated = !history.state.plan.enclosing_repeated_groups(number).is_empty();
    let is_of_step = number < history.steps.len() || is_repeated;
    // An iteration that exceeds the median gives no information about its end.
    let is_known = |left: &Duration| !left.is_zero();
    let limit = limit.filter(|_| loops.is_some());
    match (by_tasks.filter(|_| tasks > 0).filter(is_known), limit.filter(is_known)) {
        (Some(left), limit) if limit.is_none_or(|limit| left <= limit) => {
            Some(TimeEstimate { left, basis: EstimateBasis::Tasks(tasks), is_of_step })
        }
        (_, Some(left)) => {
            let is_of_step = is_of_step && run_left != Some(left);
            Some(TimeEstimate { left, basis: EstimateBasis::Limits, is_of_step })
        }
        _ => None,
    }
}

/// Duration of the tasks of a step.
struct TaskTimes {
    median: Duration,
    /// Time of iterations since the last finished task.
    unfinished: Duration,
}

/// Median duration of the last finished tasks of a step, including all their iterations. None
/// before a task is finished.
fn task_times(step: &StepHistory) -> Option<TaskTimes> {
    let mut took = Vec::new();
    let mut unfinished = Duration::ZERO;
    for record in &step.iterations {
        unfinished += record.ended.saturating_since(record.started);
        let changes = record.tasks.iter().flat_map(|tasks| &tasks.changes);
        let finished = changes.filter(|change| change.kind == TaskChangeKind::Finished).count();
        if let Some(each) = unfinished.checked_div(u32::try_from(finished).unwrap_or(u32::MAX)) {
            took.extend(std::iter::repeat_n(each, finished));
            unfinished = Duration::ZERO;
        }
    }
    let mut last = took.split_off(took.len().saturating_sub(MAX_SAMPLES));
    last.sort_unstable();
    let median = last.get(last.len() / 2).copied()?;
    Some(TaskTimes { median, unfinished })
}

fn time_left(limit: Limit<HumanDuration>, elapsed: Duration) -> Option<Duration> {
    match limit {
        Limit::At(time) => Some(time.duration().saturating_sub(elapsed)),
        Limit::Off => None,
    }
}

/// Median duration of the last iterations of a step, including their checks. Crashes are left out,
/// because they do not show how long work takes.
fn median(history: &RunHistory, number: usize) -> Option<Duration> {
    let says_something = |record: &&IterationRecord| {
        record.report.has_outcome() && record.report.verdict != Verdict::Crashed
    };
    let last = history.steps[number - 1].iterations.iter().rev();
    let mut took: Vec<Duration> = last
        .filter(says_something)
        .take(MAX_SAMPLES)
        .map(|record| record.ended.saturating_since(record.started))
        .collect();
    took.sort_unstable();
    took.get(took.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use forkhestra_core::event::{CompletionSignal, EventKind, StepEnd};

    use super::*;
    use crate::run_source::TaskBoard;
    use crate::tests::run_script::{self, RunScript, unit};

    fn at_most(script: &RunScript) -> Option<(u64, bool)> {
        let mut view = RunScreenState::new(run_script::run());
        view.history = Some(RunHistory::of(&script.events).expect("the story fits"));
        (view.liveness, view.is_caught_up) = (script.liveness, true);
        let found = estimate(&view, script.now);
        assert!(found.is_none_or(|found| found.basis == EstimateBasis::Limits));
        found.map(|found| (found.left.as_secs(), found.is_of_step))
    }

    /// The estimate in seconds and its basis, for `all` tasks of which `done` are done.
    fn by_tasks(script: &RunScript, done: usize, all: usize) -> Option<(u64, EstimateBasis)> {
        let mut view = RunScreenState::new(run_script::run());
        view.history = Some(RunHistory::of(&script.events).expect("the story fits"));
        (view.liveness, view.is_caught_up) = (script.liveness, true);
        let mut tasks = run_script::board().tasks;
        tasks.resize(all, tasks[0].clone());
        for (number, task) in tasks.iter_mut().enumerate() {
            task.status = if number < done { "Done" } else { "To Do" }.to_owned();
        }
        view.tasks = Some(Some(Ok(TaskBoard { tasks })));
        estimate(&view, script.now).map(|found| (found.left.as_secs(), found.basis))
    }

    /// A loop of 20,000 iterations. Each lasts 100 seconds and finishes the given number of tasks;
    /// another one has been running for 30 seconds.
    fn finishing(finished: &[usize]) -> RunScript {
        let mut script = RunScript::with_many_iterations();
        script.step(1);
        for (iteration, finished) in (1..).zip(finished) {
            let ids: Vec<String> = (0..*finished).map(|task| format!("task-{task}")).collect();
            let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
            script.working_iteration(unit(1, iteration), 100, &ids);
        }
        let next = u32::try_from(finished.len() + 1).expect("there are few");
        script.start(unit(1, next)).pass(30);
        script
    }

    #[test]
    fn a_loop_that_finishes_tasks_takes_as_long_as_the_tasks_that_are_left() {
        let tasks = EstimateBasis::Tasks;
        for (finished, done, all, expected) in [
            // One task in each iteration.
            (&[1, 1, 1][..], 3, 14, Some((11 * 100 - 30, tasks(11)))),
            // Every second iteration finishes one; the running one belongs to the next task.
            (&[0, 1, 0, 1], 2, 5, Some((3 * 200 - 30, tasks(3)))),
            (&[0, 1, 0], 1, 5, Some((4 * 200 - 130, tasks(4)))),
            // Several at once.
            (&[4], 4, 8, Some((4 * 25 - 25, tasks(4)))),
        ] {
            assert_eq!(by_tasks(&finishing(finished), done, all), expected, "{finished:?}");
        }
    }

    #[test]
    fn iterations_and_time_bound_what_tasks_would_take() {
        // The time limit of the run is 8 hours, of which 330 seconds are used.
        let script = finishing(&[1, 1, 1]);
        let limit = Some((8 * 3600 - 330, EstimateBasis::Limits));
        assert_eq!(by_tasks(&script, 3, 4000), limit);
        // Before a task is finished, and when none is left, only limits are known.
        assert_eq!(
            by_tasks(&finishing(&[0, 0]), 0, 5).map(|found| found.1),
            limit.map(|found| found.1)
        );
        assert_eq!(by_tasks(&script, 5, 5).map(|found| found.1), limit.map(|found| found.1));
    }

    #[test]
    fn it_is_as_many_iterations_as_are_left_each_as_long_as_the_last_ones() {
        // Seven of 402 seconds are left, of which one has taken 130.
        assert_eq!(at_most(&run_script::at_work()), Some((7 * 402 - 130, true)));
        // A pause does not change the estimate.
        assert_eq!(at_most(&run_script::paused()), Some((7 * 402 - 130, true)));
    }

    #[test]
    fn an_overlong_iteration_has_no_estimate() {
        let mut script = finishing(&[1, 1]);
        assert!(by_tasks(&script, 4, 5).is_some());
        script.pass(90);
        assert_eq!(by_tasks(&script, 4, 5).map(|found| found.1), Some(EstimateBasis::Limits));
        let mut script = RunScript::begin();
        script.step(1).iteration(unit(1, 1), 60, Verdict::Complete(CompletionSignal::ExitCode));
        script.step_over(1, StepEnd::Complete(CompletionSignal::ExitCode)).step(2);
        for iteration in 1..=9 {
            script.iteration(unit(2, iteration), 10, Verdict::Incomplete);
        }
        script.start(unit(2, 10)).pass(5);
        assert_eq!(at_most(&script), Some((5, true)));
        script.pass(5);
        assert_eq!(at_most(&script), None);
    }

    #[test]
    fn a_wait_comes_before_what_is_left() {
        let script = run_script::waiting();
        let wait = run_script::timestamp("2026-11-15T07:42:00Z").saturating_since(script.now);
        assert_eq!(at_most(&script), Some((7 * 402 + wait.as_secs(), true)));
    }

    #[test]
    fn the_time_of_the_run_ends_it_whatever_is_left() {
        let mut script = RunScript::with_many_iterations();
        script.step(1);
        for iteration in 1..=7 {
            script.iteration(unit(1, iteration), 3600, Verdict::Incomplete);
        }
        script.start(unit(1, 8)).pass(600);
        assert_eq!(at_most(&script), Some((3000, false)));
    }

    #[test]
    fn without_data_there_is_no_estimate() {
        assert_eq!(at_most(&RunScript::begin()), None);
        for script in [
            run_script::finished(),
            run_script::cut_off(),
            run_script::stopping(),
            run_script::ending(),
        ] {
            assert_eq!(at_most(&script), None);
        }
        let mut first = RunScript::begin();
        first.step(1).start(unit(1, 1)).pass(60);
        assert_eq!(at_most(&first), None);
        let report = first.report(Verdict::Complete(CompletionSignal::ExitCode), 60);
        first.event(EventKind::IterationFinished { unit: unit(1, 1), report });
        let mut crashing = RunScript::begin();
        crashing.step(1).iteration(unit(1, 1), 1, Verdict::Crashed).start(unit(1, 2));
        assert_eq!(at_most(&crashing), None);
        first.step_over(1, StepEnd::Complete(CompletionSignal::ExitCode)).step(2).start(unit(2, 1));
        assert_eq!(at_most(&first), None);
    }
}
