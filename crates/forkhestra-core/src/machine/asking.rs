//! Asking the task database before an agent is paid for.

use super::clock::Now;
use super::driver::{Machine, Phase};
use super::effect::Effect;
use crate::event::StepEnd;
use crate::policy::{TaskWork, may_be_done_by_tasks};

impl Machine {
    /// Starts the next agent of a step, if there is something to do for it.
    pub(super) fn iterate(&mut self, now: Now, step: usize) {
        if self.plan(step).works_through_tasks {
            self.ask(step, None);
        } else {
            self.spawn(now, step);
        }
    }

    /// Ends a step that was tried as often as it may be, unless its last agent did the last task
    /// without a word.
    pub(super) fn exhaust(&mut self, now: Now, step: usize) {
        if may_be_done_by_tasks(self.plan(step)) {
            self.ask(step, Some(StepEnd::MaxIterations));
        } else {
            self.finish_step(now, step, StepEnd::MaxIterations);
        }
    }

    fn ask(&mut self, step: usize, otherwise: Option<StepEnd>) {
        self.phase = Phase::Asking { step, otherwise };
        self.effects.push(Effect::AskTasks { step });
    }

    /// Somebody has looked at the tasks.
    pub(super) fn tasks_told(&mut self, now: Now, of: usize, work: &TaskWork) {
        let Phase::Asking { step, otherwise } = &self.phase else { return };
        if *step != of {
            return;
        }
        let otherwise = otherwise.clone();
        let found = work.end(self.plan(of));
        // Whatever else is found there, it was tried often enough.
        let end = match otherwise {
            Some(limit) => Some(found.filter(StepEnd::is_complete).unwrap_or(limit)),
            None => found,
        };
        match end {
            Some(end) => self.finish_step(now, of, end),
            None => self.spawn(now, of),
        }
    }
}
