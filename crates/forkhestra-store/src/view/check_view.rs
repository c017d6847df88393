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
    pub outcome: CheckOutcome,
    /// The reason, in one short line; always present if it did not pass.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

impl From<&CheckReport> for CheckView {
    fn from(report: &CheckReport) -> Self {
        Self {
            name: report.name.clone(),
            passed: report.passed(),
            outcome: report.outcome,
            message: report.message.clone(),
        }
    }
}
