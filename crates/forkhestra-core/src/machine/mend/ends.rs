//! What must have been before the end of a step or of the run.

use super::Mender;
use super::check::{Check, missing, no_place};
use crate::count::Count;
use crate::event::{Completion, EventKind, RunEnd, StepEnd, Verdict};
use crate::machine::step_state::StepStatus;

impl Mender<'_> {
    pub(super) fn check_step_end(
        &self,
        index: usize,
        step: usize,
        end: &StepEnd,
        kind: &EventKind,
    ) -> Check {
        self.check_turn(index, step)?;
        let (state, plan) = self.step(step);
        let is_unknown = self.beginning(index, step).is_none();
        if state.status == StepStatus::Pending && is_unknown && !end.is_behind() {
            return no_place("the state before the step is not known");
        }
        self.check_open(index, step)?;
        self.check_nobody_at_work(index, step, kind)?;
        let last = state.last.as_ref();
        let verdict = last.map(|report| &report.verdict);
        let is_explained = match end {
            StepEnd::Complete(Completion::Tasks) => true,
            StepEnd::Complete(by) => {
                let was_found = *by == Completion::File && self.clues.just_resumed;
                was_found || matches!(verdict, Some(Verdict::Complete(_)))
            }
            StepEnd::Failed(end) => last.is_some_and(|report| report.end.as_ref() == Some(end)),
            StepEnd::Ended(why) => verdict == Some(&Verdict::Ended(*why)),
            StepEnd::Refused(why) => verdict == Some(&Verdict::Refused(*why)),
            StepEnd::Blocked(_) => {
                let waits = state.postponement.why.is_some();
                waits || matches!(verdict, Some(Verdict::Blocked | Verdict::Postponed))
            }
            StepEnd::MaxIterations => {
                let most = plan.iterations.map_or(0, Count::get);
                // Each of them takes two events at least. A lower limit may be lost as well.
                let left = most.saturating_sub(state.finished) as usize;
                left == 0 || self.lost < 2 * left
            }
            // No other end needs an event of its own before it.
            _ => true,
        };
        if is_explained {
            return Ok(());
        }
        let mut unit = state.next_unit(step);
        if plan.iterations.is_none() && state.finished > 0 {
            // The one iteration was tried again.
            unit.iteration = 1;
            unit.attempt = state.tries + 1;
        }
        self.require(index, EventKind::IterationStarted { unit })
    }

    pub(super) fn check_run_end(&self, index: usize, end: &RunEnd) -> Check {
        let current = self.state.current_step();
        match (end, current) {
            (RunEnd::Complete, Some(step)) => {
                let end = self.behind_by(step);
                self.require(index, EventKind::StepFinished { step, end })
            }
            (RunEnd::Incomplete { step, end }, _) => {
                self.check_turn(index, *step)?;
                let step_finished = EventKind::StepFinished { step: *step, end: end.clone() };
                self.check_nobody_at_work(index, *step, &step_finished)?;
                match self.step(*step).0.status {
                    StepStatus::Pending if self.beginning(index, *step).is_none() => Ok(()),
                    StepStatus::Pending | StepStatus::Open => self.require(index, step_finished),
                    StepStatus::Ended(_) => Ok(()),
                }
            }
            (RunEnd::Interrupted(_), Some(step)) => {
                let clue = EventKind::RunFinished { end: end.clone() };
                self.check_nobody_at_work(index, step, &clue)?;
                // Whoever cancels a run before it goes on ends no step.
                let is_open = self.step(step).0.status == StepStatus::Open;
                if is_open && !self.clues.just_resumed {
                    return missing(EventKind::StepFinished { step, end: StepEnd::Cancelled });
                }
                Ok(())
            }
            (RunEnd::Complete | RunEnd::Interrupted(_), None) => Ok(()),
        }
    }
}
