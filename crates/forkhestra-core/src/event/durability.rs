//! Which events must be durable before a run goes on.

use super::EventKind;
use crate::id::UnitId;

/// Tracks which agents are durably recorded as finished.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DurabilityTracker {
    /// The last agent that is durably recorded as finished.
    gone: Option<UnitId>,
}

impl DurabilityTracker {
    /// Whether the next event must reach the disk before anything else is done. An agent's end is
    /// made durable once; its outcome can be determined again.
    pub fn must_be_durable(&mut self, kind: &EventKind) -> bool {
        if let EventKind::AgentFinished { unit, .. } = kind {
            self.gone = Some(*unit);
        }
        let is_known = matches!(kind, EventKind::IterationFinished { unit, .. }
            if self.gone == Some(*unit));
        kind.must_be_durable() && !is_known
    }
}
