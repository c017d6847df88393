//! What has become of a run or a step, in one word.

use crate::event::{Ending, OutcomeClass, StepEnd};
use crate::machine::StepStatus;

/// What has become of a run or a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Status {
    /// It has not begun.
    Pending,
    /// Somebody is at work on it.
    Running,
    /// Its work is done.
    Complete,
    /// Nothing changed any more.
    Stagnated,
    /// It was tried as often as it may be.
    MaxIterations,
    /// It was cancelled or cut off.
    Interrupted,
    /// An agent failed.
    Failed,
    /// Another limit ended it.
    Limited,
    /// Somebody wanted the next step to begin.
    Skipped,
}

/// Whether somebody is at work on a run. Its events cannot tell: whoever is killed says nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Liveness {
    /// Somebody is.
    Alive,
    /// Nobody is.
    Gone,
}

impl Liveness {
    /// What that says of something that was not seen to end.
    pub(super) const fn status(self) -> Status {
        match self {
            Self::Alive => Status::Running,
            Self::Gone => Status::Interrupted,
        }
    }
}

impl Status {
    /// All that there are.
    pub const ALL: [Self; 9] = [
        Self::Pending,
        Self::Running,
        Self::Complete,
        Self::Stagnated,
        Self::MaxIterations,
        Self::Interrupted,
        Self::Failed,
        Self::Limited,
        Self::Skipped,
    ];

    /// The word for it, as files and lists have it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Running => "running",
            Self::Complete => "complete",
            Self::Stagnated => "stagnated",
            Self::MaxIterations => "max_iterations",
            Self::Interrupted => "interrupted",
            Self::Failed => "failed",
            Self::Limited => "limited",
            Self::Skipped => "skipped",
        }
    }

    /// What a step's end makes of it.
    pub const fn of(end: &StepEnd) -> Self {
        match end {
            StepEnd::Complete(_) => Self::Complete,
            StepEnd::MaxIterations => Self::MaxIterations,
            StepEnd::Failed(_)
            | StepEnd::Refused(_)
            | StepEnd::HookFailed(_)
            | StepEnd::CannotCheck(_)
            | StepEnd::TasksBlocked(_)
            | StepEnd::NoTasks => Self::Failed,
            StepEnd::Skipped => Self::Skipped,
            StepEnd::Stagnated(_) | StepEnd::Cycling(_) => Self::Stagnated,
            StepEnd::Ended(Ending::Cancelled) | StepEnd::Cancelled => Self::Interrupted,
            StepEnd::Blocked(outcome) => Self::of_outcome(outcome.class),
            StepEnd::Ended(_)
            | StepEnd::StepTime
            | StepEnd::RunTime
            | StepEnd::StepCost
            | StepEnd::RunCost
            | StepEnd::CostUnknown => Self::Limited,
        }
    }

    const fn of_outcome(class: OutcomeClass) -> Self {
        match class {
            OutcomeClass::UsageLimit
            | OutcomeClass::Overloaded
            | OutcomeClass::TurnLimit
            | OutcomeClass::Budget => Self::Limited,
            _ => Self::Failed,
        }
    }

    /// Whether nobody meant it to be over: it was cut off or cancelled, or is going on.
    pub const fn is_unfinished(self) -> bool {
        matches!(self, Self::Pending | Self::Running | Self::Interrupted)
    }

    pub(super) const fn of_step(step: &StepStatus, liveness: Liveness) -> Self {
        match step {
            StepStatus::Pending => Self::Pending,
            StepStatus::Open => liveness.status(),
            StepStatus::Ended(end) => Self::of(end),
        }
    }
}
