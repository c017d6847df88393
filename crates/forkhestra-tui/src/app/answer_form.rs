//! The form for the answer to a question.

use forkhestra_core::control::{AnswerRequest, ControlRequest};

use super::open_question::OpenQuestion;
use super::text_editor::TextEditor;

/// The form for the answer to one question. It belongs to that question even if another one is asked
/// meanwhile, so the run refuses an answer that comes too late.
#[derive(Debug, Clone)]
pub(crate) struct AnswerForm {
    pub(crate) step: usize,
    pub(crate) number: u32,
    pub(crate) approves: bool,
    /// The text of the question.
    pub(crate) question: String,
    /// The rows of the question above the first visible one.
    pub(crate) scroll: usize,
    /// A comment for the next agent; may be empty.
    pub(crate) comment: TextEditor,
    /// The answer was sent, and the run has not replied to it.
    pub(crate) is_sent: bool,
    /// Why the answer was not taken; it can have several lines.
    pub(crate) refusal: Option<String>,
}

impl AnswerForm {
    pub(crate) fn new(question: &OpenQuestion<'_>, approves: bool) -> Self {
        Self {
            step: question.step,
            number: question.number,
            approves,
            question: question.text_or_default(),
            scroll: 0,
            comment: TextEditor::multi_line(),
            is_sent: false,
            refusal: None,
        }
    }

    /// Scrolls the question of so many visible and total rows.
    pub(crate) fn scroll_by(&mut self, by: isize, (shown, rows): (usize, usize)) {
        self.scroll = self.scroll.saturating_add_signed(by).min(rows.saturating_sub(shown));
    }

    pub(crate) const fn title(&self) -> &'static str {
        if self.approves { "Approve?" } else { "Deny?" }
    }

    /// The word of the confirming key.
    pub(crate) const fn verb(&self) -> &'static str {
        if self.approves { "approve" } else { "deny" }
    }

    pub(crate) fn request(&self) -> ControlRequest {
        let text = self.comment.text().trim_end().to_owned();
        ControlRequest::Answer(AnswerRequest {
            step: self.step,
            question: Some(self.number),
            approves: self.approves,
            text: Some(text).filter(|text| !text.is_empty()),
        })
    }
}
