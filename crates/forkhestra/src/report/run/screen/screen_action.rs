//! Actions on the screen.

use std::io;

use super::report_output::ReportOutput;
use crate::report::agent::ToolRules;

/// An action on the screen. Actions are data, because performing them may block on a reader.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ScreenAction {
    /// Write report text to standard output.
    Say(String),
    /// Write report text to standard error.
    Tell(String),
    /// Write machine-readable text to standard output.
    Data(String),
    /// Set the text of the live line.
    Status(Option<String>),
    /// Draw or remove the live line.
    Refresh,
    /// Hide the live line, or show it again.
    Hide(bool),
    AgentBegins(ToolRules),
    /// Reset the effects of a finished agent on the terminal.
    AgentIsGone,
}

impl ScreenAction {
    /// Performs the action. Failed writes to standard error are ignored.
    pub(crate) fn perform(&self, outlet: &ReportOutput) -> io::Result<()> {
        match self {
            Self::Say(text) => outlet.say(text),
            Self::Tell(text) => {
                let _ = outlet.tell(text);
                Ok(())
            }
            Self::Data(text) => outlet.data(text),
            Self::Status(text) => {
                outlet.set_status(text.clone());
                Ok(())
            }
            Self::Refresh => outlet.refresh_status(),
            Self::Hide(is_hidden) => outlet.hide_status(*is_hidden),
            Self::AgentBegins(rules) => {
                outlet.agent_begins(rules.clone());
                Ok(())
            }
            Self::AgentIsGone => outlet.agent_is_gone(),
        }
    }
}
