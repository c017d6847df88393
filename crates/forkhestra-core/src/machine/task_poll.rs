//! Polling the task database before an agent is started and before a step ends.

use super::effect::Effect;
use super::machine_phase::MachinePhase;
use super::run_clock::Now;
use super::state_machine::Machine;
use crate::event::{EventKind, StepEnd};
use crate::policy::{StepTaskProgress, TaskWork, has_task_check, may_leave_tasks, polls_tasks};

impl Machine {
    /// Starts the next agent of a step, if the task database has work for it.
    pub(super) fn start_iteration(&mut self, now: Now, step: usize) {
        if self.prepare_iteration(step) {
            return;
        }
        if polls_tasks(self.plan(step)) && !self.has_pending_reason(step) {
            self.poll_tasks(step, None);
        } else {
            self.spawn(now, step);
        }
    }

    /// Whether no agent of a step has acted yet on the reason for another round, or for an
    /// alternative. It is work that tasks do not show.
    fn has_pending_reason(&self, step: usize) -> bool {
        let repairs = self.role.lane().is_some_and(|lane| lane.has_refused_work);
        repairs || self.state.steps[step - 1].feedback.is_from_another_step()
    }

    /// Ends a step that has used up its iterations, unless all its tasks are done or blocked.
    pub(super) fn end_exhausted_step(&mut self, now: Now, step: usize) {
        let polls = has_task_check(self.plan(step)) && !self.role.shares(step);
        if polls && !self.has_pending_reason(step) {
            self.poll_tasks(step, Some(StepEnd::MaxIterations));
        } else {
            self.finish_step(now, step, StepEnd::MaxIterations);
        }
    }

    /// Ends a complete step. If no later step works on the remaining tasks, a warning names them.
    pub(super) fn complete_step(&mut self, now: Now, step: usize, end: StepEnd) {
        let decides = !self.role.shares(step);
        if decides && self.cancelled.is_none() && may_leave_tasks(&self.state.plan, step, &end) {
            self.poll_tasks(step, Some(end));
        } else {
            self.finish_step(now, step, end);
        }
    }

    pub(super) fn poll_tasks(&mut self, step: usize, otherwise: Option<StepEnd>) {
        self.role.lane_mut().into_iter().for_each(|lane| lane.tasks_taken = 0);
        self.phase = MachinePhase::PollingTasks { step, otherwise };
        self.effects.push(Effect::PollTasks { step });
    }

    /// Takes one of the tasks that can be claimed for the next agent of a lane. No more agents are
    /// started for one answer of the task database than it has tasks.
    fn take_task(&mut self, of: usize, work: &TaskWork) -> Option<StepEnd> {
        let lane = self.role.lane_mut().filter(|lane| lane.shared_step == Some(of))?;
        match work {
            TaskWork::Ready { ready, .. } if lane.tasks_taken >= ready.len() => {
                let why = "agents in other lanes take the tasks that can be claimed";
                Some(StepEnd::TasksBlocked(why.to_owned()))
            }
            _ => {
                lane.takes_task = true;
                None
            }
        }
    }

    /// Takes the answer of the task database.
    pub(super) fn tasks_polled(&mut self, now: Now, of: usize, work: &TaskWork) {
        let MachinePhase::PollingTasks { step, otherwise } = &self.phase else { return };
        if *step != of {
            return;
        }
        let otherwise = otherwise.clone();
        let state = &self.state.steps[of - 1];
        let had_open = state.before.open_tasks.as_ref().is_some_and(|open| !open.is_empty());
        let (finished, shares) = (state.finished_in_round(), self.role.shares(of));
        let progress = StepTaskProgress { finished, had_open, shares };
        let found = work.end(self.plan(of), progress);
        let end = match otherwise {
            Some(end) if end.is_complete() => {
                if let Some(message) = work.warning(of) {
                    self.emit(now, EventKind::Warning { message });
                }
                Some(end)
            }
            // Only these ends are more specific than used-up iterations.
            Some(planned_end) => {
                let is_more_specific =
                    |end: &StepEnd| end.is_complete() || matches!(end, StepEnd::TasksBlocked(_));
                Some(found.filter(is_more_specific).unwrap_or(planned_end))
            }
            None => found,
        };
        if end.is_none()
            && let TaskWork::Unticked(why) = work
        {
            self.emit(now, EventKind::Warning { message: why.clone() });
        }
        let end = end.or_else(|| self.take_task(of, work));
        match end {
            Some(end) => self.finish_step(now, of, end),
            None if self.is_laned(of) => self.enter_lanes(now, of),
            None => self.spawn(now, of),
        }
    }
}
