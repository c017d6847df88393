//! What a check came to, as views have it.

use forkhestra_core::event::{CheckOutcome, CheckReport};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a check came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CheckView {
    /// What it is called, or else how it is written.
    pub name: String,
    /// Whether what it asks for holds.
    pub passed: bool,
    /// What it came to.
    pub outcome: CheckWord,
    /// Why, in one short line; always there if it did not pass.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// What a check came to, in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CheckWord {
    /// What it asks for holds.
    Passed,
    /// It does not.
    Failed,
    /// It took too long, and was ended.
    TimedOut,
    /// Nobody could find out.
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
