//! What the task database decides about a step. `docs/tasks-in-a-run.md` has the rule and its
//! table.

use std::collections::BTreeMap;

use super::inspection;
use crate::built_in::{self, TASK_AGENTS};
use crate::check::CheckSpec;
use crate::config;
use crate::event::{AuxJobResult, CompletionSignal, Observation, StepEnd};
use crate::plan::{Plan, PlanCheck, PlanStep, Sourced, ValueOrigin};
use crate::text;

/// Most tasks named in a line.
const MAX_NAMED: usize = 3;

/// The state of the task database for a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TaskWork {
    Ready {
        /// The ids of the tasks to claim, best first.
        ready: Vec<String>,
        /// The ids of all open tasks.
        open: Vec<String>,
    },
    /// There are tasks, and all are done.
    AllDone,
    /// All tasks are Done, but not all acceptance criteria that they had; with the tasks in one line.
    Unticked(String),
    /// Not all tasks are done, but none can be claimed; with the reason in one line.
    Stuck(String),
    /// Lanes of this run have, or are about to claim, all tasks that can be claimed; with the reason in one
    /// line.
    Taken(String),
    /// The database has no task.
    Empty,
    NoDatabase,
    /// The database cannot be read; with the reason in one line.
    Unknown(String),
}

/// A step's query to the task database.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaskQuery {
    /// The only relevant task; all are if none is named.
    pub only: Option<String>,
    /// The ids of the tasks that were open when the step began.
    pub open_before: Vec<String>,
    /// The number of acceptance criteria that each of them had.
    pub criteria_before: BTreeMap<String, u32>,
}

/// The progress of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StepTaskProgress {
    /// Iterations that have an outcome.
    pub finished: u32,
    /// Whether tasks were open when the step began.
    pub had_open: bool,
    /// Whether other lanes work on the step as well.
    pub shares: bool,
}

impl TaskQuery {
    /// The query of a step before an iteration, given the observation before the step.
    pub fn of(step: &PlanStep, before: &Observation) -> Self {
        let has_all = step.checks.iter().any(|check| check.value.check == CheckSpec::Tasks);
        let only = step.checks.iter().find_map(|check| match &check.value.check {
            CheckSpec::Task(id) if !has_all => Some(id.clone()),
            _ => None,
        });
        Self::new(only, before)
    }

    /// The query of a check, given the observation before its step.
    pub fn of_check(check: &CheckSpec, before: &Observation) -> Self {
        match check {
            CheckSpec::Task(id) => Self::new(Some(id.clone()), before),
            _ => Self::new(None, before),
        }
    }

    fn new(only: Option<String>, before: &Observation) -> Self {
        let open_before = before.open_tasks.clone().unwrap_or_default();
        let criteria_before = before.open_criteria.clone();
        Self { only, open_before, criteria_before }
    }

    /// The result without a database, which may have existed earlier.
    pub fn without_database(&self) -> TaskWork {
        match &self.only {
            Some(id) => TaskWork::Stuck(format!("{}: there is no task database", no_such_task(id))),
            None if self.open_before.is_empty() => TaskWork::NoDatabase,
            None => TaskWork::Stuck(format!(
                "the task database was removed while {}",
                not_done(&self.open_before)
            )),
        }
    }
}

impl TaskWork {
    /// The end of a step for this result; none if its agent is to be started.
    pub fn end(&self, step: &PlanStep, progress: StepTaskProgress) -> Option<StepEnd> {
        let StepTaskProgress { finished, had_open, shares } = progress;
        // An agent that is not built in is started at least once.
        let has_begun = step.works_through_tasks || finished > 0;
        match self {
            Self::AllDone if step.works_through_tasks || (has_begun && had_open) => {
                may_be_done_by_tasks(step).then_some(StepEnd::Complete(CompletionSignal::Tasks))
            }
            Self::Stuck(why) if has_begun => Some(StepEnd::TasksBlocked(why.clone())),
            // The agents of those lanes count as begun.
            Self::Taken(why) if has_begun || shares => Some(StepEnd::TasksBlocked(why.clone())),
            // A review without findings leaves no tasks.
            Self::Empty | Self::NoDatabase
                if step.works_through_tasks && built_in::is_fixer(&step.agent.name) =>
            {
                Self::AllDone.end(step, progress)
            }
            Self::Empty | Self::NoDatabase if step.works_through_tasks => Some(StepEnd::NoTasks),
            // An agent may be able to repair an unreadable database.
            _ => None,
        }
    }

    /// The result of a check of the task database.
    pub fn check_result(&self, step: &PlanStep, check: &Sourced<PlanCheck>) -> AuxJobResult {
        let is_planned = check.value.check == CheckSpec::Planned;
        let is_optional = !is_planned && needs_no_tasks(step, check);
        let (passed, message) = match self {
            Self::AllDone => (true, None),
            Self::Ready { .. }
            | Self::Stuck(_)
            | Self::Taken(_)
            | Self::Unknown(_)
            | Self::Unticked(_)
                if is_planned =>
            {
                (true, None)
            }
            Self::Ready { open, .. } => (false, Some(not_done(open))),
            Self::Stuck(why) | Self::Taken(why) | Self::Unknown(why) | Self::Unticked(why) => {
                (false, Some(why.clone()))
            }
            Self::Empty => (is_optional, Some("there is no task in the task database".to_owned())),
            Self::NoDatabase => (is_optional, Some("there is no task database".to_owned())),
        };
        AuxJobResult { passed: Some(passed), message, tail: None }
    }

    /// The result of a condition about tasks. It has none if the database cannot answer.
    pub fn condition_result(&self, step: &PlanStep, check: &Sourced<PlanCheck>) -> AuxJobResult {
        let is_planned = check.value.check == CheckSpec::Planned;
        let cannot_answer = match self {
            Self::Unknown(_) => true,
            Self::NoDatabase => !is_planned,
            Self::Stuck(why) => is_no_such_task(why),
            Self::Ready { .. }
            | Self::AllDone
            | Self::Taken(_)
            | Self::Unticked(_)
            | Self::Empty => false,
        };
        let result = self.check_result(step, check);
        if !cannot_answer {
            return result;
        }
        let message = match self {
            Self::Unknown(why) => Some(why.clone()),
            _ => result.message,
        };
        AuxJobResult { passed: None, message, tail: None }
    }

    /// The warning for a step that is complete while tasks can be claimed, or are Done without their criteria.
    pub fn warning(&self, step: usize) -> Option<String> {
        if let Self::Unticked(why) = self {
            return Some(why.clone());
        }
        let Self::Ready { ready, .. } = self else { return None };
        Some(format!(
            "step {step} is complete although {} ready: {}; `--check tasks` would refuse that",
            counted(ready.len()),
            named_tasks(ready)
        ))
    }
}

/// Whether a check passes without tasks: it was implied by the agent's name, and the agent may do
/// something else, or a review may have had no findings. It does not pass if nothing else completes
/// the step.
fn needs_no_tasks(step: &PlanStep, check: &Sourced<PlanCheck>) -> bool {
    let is_implied = |check: &Sourced<PlanCheck>| matches!(check.source, ValueOrigin::Implied(_));
    let decides_alone = step.completion.value == config::CompletionRule::Checks
        && step.checks.iter().all(is_implied);
    (is_implied(check) && !decides_alone) || built_in::is_fixer(&step.agent.name)
}

/// Beginning of the reason for a step whose only task does not exist.
const NO_SUCH_TASK: &str = "there is no task ";

/// The reason for a step whose only task does not exist.
pub fn no_such_task(id: &str) -> String {
    format!("{NO_SUCH_TASK}{id}")
}

/// Whether the reason is that the only task of a step does not exist.
pub fn is_no_such_task(why: &str) -> bool {
    why.starts_with(NO_SUCH_TASK)
}

/// Whether a check asks for tasks that are Done.
pub const fn is_about_tasks(check: &CheckSpec) -> bool {
    matches!(check, CheckSpec::Tasks | CheckSpec::Task(_))
}

/// Whether a step has a check that tasks are Done.
pub fn has_task_check(step: &PlanStep) -> bool {
    step.checks.iter().any(|check| is_about_tasks(&check.value.check))
}

/// Whether a step polls the task database before each iteration.
pub fn polls_tasks(step: &PlanStep) -> bool {
    step.works_through_tasks || has_task_check(step)
}

/// Whether a step is complete as soon as its tasks are done. If it has other conditions, an agent
/// has to meet them.
pub fn may_be_done_by_tasks(step: &PlanStep) -> bool {
    let is_alone = step.checks.iter().all(|check| is_about_tasks(&check.value.check));
    let has_more_to_say = step.done_file.is_some() || inspection::is_guarded(step);
    polls_tasks(step) && is_alone && !has_more_to_say
}

/// Whether a step that ends like this may leave tasks that no later step of the plan works on.
pub fn may_leave_tasks(plan: &Plan, step: usize, end: &StepEnd) -> bool {
    let is_said =
        matches!(end, StepEnd::Complete(CompletionSignal::Marker(_) | CompletionSignal::File));
    let (of, later) = (&plan.steps[step - 1], &plan.steps[step..]);
    let works_on_tasks =
        |step: &PlanStep| polls_tasks(step) || TASK_AGENTS.contains(&step.agent.name.as_str());
    is_said
        && of.iterations.is_some()
        && !has_task_check(of)
        && !built_in::leaves_tasks(&of.agent.name)
        && !later.iter().any(works_on_tasks)
}

fn not_done(ids: &[String]) -> String {
    format!("{} not done: {}", counted(ids.len()), named_tasks(ids))
}

fn counted(number: usize) -> String {
    if number == 1 { "1 task is".to_owned() } else { format!("{number} tasks are") }
}

fn named_tasks(ids: &[String]) -> String {
    let named = &ids[..ids.len().min(MAX_NAMED)];
    text::join_with_more(named, ids.len() - named.len())
}
