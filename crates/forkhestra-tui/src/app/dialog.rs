//! What stands in front of the screen until it is answered.

use forkhestra_core::control::Request;

use super::editor::Editor;
use super::limits_form::LimitsForm;

/// What stands in front of the screen.
#[derive(Debug, Clone)]
pub(crate) enum Dialog {
    /// Something that cannot be undone.
    Confirm(Confirm),
    /// A message for the next agent.
    Tell(Editor),
    /// Limits that are being changed.
    Limits(LimitsForm),
    /// All keys, and how many rows of them are out of sight.
    Help(usize),
}

/// Something that cannot be undone.
#[derive(Debug, Clone)]
pub(crate) struct Confirm {
    pub(crate) title: &'static str,
    /// What will happen, in a sentence.
    pub(crate) sentence: String,
    /// What is asked of the run then.
    pub(crate) request: Request,
    /// Whether yes is chosen.
    pub(crate) is_yes: bool,
}

/// A line that says what came of something, for a while.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Toast {
    pub(crate) text: String,
    pub(crate) mood: Mood,
    /// Since when it is there.
    pub(crate) since: forkhestra_core::time::Timestamp,
}

/// What a line is like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mood {
    Good,
    Neutral,
    Bad,
}
