//! What became of the work of an attempt.

use crate::event::{ClaimRefusal, TaskChangeKind, Verdict};
use crate::history::IterationRecord;

/// What became of the work of an attempt, and so of the money that it cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SpendCategory {
    /// The work was accepted, or the agent ended by itself and its changes stayed.
    Landed,
    /// The completion claim was refused.
    Refused,
    /// The agent ended by itself and had changed nothing.
    Unchanged,
    /// The agent did not end by itself, or it failed: stopped, interrupted, not served, crashed.
    CutOff,
}

impl SpendCategory {
    /// All categories, in the order of reports.
    pub const ALL: [Self; 4] = [Self::Landed, Self::Refused, Self::Unchanged, Self::CutOff];

    /// The category of a finished attempt.
    pub fn of(record: &IterationRecord) -> Self {
        if !record.report.has_outcome() {
            return Self::CutOff;
        }
        match &record.report.verdict {
            Verdict::Complete(_) => Self::Landed,
            Verdict::Refused(ClaimRefusal::NoWork) => Self::Unchanged,
            Verdict::Refused(_) => Self::Refused,
            Verdict::Incomplete if record.changed == Some(false) && !changes_tasks(record) => {
                Self::Unchanged
            }
            // Without an observation, changes are assumed.
            Verdict::Incomplete => Self::Landed,
            Verdict::Crashed
            | Verdict::AgentStopped(_)
            | Verdict::Postponed
            | Verdict::Blocked
            | Verdict::Interrupted => Self::CutOff,
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
