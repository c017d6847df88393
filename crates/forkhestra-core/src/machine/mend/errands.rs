//! What checks, hooks and surveys say about the agents before them.

use super::Mender;
use super::check::{Check, missing, no_place};
use super::later::{order, unit_of};
use super::outcome::{Outcome, finished_with, lost};
use crate::config::CheckWhen;
use crate::event::{Errand, EventKind, Moment, RunEnd, StepEnd, Verdict};
use crate::hook::HookPoint;
use crate::id::UnitId;

/// Whether this may have happened although the work of an agent had not been checked.
pub(super) const fn leaves_unchecked(kind: &EventKind) -> bool {
    matches!(
        kind,
        EventKind::StepFinished {
            end: StepEnd::Cancelled
                | StepEnd::StepTime
                | StepEnd::RunTime
                | StepEnd::CannotCheck(_),
            ..
        } | EventKind::RunFinished { end: RunEnd::Interrupted(_) }
    )
}

impl Mender<'_> {
    pub(super) fn is_unchecked(&self, unit: UnitId) -> bool {
        let step = self.step_of_plan(unit.step).and_then(|step| step.unchecked.as_deref());
        step.is_some_and(|(unchecked, _)| *unchecked == unit)
    }

    /// Whoever is checked is gone.
    pub(super) fn check_inspected(&self, index: usize, unit: UnitId, kind: &EventKind) -> Check {
        if self.is_unchecked(unit) {
            return Ok(());
        }
        self.check_at_work(index, unit)?;
        missing(self.gone(unit, self.is_proof(unit.step, kind)))
    }

    /// A step is surveyed when its last agent is gone.
    pub(super) fn check_surveyed(&self, index: usize, step: usize) -> Check {
        self.check_open(index, step)?;
        match self.step(step).0.running {
            Some(unit) => missing(self.over(index, unit)),
            None => Ok(()),
        }
    }

    /// Before an agent the one before it is gone, after it that one itself, and at the end everything is
    /// done.
    pub(super) fn check_moment(&self, index: usize, moment: Moment) -> Check {
        if moment.point == HookPoint::OnComplete {
            return self.check_run_end(index, &RunEnd::Complete);
        }
        let Some(unit) = moment.unit else { return Ok(()) };
        let Some(step) = self.step_of_plan(unit.step) else {
            return no_place("the plan has no such step");
        };
        if matches!(moment.point, HookPoint::PreIteration | HookPoint::PostIteration) {
            self.check_open(index, unit.step)?;
        }
        let Some(pending) = step.pending() else {
            let is_unknown = unit == step.next_unit(unit.step);
            return match moment.point {
                HookPoint::PostIteration if is_unknown => {
                    self.require(index, EventKind::IterationStarted { unit })
                }
                _ => Ok(()),
            };
        };
        let is_after = match moment.point {
            HookPoint::PreIteration => false,
            HookPoint::OnLimit => pending == unit,
            // What was left unchecked may be at the end of a run.
            HookPoint::OnInterrupt | HookPoint::OnFailure if step.running.is_none() => false,
            _ => true,
        };
        if is_after && pending == unit {
            missing(self.over(index, unit))
        } else if order(pending) < order(unit) {
            let next = EventKind::IterationStarted { unit };
            missing(self.finished(index, pending, &next))
        } else {
            Ok(())
        }
    }

    /// Whether an agent that was at work when the run was resumed was checked after that.
    pub(super) fn is_inspected_later(&self, index: usize, unit: UnitId) -> bool {
        let mut behind = self.behind(index).filter(|kind| unit_of(kind).is_some());
        behind.next().is_some_and(|kind| match kind {
            EventKind::ErrandStarted {
                errand: Errand::Check { unit: of, .. } | Errand::Setup { unit: of },
                ..
            }
            | EventKind::CheckFinished { unit: of, .. } => *of == unit,
            EventKind::TasksChanged { unit: of, .. } => {
                *of == unit && !self.is_repeated(index, unit)
            }
            EventKind::IterationFinished { unit: of, report } => {
                *of == unit && report.verdict != Verdict::Interrupted
            }
            _ => false,
        })
    }

    /// An agent is gone that was checked after the run was resumed.
    pub(super) fn agent_finished(&self, index: usize, unit: UnitId) -> EventKind {
        let mut behind = self.behind(index).filter(|kind| unit_of(kind) == Some(unit));
        let is_proven = behind.any(|kind| self.is_proof(unit.step, kind));
        self.gone(unit, is_proven)
    }

    /// Whether a check shows that its agent was done, and that nothing stood against it.
    fn is_proof(&self, step: usize, kind: &EventKind) -> bool {
        let checks = &self.state.plan.steps[step - 1].checks;
        let when_asked = |when: CheckWhen| when == CheckWhen::Completion;
        match kind {
            EventKind::ErrandStarted { errand: Errand::Check { number, .. }, .. } => {
                let check = number.checked_sub(1).and_then(|index| checks.get(index));
                check.is_some_and(|check| when_asked(check.value.when))
            }
            EventKind::CheckFinished { report, .. } => {
                let mut named = checks
                    .iter()
                    .map(|check| &check.value)
                    .filter(|check| check.called() == report.name)
                    .peekable();
                named.peek().is_some() && named.all(|check| when_asked(check.when))
            }
            _ => false,
        }
    }

    /// The agent is gone, and what it made is to be checked.
    fn gone(&self, unit: UnitId, is_proven: bool) -> EventKind {
        let loops = self.state.plan.steps[unit.step - 1].iterations.is_some();
        let outcome = if is_proven {
            (Verdict::Complete(self.completion(unit.step)), None)
        } else if loops {
            (self.unsuccessful(unit), None)
        } else {
            lost()
        };
        match finished_with(unit, outcome) {
            EventKind::IterationFinished { unit, report } => {
                EventKind::AgentFinished { unit, report }
            }
            other => other,
        }
    }

    /// The iteration of an agent is over; what follows may tell what came of it.
    pub(super) fn over(&self, index: usize, unit: UnitId) -> EventKind {
        let is_about = |kind: &&EventKind| match kind {
            EventKind::StepFinished { step, .. }
            | EventKind::Waiting { step, .. }
            | EventKind::BackingOff { step, .. } => *step == unit.step,
            EventKind::IterationStarted { unit: next } => next.step == unit.step,
            _ => false,
        };
        match self.behind(index).find(is_about) {
            Some(EventKind::StepFinished { end: StepEnd::Cancelled, .. }) | None => {
                finished_with(unit, self.unknown(index, unit))
            }
            Some(clue) => self.finished(index, unit, clue),
        }
    }

    fn unknown(&self, index: usize, unit: UnitId) -> Outcome {
        let loops = self.state.plan.steps[unit.step - 1].iterations.is_some();
        if self.clues.is_cancelled(unit) {
            return (Verdict::Interrupted, None);
        }
        let told = self.outcome_before_resume(index, unit);
        told.unwrap_or_else(|| if loops { (self.unsuccessful(unit), None) } else { lost() })
    }
}
