//! Actions on the screen.

use std::io;

use forkhestra_core::event::output_stream::OutputStream;
use forkhestra_core::id::LaneNumber;

use super::report_output::ReportOutput;
use crate::report::agent::ToolRules;

/// An action on the screen. Actions are data, because performing them may block on a reader.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ScreenAction {
    /// Write report text to standard output.
    Report(String),
    /// Write report text to standard error.
    ReportError(String),
    /// Write machine-readable text to standard output.
    Data(String),
    /// Set the text of the live line.
    Status(Option<String>),
    /// Draw or remove the live line.
    Refresh,
    /// Hide the live line, or show it again.
    Hide(bool),
    /// The terminal behind a stream showed the line end that the user typed.
    LineTyped(OutputStream),
    /// Remove the unfinished line of a stream.
    ClearLine(OutputStream),
    /// Set the tool rules of the agent that begins, in a lane or in the user's work tree.
    AgentBegins(Option<LaneNumber>, ToolRules),
    /// Reset the effects of a finished agent on the terminal.
    AgentIsGone(Option<LaneNumber>),
}

impl ScreenAction {
    /// Whether the action writes text after the previous output.
    pub(crate) const fn has_text(&self) -> bool {
        matches!(self, Self::Report(_) | Self::ReportError(_) | Self::Data(_))
    }

    /// Performs the action. Failed writes to standard error are ignored.
    pub(crate) fn perform(&self, output: &ReportOutput) -> io::Result<()> {
        match self {
            Self::Report(text) => output.write_report(text),
            Self::ReportError(text) => {
                let _ = output.write_error(text);
                Ok(())
            }
            Self::Data(text) => output.data(text),
            Self::Status(text) => {
                output.set_status(text.clone());
                Ok(())
            }
            Self::Refresh => output.refresh_status(),
            Self::Hide(is_hidden) => output.hide_status(*is_hidden),
            Self::LineTyped(stream) => {
                output.note_typed_line_end(*stream);
                Ok(())
            }
            Self::ClearLine(stream) => output.clear_unfinished_line(*stream),
            Self::AgentBegins(lane, rules) => {
                output.agent_begins(*lane, rules.clone());
                Ok(())
            }
            Self::AgentIsGone(lane) => output.agent_is_gone(*lane),
        }
    }
}
