//! The status of a run or a step.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::event::StepEnd;
use crate::explain::EndEntry;
use crate::machine::StepStatus;

/// The status of a run or a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ExecutionStatus {
    /// It has not begun.
    Pending,
    /// A process works on it.
    Running,
    /// Its work is done.
    Complete,
    /// It ended because nothing changed any more.
    Stagnated,
    /// It reached its maximum number of iterations.
    MaxIterations,
    /// It was cancelled or interrupted.
    Interrupted,
    /// An agent failed.
    Failed,
    /// Another limit ended it.
    Limited,
    /// The operator skipped it.
    Skipped,
    /// Its condition does not hold.
    NotNeeded,
    /// It did not accept the round of its group.
    NotAccepted,
    /// No round of its group was accepted.
    MaxRounds,
    /// A person denied it.
    Denied,
}

impl fmt::Display for ExecutionStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
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
    pub const ALL: [Self; 13] = [
        Self::Pending,
        Self::Running,
        Self::Complete,
        Self::Stagnated,
        Self::MaxIterations,
        Self::Interrupted,
        Self::Failed,
        Self::Limited,
        Self::Skipped,
        Self::NotNeeded,
        Self::NotAccepted,
        Self::MaxRounds,
        Self::Denied,
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
            Self::NotNeeded => "not_needed",
            Self::NotAccepted => "not_accepted",
            Self::MaxRounds => "max_rounds",
            Self::Denied => "denied",
        }
    }

    /// The status of a step that ended like this.
    pub fn of(end: &StepEnd) -> Self {
        EndEntry::without_facts(end).status
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_the_words_that_people_see() {
        for status in ExecutionStatus::ALL {
            let json = serde_json::to_string(&status).expect("a word is JSON");
            assert_eq!(json, format!("\"{status}\""));
        }
    }
}
