//! The view of a check's result.

use forkhestra_core::event::{CheckOutcome, CheckReport};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The result of a check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CheckView {
    /// Its name, or else its definition.
    pub name: String,
    /// Whether it passed.
    pub passed: bool,
    /// Its outcome.
    pub outcome: CheckWord,
    /// The reason, in one short line; always present if it did not pass.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// The outcome of a check, in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CheckWord {
    /// It passed.
    Passed,
    /// It failed.
    Failed,
    /// It exceeded its timeout and was ended.
    TimedOut,
    /// It could not be run.
    NotRun,
}

impl From<&CheckReport> for CheckView {
    fn from(report: &CheckReport) -> Self {
        Self {
            name: report.name.clone(),
            passed: report.passed(),
            outcome: report.outcome.into(),
            message: report.message.clone(),
        }
    }
}

impl From<CheckOutcome> for CheckWord {
    fn from(outcome: CheckOutcome) -> Self {
        match outcome {
            CheckOutcome::Passed => Self::Passed,
            CheckOutcome::Failed => Self::Failed,
            CheckOutcome::TimedOut => Self::TimedOut,
            CheckOutcome::NotRun => Self::NotRun,
        }
    }
}
