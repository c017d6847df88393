//! The open question of a run, as the screen shows it.

use forkhestra_core::time::Timestamp;

/// A question that waits for an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OpenQuestion<'a> {
    /// The step that asks, counted from one.
    pub(crate) step: usize,
    /// Its number in the run.
    pub(crate) number: u32,
    /// When it was asked first.
    pub(crate) asked: Timestamp,
    /// When its timeout expires.
    pub(crate) until: Option<Timestamp>,
    /// Its text; none if the chain was written as text.
    pub(crate) text: Option<&'a str>,
    /// Whether it is approved when its timeout expires.
    pub(crate) approves_on_timeout: bool,
}

impl OpenQuestion<'_> {
    /// The text, or a sentence that says what is asked without one.
    pub(crate) fn text_or_default(&self) -> String {
        self.text.map_or_else(|| format!("Step {} asks for approval", self.step), str::to_owned)
    }
}
