//! Dialogs in front of a screen.

use forkhestra_core::control::ControlRequest;
use forkhestra_core::history::SnapshotAddress;

use super::answer_form::AnswerForm;
use super::limits_form::LimitsForm;
use super::text_editor::TextEditor;

/// A dialog in front of the screen.
#[derive(Debug, Clone)]
pub(crate) enum ScreenDialog {
    /// Confirmation of an action.
    Confirm(ConfirmDialog),
    /// A message for the next agent.
    Tell(TextEditor),
    /// The answer to a question of the run.
    Answer(AnswerForm),
    Limits(LimitsForm),
    /// All keys, with the scroll position.
    Help(usize),
    /// A text to copy. Mouse capture is off meanwhile, so that the terminal can select text.
    Text(TextDialog),
}

/// A text to read and copy.
#[derive(Debug, Clone)]
pub(crate) struct TextDialog {
    pub(crate) title: &'static str,
    pub(crate) text: String,
    /// Shown below the text.
    pub(crate) hint: &'static str,
}

/// The action after a confirmation.
#[derive(Debug, Clone)]
pub(crate) enum ConfirmedAction {
    /// Send a request to the run.
    Ask(ControlRequest),
    Resume,
    /// Rewind the work tree to this state.
    Rewind(SnapshotAddress),
}

/// Confirmation of an action.
#[derive(Debug, Clone)]
pub(crate) struct ConfirmDialog {
    pub(crate) title: &'static str,
    /// The effect of the action, in a sentence.
    pub(crate) sentence: String,
    pub(crate) action: ConfirmedAction,
    /// Whether "yes" is selected.
    pub(crate) is_yes: bool,
}

/// A message that is shown for a short time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Toast {
    pub(crate) text: String,
    pub(crate) kind: ToastKind,
    /// When it was first shown; `None` if it stays until another one replaces it.
    pub(crate) since: Option<forkhestra_core::time::Timestamp>,
}

/// Severity of a toast.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ToastKind {
    Good,
    Neutral,
    Bad,
}
