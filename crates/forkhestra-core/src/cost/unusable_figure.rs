//! A figure of a usage report that cannot be right.

use std::fmt;

/// A figure of a usage report that cannot be right: negative, far too large, or not a number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnusableFigure {
    /// The field of the report.
    pub field: String,
    /// The value as the agent printed it, on one short line.
    pub value: String,
}

impl fmt::Display for UnusableFigure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field, self.value)
    }
}
