//! What lanes share: the spend of the others, and the numbers of the iterations of a step.

use std::collections::BTreeMap;

use crate::cost::Spend;
use crate::event::IterationReport;
use crate::id::{LaneNumber, UnitId};

/// What other lanes have spent on a step. It counts towards every cost limit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct OtherLanes {
    /// The spend of finished attempts.
    finished: Spend,
    /// Whether the cost of a finished attempt is unknown and has not been accepted since.
    pub(crate) unknown_cost: bool,
    /// The agents that run, or whose work is being checked, with what they have spent so far.
    running: BTreeMap<LaneNumber, (UnitId, Option<Spend>)>,
}

/// The iteration numbers that the lanes of a step take in the order of their starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SharedNumbers {
    /// The highest number that any lane has taken.
    pub(crate) taken: u32,
    /// The numbers that were taken before the current round.
    pub(crate) taken_before: u32,
    /// The number that this lane took last.
    pub(crate) own: u32,
}

impl SharedNumbers {
    /// The numbers of a step before its first iteration in lanes.
    pub(crate) const fn after(taken: u32) -> Self {
        Self { taken, taken_before: taken, own: 0 }
    }

    /// The numbers when another round begins.
    pub(crate) const fn for_next_round(self) -> Self {
        Self::after(self.taken)
    }
}

impl OtherLanes {
    /// What a step had spent before its lanes were made.
    pub(crate) fn with_earlier_spend(finished: Spend, unknown_cost: bool) -> Self {
        Self { finished, unknown_cost, ..Self::default() }
    }

    /// What the other lanes have spent, including their running agents.
    pub(crate) fn spend(&self) -> Spend {
        let running = self.running.values().map(|(_, spend)| spend.unwrap_or_default());
        self.finished + running.sum::<Spend>()
    }

    pub(crate) fn begin(&mut self, lane: LaneNumber, unit: UnitId) {
        self.running.insert(lane, (unit, None));
    }

    pub(crate) fn note_spend(&mut self, lane: LaneNumber, unit: UnitId, spend: Option<Spend>) {
        let running = self.running.get_mut(&lane).filter(|(running, _)| *running == unit);
        if let (Some((_, before)), Some(spend)) = (running, spend) {
            *before = Some(spend);
        }
    }

    /// Counts a finished attempt. The spend of one that a resume has counted is not counted again.
    pub(crate) fn finish(&mut self, lane: LaneNumber, unit: UnitId, report: &IterationReport) {
        let is_running = self.running.get(&lane).is_some_and(|(running, _)| *running == unit);
        if is_running && let Some((_, spending)) = self.running.remove(&lane) {
            self.count(report.spend.or(spending));
        }
    }

    /// Counts an attempt that was cut off together with the run's process.
    pub(crate) fn cut_off(&mut self, lane: LaneNumber, spend: Option<Spend>) {
        if self.running.remove(&lane).is_some() {
            self.count(spend);
        }
    }

    fn count(&mut self, spend: Option<Spend>) {
        let spend = spend.unwrap_or_default();
        self.finished += spend;
        self.unknown_cost |= spend.unpriced;
    }
}
