//! A finding of a rule.

use std::fmt;

/// A place that breaks a rule.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Finding {
    /// From the root of the repository.
    pub(crate) path: String,
    pub(crate) line: usize,
    pub(crate) message: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.message)
    }
}

/// Fails the test with all findings, one a line.
pub(crate) fn expect_none(findings: impl IntoIterator<Item = Finding>) {
    let mut lines: Vec<String> = findings.into_iter().map(|finding| finding.to_string()).collect();
    lines.dedup();
    assert!(lines.is_empty(), "\n{}\n", lines.join("\n"));
}
