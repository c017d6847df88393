//! How soon a task should be done.

use std::fmt;

use serde::Serialize;

/// How soon a task should be done. The smallest comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Priority {
    /// Before the others.
    High,
    /// In its turn.
    Medium,
    /// When nothing else is left.
    Low,
}

/// Why a text is not a priority.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a priority; there are high, medium and low")]
pub struct PriorityParseError(pub String);

impl Priority {
    /// Reads a priority in any case.
    pub fn parse(text: &str) -> Result<Self, PriorityParseError> {
        match text.trim().to_ascii_lowercase().as_str() {
            "high" => Ok(Self::High),
            "medium" => Ok(Self::Medium),
            "low" => Ok(Self::Low),
            _ => Err(PriorityParseError(text.to_owned())),
        }
    }

    /// The priority as files have it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::High => "high",
            Self::Medium => "medium",
            Self::Low => "low",
        }
    }
}

impl fmt::Display for Priority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_priority_is_read_in_any_case() {
        for priority in [Priority::High, Priority::Medium, Priority::Low] {
            assert_eq!(Priority::parse(&priority.name().to_uppercase()), Ok(priority));
        }
        let error = Priority::parse("urgent").expect_err("it is none");
        assert_eq!(error.to_string(), "`urgent` is not a priority; there are high, medium and low");
    }
}
