//! The output format of the program.

use std::fmt;

use super::point::{CallMoment, Victim};

/// The output format of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ChainFormat {
    /// To a pipe.
    Human,
    /// To a file.
    Json,
}

impl ChainFormat {
    pub(super) const ALL: [Self; 2] = [Self::Human, Self::Json];

    /// Every moment and every victim is tried with both formats.
    pub(super) fn of(moment: CallMoment, victim: Victim) -> Self {
        let is_human = (moment == CallMoment::Before) == (victim != Victim::Both);
        if is_human { Self::Human } else { Self::Json }
    }

    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Human => "human",
            Self::Json => "json",
        }
    }
}

impl fmt::Display for ChainFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}
