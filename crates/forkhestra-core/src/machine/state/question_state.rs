//! The state of a question to a person.

use crate::event::Answer;
use crate::time::Timestamp;

/// A question that was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuestionState {
    /// Its number in the run.
    pub number: u32,
    /// When it was asked first.
    pub asked: Timestamp,
    /// When the time for an answer is up.
    pub until: Option<Timestamp>,
    pub answer: Option<Answer>,
}
