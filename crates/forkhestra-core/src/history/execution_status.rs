//! The status of a run or a step.

use crate::event::StepEnd;
use crate::explain::EndEntry;
use crate::machine::StepStatus;

/// The status of a run or a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ExecutionStatus {
    Pending,
    /// Its process is alive.
    Running,
    Complete,
    /// Iterations changed nothing any more.
    Stagnated,
    /// It used up its iterations.
    MaxIterations,
    /// It was cancelled or cut off.
    Interrupted,
    Failed,
    /// Another limit ended it.
    Limited,
    /// An operator skipped it.
    Skipped,
}

/// Whether the process of a run is alive. Events cannot tell: a killed process writes none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Liveness {
    Alive,
    Gone,
}

impl Liveness {
    /// The status of a run or step whose end is not recorded.
    pub(super) const fn status(self) -> ExecutionStatus {
        match self {
            Self::Alive => ExecutionStatus::Running,
            Self::Gone => ExecutionStatus::Interrupted,
        }
    }
}

impl ExecutionStatus {
    /// All statuses.
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

    /// The word in files and lists.
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

    /// Whether it did not reach an end of its own: it was cut off or cancelled, or is not over.
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
