//! The status of a run or a step in views.

use std::fmt;

use forkhestra_core::history::ExecutionStatus;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The status of a run or a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StatusWord {
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
}

impl From<ExecutionStatus> for StatusWord {
    fn from(status: ExecutionStatus) -> Self {
        match status {
            ExecutionStatus::Pending => Self::Pending,
            ExecutionStatus::Running => Self::Running,
            ExecutionStatus::Complete => Self::Complete,
            ExecutionStatus::Stagnated => Self::Stagnated,
            ExecutionStatus::MaxIterations => Self::MaxIterations,
            ExecutionStatus::Interrupted => Self::Interrupted,
            ExecutionStatus::Failed => Self::Failed,
            ExecutionStatus::Limited => Self::Limited,
            ExecutionStatus::Skipped => Self::Skipped,
        }
    }
}

impl From<StatusWord> for ExecutionStatus {
    fn from(word: StatusWord) -> Self {
        match word {
            StatusWord::Pending => Self::Pending,
            StatusWord::Running => Self::Running,
            StatusWord::Complete => Self::Complete,
            StatusWord::Stagnated => Self::Stagnated,
            StatusWord::MaxIterations => Self::MaxIterations,
            StatusWord::Interrupted => Self::Interrupted,
            StatusWord::Failed => Self::Failed,
            StatusWord::Limited => Self::Limited,
            StatusWord::Skipped => Self::Skipped,
        }
    }
}

impl fmt::Display for StatusWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(ExecutionStatus::from(*self).as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_the_words_that_people_see() {
        for status in ExecutionStatus::ALL {
            let word = StatusWord::from(status);
            assert_eq!(ExecutionStatus::from(word), status);
            let json = serde_json::to_string(&word).expect("a word is JSON");
            assert_eq!(json, format!("\"{word}\""));
        }
    }
}
