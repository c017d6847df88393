//! Whether an agent that works through the task database has anything to do.

use super::inspection;
use crate::built_in;
use crate::check::CheckSpec;
use crate::event::{Completion, StepEnd};
use crate::plan::{Check, Origin, Sourced, Step};

/// How it stands with the task database, before the next agent is paid for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TaskWork {
    /// There is a task to take.
    Ready,
    /// There are tasks, and each of them is done.
    AllDone,
    /// Not everything is done, but there is nothing to take: why, in a line.
    Stuck(String),
    /// There is no database, or not a single task in it.
    NoTasks,
    /// Nobody can tell.
    Unknown,
}

impl TaskWork {
    /// How this ends a step that works through the tasks; none if its agent is to be started.
    pub fn end(&self, step: &Step) -> Option<StepEnd> {
        match self {
            Self::AllDone => {
                may_be_done_by_tasks(step).then_some(StepEnd::Complete(Completion::Tasks))
            }
            Self::Stuck(why) => Some(StepEnd::TasksBlocked(why.clone())),
            // Whoever did not ask for tasks need not have any, and who only mends what others found is
            // done if they found nothing.
            Self::NoTasks if is_asked_by_name(step) => None,
            Self::NoTasks if built_in::is_fixer(&step.agent.name) => Self::AllDone.end(step),
            Self::NoTasks => Some(StepEnd::NoTasks),
            // What cannot be read an agent may be able to mend.
            Self::Ready | Self::Unknown => None,
        }
    }
}

/// Whether nothing but its name says that a program works through tasks.
fn is_asked_by_name(step: &Step) -> bool {
    let is_implied = |check: &Sourced<Check>| {
        check.value.check == CheckSpec::Tasks && matches!(check.source, Origin::Implied(_))
    };
    step.agent.source != Origin::BuiltIn && step.checks.iter().any(is_implied)
}

/// Whether a step is complete as soon as every task is done. Where anything else is asked for, an
/// agent has to see to that.
pub fn may_be_done_by_tasks(step: &Step) -> bool {
    let is_alone = step.checks.iter().all(|check| check.value.check == CheckSpec::Tasks);
    let has_more_to_say = step.done_file.is_some() || inspection::is_guarded(step);
    step.works_through_tasks && is_alone && !has_more_to_say
}
