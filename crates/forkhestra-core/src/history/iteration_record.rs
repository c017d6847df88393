//! One finished attempt of an iteration.

use crate::cost::Spend;
use crate::event::{
    CompletionSignal, FallbackUse, IterationReport, Observation, ProcessEnd, StopReason,
    TaskChanges, Verdict,
};
use crate::id::{LaneNumber, UnitId};
use crate::time::Timestamp;

/// One finished attempt of an iteration.
#[derive(Debug, Clone, PartialEq)]
pub struct IterationRecord {
    pub unit: UnitId,
    /// The lane in which its agent worked; none for the user's work tree.
    pub lane: Option<LaneNumber>,
    /// When its agent was about to be started.
    pub started: Timestamp,
    /// The back-end that ran it in place of the primary one of the step, and why.
    pub fallback: Option<FallbackUse>,
    /// When it was over. If the run was cut off during its checks: when its agent had ended.
    pub ended: Timestamp,
    pub pid: Option<u32>,
    /// Why forkhestra began to end the agent, also if the agent was done by then.
    pub ending: Option<StopReason>,
    /// Whether the end of the agent was recorded before that of the iteration.
    pub agent_end_recorded: bool,
    /// The repository at the last observation before it.
    pub before: Observation,
    pub report: IterationReport,
    /// What it spent, as it counts for the run; none if unknown. The report may lack what the agent
    /// reported earlier.
    pub spend: Option<Spend>,
    /// Whether the work tree differs from that before it; none if either is unknown.
    pub changed: Option<bool>,
    /// What its agent changed in the task database; none without changes or without a database.
    pub tasks: Option<TaskChanges>,
}

impl IterationRecord {
    /// The agent's exit code, if it exited.
    pub const fn exit_code(&self) -> Option<i32> {
        match self.report.end {
            Some(ProcessEnd::Exited(code)) => Some(code),
            _ => None,
        }
    }

    /// The signal that ended the agent, if one did.
    pub const fn killed_by(&self) -> Option<i32> {
        match self.report.end {
            Some(ProcessEnd::Signaled(signal)) => Some(signal),
            _ => None,
        }
    }

    /// The verdict as one word.
    pub const fn verdict(&self) -> &'static str {
        self.report.verdict.as_str()
    }

    /// Why forkhestra ended the agent, if it did.
    pub const fn stop_reason(&self) -> Option<StopReason> {
        match self.report.verdict {
            Verdict::AgentStopped(why) => Some(why),
            _ => None,
        }
    }

    /// The completion signal, if the work is done.
    pub const fn completion(&self) -> Option<&CompletionSignal> {
        match &self.report.verdict {
            Verdict::Complete(by) => Some(by),
            _ => None,
        }
    }
}
