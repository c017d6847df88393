//! The timeline: iterations of all steps, in the order of time.

use forkhestra_core::history::{IterationRecord, RunHistory, UnfinishedAgent};
use forkhestra_core::id::UnitId;

/// One entry of the timeline.
#[derive(Debug, Clone, Copy)]
pub(crate) enum TimelineEntry<'a> {
    /// A finished attempt.
    Over {
        record: &'a IterationRecord,
        /// Whether it changed anything; none if unknown.
        tree_changed: Option<bool>,
    },
    /// The running attempt.
    AtWork(&'a UnfinishedAgent),
}

impl TimelineEntry<'_> {
    pub(crate) const fn unit(&self) -> UnitId {
        match self {
            Self::Over { record, .. } => record.unit,
            Self::AtWork(work) => work.unit,
        }
    }
}

/// Number of entries.
pub(crate) fn len(history: &RunHistory) -> usize {
    history.attempts().len() + at_work(history).count()
}

/// An entry by its index.
pub(crate) fn get(history: &RunHistory, index: usize) -> Option<TimelineEntry<'_>> {
    let over = history.attempts().len();
    match history.attempt(index) {
        Some(record) => {
            let tree_changed = changed(record);
            Some(TimelineEntry::Over { record, tree_changed })
        }
        None => at_work(history).nth(index.checked_sub(over)?).map(TimelineEntry::AtWork),
    }
}

/// Index of an attempt.
pub(crate) fn find(history: &RunHistory, unit: UnitId) -> Option<usize> {
    last(history, |other| other == unit)
}

/// Index of the last attempt of a step, counted from one.
pub(crate) fn last_of_step(history: &RunHistory, number: usize) -> Option<usize> {
    last(history, |unit| unit.step == number)
}

/// Index of the last attempt of a kind.
fn last(history: &RunHistory, is_wanted: impl Fn(UnitId) -> bool) -> Option<usize> {
    let over = history.attempts().len();
    let mut works = at_work(history);
    let at_work = works.position(|work| is_wanted(work.unit)).map(|place| over + place);
    at_work.or_else(|| history.attempts().rposition(|record| is_wanted(record.unit)))
}

/// The attempts that are not over.
fn at_work(history: &RunHistory) -> impl Iterator<Item = &UnfinishedAgent> {
    history.unfinished_agents()
}

/// Whether an attempt changed the work tree.
fn changed(record: &IterationRecord) -> Option<bool> {
    match (&record.before.signals, &record.report.observation.signals) {
        (Some(before), Some(after)) => Some(before != after),
        _ => record.changed,
    }
}
