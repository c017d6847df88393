//! Where a run that is forked from another one goes on.

use std::ops::RangeInclusive;

use super::{RunHistory, SnapshotMoment, SnapshotPoint};
use crate::event::{ForkOrigin, InheritedStep, StepEnd};
use crate::machine::StepState;

/// A snapshot of a run, and the steps that were behind it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForkPoint {
    pub origin: ForkOrigin,
    /// The steps that a forked run does not execute.
    pub inherited: Vec<InheritedStep>,
}

impl ForkPoint {
    /// The point after a snapshot. After the last iteration of a complete stage, the next stage
    /// follows. A stage of several steps, such as a repeated group, begins again otherwise. The last
    /// stage of a run is executed again: otherwise nothing would be left to do.
    pub fn of(history: &RunHistory, point: &SnapshotPoint) -> Self {
        let (step, iteration) = (point.moment.step(), point.moment.iteration());
        let stage = history.state.plan.enclosing_stage(step);
        let (first, last) = (*stage.start(), *stage.end());
        let is_past = completes_stage(history, point.moment, stage) && last < history.steps.len();
        let last_kept = if is_past { last } else { first.saturating_sub(1) };
        let (run, snapshot) = (history.state.run.clone(), point.snapshot.clone());
        Self {
            origin: ForkOrigin { run, step, iteration, snapshot },
            inherited: (1..=last_kept).map(|step| inherited(history, step)).collect(),
        }
    }

    /// The step with which a forked run begins, from one.
    pub fn next_step(&self) -> usize {
        self.inherited.len() + 1
    }
}

/// A step of a stage that is over. An alternative that was never reached was not needed.
fn inherited(history: &RunHistory, step: usize) -> InheritedStep {
    let end = history.state.step(step).and_then(StepState::end).cloned();
    InheritedStep { step, end: end.unwrap_or(StepEnd::NotNeeded) }
}

/// Whether a moment is the end of a complete stage.
fn completes_stage(
    history: &RunHistory,
    moment: SnapshotMoment,
    stage: RangeInclusive<usize>,
) -> bool {
    let SnapshotMoment::AfterIteration(unit) = moment else { return false };
    let is_complete = history.state.is_stage_complete(unit.step);
    let steps = stage.filter_map(|step| history.steps.get(step.checked_sub(1)?));
    let records = steps.flat_map(|step| &step.iterations);
    let last = records.max_by_key(|record| (record.ended, record.unit.step, record.unit));
    is_complete && last.is_some_and(|last| last.unit == unit)
}
