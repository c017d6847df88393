//! One try of an iteration that is over.

use crate::event::{AgentEnd, CompletionSignal, IterationReport, StopReason, TaskChanges, Verdict};
use crate::id::UnitId;
use crate::time::Timestamp;

/// One try of an iteration that is over.
#[derive(Debug, Clone, PartialEq)]
pub struct IterationRecord {
    /// Which one.
    pub unit: UnitId,
    /// When its agent was about to be started.
    pub started: Timestamp,
    /// When it was over; if the run was cut off while its work was being checked, when its agent was gone.
    pub ended: Timestamp,
    /// The agent's process, if one was started.
    pub pid: Option<u32>,
    /// What came of it.
    pub report: IterationReport,
    /// What its agent changed in the task database; none if nothing, or if there is no database.
    pub tasks: Option<TaskChanges>,
}

impl IterationRecord {
    /// The code with which the agent exited, if it did.
    pub const fn exit_code(&self) -> Option<i32> {
        match self.report.end {
            Some(AgentEnd::Exited(code)) => Some(code),
            _ => None,
        }
    }

    /// The signal that ended the agent, if one did.
    pub const fn killed_by(&self) -> Option<i32> {
        match self.report.end {
            Some(AgentEnd::Signaled(signal)) => Some(signal),
            _ => None,
        }
    }

    /// What it came to, in one word.
    pub const fn verdict(&self) -> &'static str {
        self.report.verdict.as_str()
    }

    /// Why we ended the agent, if we did.
    pub const fn stop_reason(&self) -> Option<StopReason> {
        match self.report.verdict {
            Verdict::Ended(why) => Some(why),
            _ => None,
        }
    }

    /// What said that the work is done, if it is.
    pub const fn completion(&self) -> Option<&CompletionSignal> {
        match &self.report.verdict {
            Verdict::Complete(by) => Some(by),
            _ => None,
        }
    }
}
