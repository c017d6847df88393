//! What lanes share: the spend of the others, and the numbers of the iterations of a step.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

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
    running: BTreeMap<LaneNumber, RunningElsewhere>,
}

/// An agent in another lane that runs, or whose work is being checked.
#[derive(Debug, Clone, PartialEq, Eq)]
struct RunningElsewhere {
    unit: UnitId,
    /// When it was about to be started, on the run's clock.
    started: Duration,
    spend: Option<Spend>,
}

/// The most numbers that lanes can leave out for a while: each lane prepares one iteration.
const MAX_LEFT_OUT: u32 = 255;

/// The iteration numbers that the lanes of a step take in the order of their starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SharedNumbers {
    /// The highest number that any lane has taken.
    pub(crate) taken: u32,
    /// Lower numbers that no lane has taken: the hooks before their iterations take longer.
    left_out: BTreeSet<u32>,
    /// The numbers that were taken before the current round.
    pub(crate) taken_before: u32,
    /// The number that this lane took last.
    pub(crate) own: u32,
    /// Whether each lane has all iterations of the step, as in best of N, and shares only the numbers.
    pub(crate) is_limit_own: bool,
}

impl SharedNumbers {
    /// The numbers of a step before its first iteration in lanes.
    pub(crate) const fn after(taken: u32) -> Self {
        Self { taken, left_out: BTreeSet::new(), taken_before: taken, own: 0, is_limit_own: false }
    }

    /// The numbers when another round begins.
    pub(crate) const fn for_next_round(&self) -> Self {
        Self::after(self.taken)
    }

    /// The same numbers, but all iterations for each lane.
    pub(crate) fn with_own_limit(self, is_limit_own: bool) -> Self {
        Self { is_limit_own, ..self }
    }

    /// The numbers of the same round in another lane.
    pub(crate) fn for_lane(&self) -> Self {
        Self { own: 0, ..self.clone() }
    }

    /// Notes that a lane took a number.
    pub(crate) fn take(&mut self, number: u32) {
        if number > self.taken {
            let first = (self.taken + 1).max(number.saturating_sub(MAX_LEFT_OUT));
            self.left_out.extend(first..number);
            self.taken = number;
        } else {
            self.left_out.remove(&number);
        }
    }

    /// The next number that is neither taken nor reserved.
    pub(crate) fn next(&self, reserved: &BTreeSet<u32>) -> u32 {
        let left_out = self.left_out.iter().copied();
        let mut free = left_out.chain(self.taken.saturating_add(1)..);
        free.find(|number| !reserved.contains(number)).unwrap_or(u32::MAX)
    }

    /// How many numbers of the current round are taken.
    pub(crate) fn used(&self) -> u32 {
        let left_out = u32::try_from(self.left_out.len()).unwrap_or(u32::MAX);
        self.taken.saturating_sub(self.taken_before).saturating_sub(left_out)
    }
}

impl OtherLanes {
    /// What a step had spent before its lanes were made.
    pub(crate) fn with_earlier_spend(finished: Spend, unknown_cost: bool) -> Self {
        Self { finished, unknown_cost, ..Self::default() }
    }

    /// What the other lanes have spent, including their running agents.
    pub(crate) fn spend(&self) -> Spend {
        let running = self.running.values().map(|running| running.spend.unwrap_or_default());
        self.finished + running.sum::<Spend>()
    }

    pub(crate) fn begin(&mut self, lane: LaneNumber, unit: UnitId, started: Duration) {
        self.running.insert(lane, RunningElsewhere { unit, started, spend: None });
    }

    /// When an attempt was about to be started, if it is the last one in its lane.
    pub(crate) fn started(&self, lane: LaneNumber, unit: UnitId) -> Option<Duration> {
        self.running
            .get(&lane)
            .filter(|running| running.unit == unit)
            .map(|running| running.started)
    }

    pub(crate) fn note_spend(&mut self, lane: LaneNumber, unit: UnitId, spend: Option<Spend>) {
        let running = self.running.get_mut(&lane).filter(|running| running.unit == unit);
        if let (Some(running), Some(spend)) = (running, spend) {
            running.spend = Some(spend);
        }
    }

    /// Counts a finished attempt. The spend of one that a resume has counted is not counted again.
    pub(crate) fn finish(&mut self, lane: LaneNumber, unit: UnitId, report: &IterationReport) {
        let is_running = self.running.get(&lane).is_some_and(|running| running.unit == unit);
        if is_running && let Some(running) = self.running.remove(&lane) {
            self.count(report.spend.or(running.spend));
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
