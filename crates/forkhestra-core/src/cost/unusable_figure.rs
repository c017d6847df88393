//! An implausible figure in a usage report.

use std::fmt;

/// An implausible figure in a usage report: negative, far too large, or not a number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnusableFigure {
    /// The field of the report.
    pub field: String,
    /// The value as the agent printed it, on one short line.
    pub value: String,
}

/// The end of the warning about such a figure.
const WARNING_END: &str = "which cannot be right; the cost of this iteration counts as unknown";

impl UnusableFigure {
    /// The warning that this agent reported it.
    pub fn warning(&self, agent: &str) -> String {
        format!("agent {agent} reported `{self}`, {WARNING_END}")
    }

    /// Whether a message is such a warning.
    pub fn is_warning(message: &str) -> bool {
        message.ends_with(WARNING_END)
    }
}

impl fmt::Display for UnusableFigure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field, self.value)
    }
}
