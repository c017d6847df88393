//! What the program prints.

use std::fmt;

use super::point::{Moment, Victim};

/// How the program prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    /// To a pipe.
    Human,
    /// To a file.
    Json,
}

impl Format {
    pub(super) const ALL: [Self; 2] = [Self::Human, Self::Json];

    /// Each moment is tried with both, and so is each victim.
    pub(super) fn of(moment: Moment, victim: Victim) -> Self {
        let is_human = (moment == Moment::Before) == (victim != Victim::Both);
        if is_human { Self::Human } else { Self::Json }
    }

    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Human => "human",
            Self::Json => "json",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}
