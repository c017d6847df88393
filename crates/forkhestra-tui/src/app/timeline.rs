//! The timeline: iterations of all steps in order.

use forkhestra_core::event::Observation;
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
    (0..history.steps.len()).map(|step| step_len(history, step)).sum()
}

/// An entry by its index.
pub(crate) fn get(history: &RunHistory, mut index: usize) -> Option<TimelineEntry<'_>> {
    for step in 0..history.steps.len() {
        let here = step_len(history, step);
        if index < here {
            return entry(history, step, index);
        }
        index -= here;
    }
    None
}

/// Index of an attempt.
pub(crate) fn find(history: &RunHistory, unit: UnitId) -> Option<usize> {
    let step = unit.step.checked_sub(1)?;
    let before: usize = (0..step).map(|step| step_len(history, step)).sum();
    let found = history.steps.get(step)?;
    // Attempts are recorded in order.
    let place = found.iterations.partition_point(|record| record.unit < unit);
    let here = entry(history, step, place).filter(|entry| entry.unit() == unit);
    here.map(|_| before + place)
}

/// Index of the last attempt of a step, counted from one.
pub(crate) fn last_of_step(history: &RunHistory, number: usize) -> Option<usize> {
    let step = number.checked_sub(1)?;
    history.steps.get(step)?;
    let end: usize = (0..=step).map(|step| step_len(history, step)).sum();
    (step_len(history, step) > 0).then(|| end - 1)
}

fn step_len(history: &RunHistory, step: usize) -> usize {
    let step = &history.steps[step];
    step.iterations.len() + usize::from(step.unfinished_agent.is_some())
}

fn entry(history: &RunHistory, step: usize, index: usize) -> Option<TimelineEntry<'_>> {
    let found = history.steps.get(step)?;
    let Some(record) = found.iterations.get(index) else {
        return found
            .unfinished_agent
            .as_ref()
            .filter(|_| index == found.iterations.len())
            .map(TimelineEntry::AtWork);
    };
    let earlier = index.checked_sub(1).and_then(|index| found.iterations.get(index));
    let before =
        earlier.map_or(&history.state.steps[step].before, |earlier| &earlier.report.observation);
    Some(TimelineEntry::Over { record, tree_changed: changed(before, &record.report.observation) })
}

fn changed(before: &Observation, after: &Observation) -> Option<bool> {
    match (&before.signals, &after.signals) {
        (Some(before), Some(after)) => Some(before != after),
        _ => Some(before.tree.as_ref()? != after.tree.as_ref()?),
    }
}
