//! How many works of lanes landed, were sent back and were parked.

use super::lanes_history::LanesHistory;
use crate::event::LandingRefusalKind;
use crate::id::{LaneNumber, UnitId};

/// How many works of lanes landed, were sent back and were parked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LandingCounts {
    /// Works that landed.
    pub landed: usize,
    /// Landings: work that landed together is one batch.
    pub batches: usize,
    /// Works that were sent back because they conflict with landed work.
    pub conflicts: usize,
    /// Works that were sent back because a check fails with them.
    pub failed_checks: usize,
    /// Works that were sent back because they have no common history with the integration ref.
    pub unrelated: usize,
    /// Works that are kept under a ref of their own.
    pub parked: usize,
}

impl LandingCounts {
    /// Works that were sent back to their lanes.
    pub const fn sent_back(&self) -> usize {
        self.conflicts + self.failed_checks + self.unrelated
    }

    /// Whether nothing was to land.
    pub const fn is_empty(&self) -> bool {
        self.landed + self.sent_back() + self.parked == 0
    }
}

impl LanesHistory {
    /// The counts of the whole run.
    pub fn counts(&self) -> LandingCounts {
        self.counts_of(|_, _| true)
    }

    /// The counts of the work of a step, one-based.
    pub fn counts_of_step(&self, step: usize) -> LandingCounts {
        self.counts_of(|_, unit| unit.step == step)
    }

    /// The counts of the work of a lane in all stages.
    pub fn counts_of_lane(&self, lane: LaneNumber) -> LandingCounts {
        self.counts_of(|of, _| of == lane)
    }

    fn counts_of(&self, counts: impl Fn(LaneNumber, UnitId) -> bool) -> LandingCounts {
        let landed_in = self.landings.iter().map(|landing| {
            landing.landed.iter().filter(|work| counts(work.lane, work.unit)).count()
        });
        let landed_in: Vec<usize> = landed_in.filter(|works| *works > 0).collect();
        let refused = |why: LandingRefusalKind| {
            let refused = self.refusals.iter().filter(|refused| counts(refused.lane, refused.unit));
            refused.filter(|refused| refused.refusal.why == why).count()
        };
        LandingCounts {
            landed: landed_in.iter().sum(),
            batches: landed_in.len(),
            conflicts: refused(LandingRefusalKind::Conflict),
            failed_checks: refused(LandingRefusalKind::ChecksFailed),
            unrelated: refused(LandingRefusalKind::Unrelated),
            parked: self.parked.iter().filter(|parked| counts(parked.lane, parked.unit)).count(),
        }
    }
}
