//! What has become of a run or a step, in one word.

use crate::event::StepEnd;
use crate::explain::EndEntry;
use crate::machine::StepStatus;

/// What has become of a run or a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ExecutionStatus {
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
    pub(super) const fn status(self) -> ExecutionStatus {
        match self {
            Self::Alive => ExecutionStatus::Running,
            Self::Gone => ExecutionStatus::Interrupted,
        }
    }
}

impl ExecutionStatus {
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
    pub const fn as_str(self) -> &'static str {
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

    /// The status of a step that ended like this.
    pub fn of(end: &StepEnd) -> Self {
        EndEntry::bare(end).status
    }

    /// Whether nobody meant it to be over: it was cut off or cancelled, or is going on.
    pub const fn is_unfinished(self) -> bool {
        matches!(self, Self::Pending | Self::Running | Self::Interrupted)
    }

    pub(super) fn of_step(step: &StepStatus, liveness: Liveness) -> Self {
        match step {
            StepStatus::Pending => Self::Pending,
            StepStatus::Open => liveness.status(),
            StepStatus::Ended(end) => Self::of(end),
        }
    }
}
