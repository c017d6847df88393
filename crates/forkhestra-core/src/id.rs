//! Identifiers of runs and attempts.

use std::fmt;
use std::num::NonZeroU8;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::event::wire::text_schema;

/// Letters that cannot be mistaken for one another.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// The length of a run's id.
const RUN_ID_LENGTH: usize = 8;

/// The length of a shortened id of a commit.
const SHORT_COMMIT_LENGTH: usize = 7;

/// The id of a run. It is random, so that a short prefix identifies it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct RunId(String);

text_schema!(RunId);

/// Why a text is not the id of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("is not the id of a run: an id has {RUN_ID_LENGTH} lower case letters and digits")]
pub struct RunIdParseError;

impl RunId {
    /// Creates an id from random bits.
    pub fn from_random(bits: u64) -> Self {
        let letter = |index: usize| char::from(ALPHABET[((bits >> (index * 5)) & 31) as usize]);
        Self((0..RUN_ID_LENGTH).map(letter).collect())
    }

    /// Parses an id.
    pub fn parse(text: &str) -> Result<Self, RunIdParseError> {
        let is_letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        if text.len() == RUN_ID_LENGTH && text.bytes().all(is_letter) {
            Ok(Self(text.to_owned()))
        } else {
            Err(RunIdParseError)
        }
    }

    /// Whether a text could be the id of a run that this program has begun.
    pub fn could_be(text: &str) -> bool {
        text.len() == RUN_ID_LENGTH && text.bytes().all(|byte| ALPHABET.contains(&byte))
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for RunId {
    type Error = RunIdParseError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text)
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// One attempt of one iteration of one step, each one-based.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[schemars(rename = "Unit")]
pub struct UnitId {
    /// The step.
    pub step: usize,
    /// The iteration of the step.
    pub iteration: u32,
    // A cut-off iteration gets another attempt.
    /// The attempt of the iteration.
    pub attempt: u32,
}

impl UnitId {
    /// Stands for the time before the first iteration of a step, when its checks are calibrated.
    pub const fn before_first(step: usize) -> Self {
        Self { step, iteration: 0, attempt: 1 }
    }

    /// Whether it stands for the time before the first iteration.
    pub const fn is_before_first(self) -> bool {
        self.iteration == 0
    }
}

impl fmt::Display for UnitId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.step, self.iteration, self.attempt)
    }
}

/// The id of a commit, in hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CommitId(pub String);

text_schema!(CommitId);

impl CommitId {
    /// Takes the id as git printed it.
    pub fn new(id: impl Into<String>) -> Self {
        Self(id.into())
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The first digits, for people.
    pub fn short(&self) -> &str {
        self.0.get(..SHORT_COMMIT_LENGTH).unwrap_or(&self.0)
    }
}

impl fmt::Display for CommitId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The number of a lane: a clone of the repository in which one agent at a time works. One-based; the
/// user's own work tree has none.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(transparent)]
pub struct LaneNumber(NonZeroU8);

impl LaneNumber {
    /// Creates the number of a lane from its position, beginning with zero.
    pub fn from_index(index: usize) -> Option<Self> {
        u8::try_from(index).ok()?.checked_add(1).and_then(NonZeroU8::new).map(Self)
    }

    /// The number, one-based.
    pub const fn get(self) -> u8 {
        self.0.get()
    }

    /// The position among the lanes, beginning with zero.
    pub const fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

impl fmt::Display for LaneNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_are_numbered_from_one() {
        let numbers = [0, 63, 254, 255].map(LaneNumber::from_index);
        assert_eq!(
            numbers.map(|number| number.map(LaneNumber::get)),
            [Some(1), Some(64), Some(255), None]
        );
        assert_eq!(numbers[1].map(LaneNumber::index), Some(63));
    }

    #[test]
    fn every_random_number_gives_a_name_that_reads_back() {
        for bits in [0, 1, u64::MAX, 0x0123_4567_89ab_cdef, 1 << 39] {
            let id = RunId::from_random(bits);
            assert_eq!(RunId::parse(id.as_str()), Ok(id));
        }
    }

    #[test]
    fn other_texts_are_no_names() {
        for text in ["", "short", "toolong00", "UPPERCAS", "with-da.", "../../..", "ünïcödé"] {
            assert_eq!(RunId::parse(text), Err(RunIdParseError), "{text}");
        }
    }
}
