//! What became of the work of an attempt.

use crate::event::{ClaimRefusal, TaskChangeKind, Verdict};
use crate::history::IterationRecord;

/// What became of the work of an attempt, and so of the money that it cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SpendCategory {
    /// The work was accepted, or the agent ended by itself and its changes stayed.
    Productive,
    /// The completion claim was refused.
    Refused,
    /// The agent ended by itself and had changed nothing.
    NoChange,
    /// The agent crashed, was stopped or interrupted, or was not served by its provider.
    Aborted,
}

impl SpendCategory {
    /// All categories, in the order of reports.
    pub const ALL: [Self; 4] = [Self::Productive, Self::Refused, Self::NoChange, Self::Aborted];

    /// The category of a finished attempt.
    pub fn of(record: &IterationRecord) -> Self {
        if !record.report.has_outcome() {
            return Self::Aborted;
        }
        match &record.report.verdict {
            Verdict::Complete(_) => Self::Productive,
            Verdict::Refused(ClaimRefusal::NoWork) => Self::NoChange,
            Verdict::Refused(_) => Self::Refused,
            Verdict::Incomplete if record.changed == Some(false) && !changes_tasks(record) => {
                Self::NoChange
            }
            // Without an observation, changes are assumed.
            Verdict::Incomplete => Self::Productive,
            Verdict::Crashed
            | Verdict::AgentStopped(_)
            | Verdict::Postponed
            | Verdict::Blocked
            | Verdict::Interrupted => Self::Aborted,
        }
    }
}

/// Whether an attempt changed the task database for good. The database may be outside of the work
/// tree.
fn changes_tasks(record: &IterationRecord) -> bool {
    let changes = record.tasks.iter().flat_map(|tasks| &tasks.changes);
    let mut kinds = changes.map(|change| change.kind);
    kinds.any(|kind| !matches!(kind, TaskChangeKind::Claimed | TaskChangeKind::Released))
}
