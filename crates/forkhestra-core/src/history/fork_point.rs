//! Where a run that is forked from another one goes on.

use super::{RunHistory, SnapshotMoment, SnapshotPoint};
use crate::event::{ForkOrigin, InheritedStep};
use crate::machine::StepState;

/// A snapshot of a run, and the steps that were behind it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForkPoint {
    pub origin: ForkOrigin,
    /// The steps that a forked run does not execute.
    pub inherited: Vec<InheritedStep>,
}

impl ForkPoint {
    /// The point after a snapshot. After the last iteration of a complete step, the next step
    /// follows. The last step of a run is executed again: otherwise nothing would be left to do.
    pub fn of(history: &RunHistory, point: &SnapshotPoint) -> Self {
        let (step, iteration) = (point.moment.step(), point.moment.iteration());
        let is_behind = completes_step(history, point.moment) && step < history.steps.len();
        let behind = if is_behind { step } else { step.saturating_sub(1) };
        let ended =
            |step| Some(InheritedStep { step, end: history.state.step(step)?.end()?.clone() });
        let (run, snapshot) = (history.state.run.clone(), point.snapshot.clone());
        Self {
            origin: ForkOrigin { run, step, iteration, snapshot },
            inherited: (1..=behind).filter_map(ended).collect(),
        }
    }

    /// The step with which a forked run begins, from one.
    pub fn next_step(&self) -> usize {
        self.inherited.len() + 1
    }
}

/// Whether a moment is the end of a complete step.
fn completes_step(history: &RunHistory, moment: SnapshotMoment) -> bool {
    let SnapshotMoment::AfterIteration(unit) = moment else { return false };
    let index = unit.step.saturating_sub(1);
    let last = history.steps.get(index).and_then(|step| step.iterations.last());
    let is_complete = history.state.step(unit.step).is_some_and(StepState::is_complete);
    is_complete && last.is_some_and(|last| last.unit == unit)
}
