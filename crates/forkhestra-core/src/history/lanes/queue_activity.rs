//! What the merge queue of a run does.

use std::time::Duration;

use crate::id::UnitId;

/// What the merge queue of a run does. Durations are on the run's clock.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum QueueActivity {
    /// Nothing that takes time.
    #[default]
    Idle,
    /// The landing checks run on the integration ref as it is.
    CheckingBaseline { since: Duration },
    /// The landing checks run on merged work.
    CheckingBatch {
        /// The last iteration of the batch.
        last: UnitId,
        /// The number of works in it.
        works: usize,
        since: Duration,
    },
    /// The checks of a step run on the landed work of all lanes, because an agent claims completion.
    CheckingClaim { unit: UnitId, since: Duration },
    /// The user's work tree is brought to the integration ref.
    BringingForward { since: Duration },
}

impl QueueActivity {
    /// Whether it checks merged work of which this is the last iteration.
    pub(super) fn checks(self, unit: UnitId) -> bool {
        match self {
            Self::CheckingBaseline { .. } => unit.is_before_first(),
            Self::CheckingBatch { last, .. } => last == unit,
            Self::CheckingClaim { unit: of, .. } => of == unit,
            Self::Idle | Self::BringingForward { .. } => false,
        }
    }

    /// Since when it does something; none while it does nothing.
    pub const fn since(self) -> Option<Duration> {
        match self {
            Self::Idle => None,
            Self::CheckingBaseline { since }
            | Self::CheckingBatch { since, .. }
            | Self::CheckingClaim { since, .. }
            | Self::BringingForward { since } => Some(since),
        }
    }
}
