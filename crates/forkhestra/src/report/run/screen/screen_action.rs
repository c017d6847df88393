//! What is to be done on the screen.

use std::io;

use super::report_output::ReportOutput;
use crate::report::agent::ToolRules;

/// Something to do on the screen. What to do is decided without touching it, since whoever reads it
/// may not be reading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ScreenAction {
    /// Say something on standard output.
    Say(String),
    /// Say something on standard error.
    Tell(String),
    /// Print text for programs on standard output.
    Data(String),
    /// Change what the live line says.
    Status(Option<String>),
    /// Draw the live line, or remove it.
    Refresh,
    /// Hide the live line, or show it again.
    Hide(bool),
    /// An agent begins that may use these tools.
    AgentBegins(ToolRules),
    /// What the agent did to the terminal does not hold any more.
    AgentIsGone,
}

impl ScreenAction {
    /// Does it. Only standard output can fail: nobody has to read complaints.
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
