//! The state of a question to a person.

use crate::event::Answer;
use crate::time::Timestamp;

/// A question that was asked. It has an answer once it is over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuestionState {
    /// Its number in the run.
    pub number: u32,
    /// When it was asked first.
    pub asked: Timestamp,
    /// When its timeout expires.
    pub until: Option<Timestamp>,
    pub answer: Option<Answer>,
    /// Whether the comment of its answer is a message for the next agent.
    comment_is_queued: bool,
}

impl QuestionState {
    /// A question without an answer.
    pub(crate) const fn new(number: u32, asked: Timestamp, until: Option<Timestamp>) -> Self {
        Self { number, asked, until, answer: None, comment_is_queued: false }
    }

    /// The comment of an approval that is not a message yet.
    pub(crate) fn unqueued_comment(&self) -> Option<&str> {
        let answer = self.answer.as_ref().filter(|answer| answer.approved)?;
        answer.text.as_deref().filter(|_| !self.comment_is_queued)
    }

    /// Notes a message, which may be the comment of the answer.
    pub(crate) fn note_message(&mut self, text: &str) {
        let is_comment =
            self.unqueued_comment().is_some_and(|comment| comment.trim_end() == text.trim_end());
        self.comment_is_queued |= is_comment;
    }
}
