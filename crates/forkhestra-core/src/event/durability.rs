//! Which events have to be safe before a run goes on.

use super::EventKind;
use crate::id::UnitId;

/// What is safe of the last agent of a run, as far as the events so far tell.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DurabilityTracker {
    /// The agent of which it is safe that it is gone.
    gone: Option<UnitId>,
}

impl DurabilityTracker {
    /// Takes in the next event, and says whether it must have reached the disk before anything else is
    /// done. That an agent is gone is made safe once: what came of it can be found out again.
    pub fn must_be_durable(&mut self, kind: &EventKind) -> bool {
        if let EventKind::AgentFinished { unit, .. } = kind {
            self.gone = Some(*unit);
        }
        let is_known = matches!(kind, EventKind::IterationFinished { unit, .. }
            if self.gone == Some(*unit));
        kind.must_be_durable() && !is_known
    }
}
