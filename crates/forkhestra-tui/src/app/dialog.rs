//! What stands in front of the screen until it is answered.

use forkhestra_core::control::ControlRequest;

use super::limits_form::LimitsForm;
use super::text_editor::TextEditor;

/// What stands in front of the screen.
#[derive(Debug, Clone)]
pub(crate) enum ScreenDialog {
    /// Something that cannot be undone.
    Confirm(ConfirmDialog),
    /// A message for the next agent.
    Tell(TextEditor),
    /// Limits that are being changed.
    Limits(LimitsForm),
    /// All keys, and how many rows of them are out of sight.
    Help(usize),
    /// A text to be read and copied. The mouse is left to the terminal meanwhile.
    Text(TextDialog),
}

/// A text to be read and copied.
#[derive(Debug, Clone)]
pub(crate) struct TextDialog {
    pub(crate) title: &'static str,
    pub(crate) text: String,
    /// What is said below it.
    pub(crate) hint: &'static str,
}

/// What is done after a yes.
#[derive(Debug, Clone)]
pub(crate) enum ConfirmedAction {
    /// Something is asked of the run.
    Ask(ControlRequest),
    /// The run is resumed.
    Resume,
}

/// Something that cannot be undone.
#[derive(Debug, Clone)]
pub(crate) struct ConfirmDialog {
    pub(crate) title: &'static str,
    /// What will happen, in a sentence.
    pub(crate) sentence: String,
    pub(crate) action: ConfirmedAction,
    /// Whether yes is chosen.
    pub(crate) is_yes: bool,
}

/// A line that says what came of something, for a while.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Toast {
    pub(crate) text: String,
    pub(crate) mood: ToastKind,
    /// Since when it is there.
    pub(crate) since: forkhestra_core::time::Timestamp,
}

/// What a line is like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ToastKind {
    Good,
    Neutral,
    Bad,
}
