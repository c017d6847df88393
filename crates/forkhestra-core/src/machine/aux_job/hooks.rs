//! Running the user's hooks at the hook points of a run.

use std::time::Duration;

use super::running_aux_job::RunningAuxJob;
use crate::config::OnHookError;
use crate::event::{
    AuxJob, AuxJobResult, CancelCause, CheckOutcome, EventKind, HookMoment, HookReport, ProcessEnd,
    RunEnd, StepEnd, StopReason, WaitCause,
};
use crate::explain::hook_points;
use crate::hook::HookPoint;
use crate::id::UnitId;
use crate::machine::lanes::lane_machine::LaneRest;
use crate::machine::machine_phase::MachinePhase;
use crate::machine::next_action::NextAction;
use crate::machine::run_clock::Now;
use crate::machine::state_machine::Machine;
use crate::policy::inspection;
use crate::time::Timestamp;

/// A running hook, and what follows when all hooks of its moment have run.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RunningHook {
    moment: HookMoment,
    number: usize,
    pub(crate) aux_job: RunningAuxJob,
    pub(crate) after: AfterHooks,
}

/// What follows the hooks of a moment.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum AfterHooks {
    Spawn { step: usize },
    ContinueStep { step: usize },
    Wait { step: usize, why: WaitCause, until: Timestamp },
    Ask { step: usize },
    Finish(RunEnd),
}

impl Machine {
    /// Runs the pending hooks of a moment, then continues.
    pub(crate) fn run_hooks(&mut self, now: Now, moment: HookMoment, then: AfterHooks) {
        match self.next_hook(moment, &then) {
            Some(number) => self.call(now, moment, number, then),
            None => self.after_hooks(now, then),
        }
    }

    fn call(&mut self, now: Now, moment: HookMoment, number: usize, then: AfterHooks) {
        let until = self.hooks_deadline(now);
        if until.is_some_and(|until| until <= self.clock.elapsed(now)) {
            let words = "was not called: the run was cancelled, and other hooks took too long";
            let failure = Some(words.to_owned());
            let report = HookReport { moment, number, failure, duration: Duration::ZERO };
            self.emit(now, EventKind::HookFinished { report });
            self.run_hooks(now, moment, then);
            return;
        }
        let timeout = self.state.plan.hooks[number - 1].value.timeout;
        let mut job = self.start_aux_job(now, AuxJob::Hook { moment, number }, timeout);
        if let Some(until) = until {
            job.must_end_by(until);
        }
        self.phase = MachinePhase::RunningHooks(Box::new(RunningHook {
            moment,
            number,
            aux_job: job,
            after: then,
        }));
    }

    /// The deadline for all hooks of a cancelled run: the guard process would kill a run that takes
    /// longer.
    fn hooks_deadline(&mut self, now: Now) -> Option<Duration> {
        self.cancelled?;
        let until = self.clock.elapsed(now) + self.grace_periods.for_final_hooks;
        Some(*self.hooks_until.get_or_insert(until))
    }

    /// The next hook of a moment, one-based. A run that ends at once calls none, a cancelled one only those
    /// of its end. None is called for a skipped step, nor before an agent that will not be started.
    fn next_hook(&self, moment: HookMoment, then: &AfterHooks) -> Option<usize> {
        let is_end = matches!(then, AfterHooks::Finish(_));
        let nobody_watches = self.cancelled == Some(CancelCause::GuardLost);
        if self.ends_at_once || nobody_watches || (self.cancelled.is_some() && !is_end) {
            return None;
        }
        let is_unwanted = then.step().is_some_and(|step| self.is_skipped(step));
        let starts_nothing =
            !matches!(then, AfterHooks::ContinueStep { .. }) && !is_end && self.should_stop();
        if is_unwanted || starts_nothing {
            return None;
        }
        let hooks = (1..).zip(&self.state.plan.hooks);
        let mut of_moment = hooks.filter(|(_, hook)| hook.value.on == moment.point);
        let has_run = |number: usize| self.state.has_run(moment, number);
        of_moment.find(|(number, _)| !has_run(*number)).map(|(number, _)| number)
    }

    /// Takes the result of a hook.
    pub(crate) fn hook_finished(&mut self, now: Now, answer: &AuxJobResult) {
        let MachinePhase::RunningHooks(hooking) = &self.phase else { return };
        let RunningHook { moment, number, aux_job: job, after: then } = RunningHook::clone(hooking);
        let failure = failure(answer, job.lifecycle.end(), job.lifecycle.stop_reason);
        let duration = self.clock.elapsed(now).saturating_sub(job.started);
        let hook = &self.state.plan.hooks[number - 1].value;
        let must_not_fail = hook.on_error == OnHookError::Abort;
        let command = hook.run.clone();
        let is_unwanted = job.lifecycle.stop_reason == Some(StopReason::Skipped);
        let may_end_run = self.cancelled.is_none() && !is_unwanted;
        let is_fatal = failure.is_some() && must_not_fail && may_end_run;
        // An interrupted hook has not run: it is called again after a resume.
        let is_cut_short =
            job.lifecycle.stop_reason == Some(StopReason::Cancelled) && then.step().is_some();
        if !is_cut_short {
            let report = HookReport { moment, number, failure, duration };
            self.emit(now, EventKind::HookFinished { report });
        }
        match then.step().filter(|_| is_fatal) {
            Some(step) => self.finish_step(now, step, StepEnd::HookFailed(command)),
            None => self.run_hooks(now, moment, then),
        }
    }

    fn after_hooks(&mut self, now: Now, then: AfterHooks) {
        match then {
            AfterHooks::Spawn { step } if self.is_decided_anew(now, step, None) => {
                self.continue_step(now, step);
            }
            AfterHooks::Wait { step, why, until }
                if self.is_decided_anew(now, step, Some((why, until))) =>
            {
                self.continue_step(now, step);
            }
            AfterHooks::Spawn { step } => self.start_agent(now, step),
            AfterHooks::ContinueStep { step } => self.continue_step(now, step),
            AfterHooks::Wait { step, why, until } => {
                self.start_provider_wait(now, step, why, until);
            }
            AfterHooks::Ask { step } => self.wait_for_answer(now, step),
            AfterHooks::Finish(end) => self.finish(now, end),
        }
    }

    /// Whether a step does not go on as it was decided before the hooks, with this wait or else with
    /// an agent: it was stopped or skipped, its time is used up, or its limits were changed.
    fn is_decided_anew(
        &mut self,
        now: Now,
        step: usize,
        decided: Option<(WaitCause, Timestamp)>,
    ) -> bool {
        let may_go_on = !self.should_stop() && !self.is_held();
        let is_wanted = self.cancelled.is_none() && may_go_on && !self.is_skipped(step);
        if !is_wanted {
            return true;
        }
        let next = self.next(now, step);
        match self.within_quota(now, step, next) {
            NextAction::End(_) => true,
            NextAction::Wait { why: why @ WaitCause::Quota, until } => {
                decided != Some((why, until))
            }
            NextAction::Wait { .. } | NextAction::Iterate { .. } => {
                matches!(decided, Some((WaitCause::Quota, _)))
            }
        }
    }

    /// Ends the run once the hooks for its end have run.
    pub(crate) fn finish(&mut self, now: Now, end: RunEnd) {
        if self.role.lane().is_some() {
            let last = self.state.last_unit().map_or(1, |unit| unit.step);
            self.rest(last, LaneRest::BranchEnd(end));
            return;
        }
        let unit = self.state.last_unit();
        let moments = hook_points(&end).iter().map(|point| HookMoment { point: *point, unit });
        let then = AfterHooks::Finish(end.clone());
        let next =
            moments.into_iter().find_map(|moment| Some((moment, self.next_hook(moment, &then)?)));
        match next {
            Some((moment, number)) => self.call(now, moment, number, then),
            None => self.record_end(now, end),
        }
    }
}

impl RunningHook {
    /// The iteration that a post-iteration hook belongs to.
    pub(crate) const fn is_after(&self) -> Option<UnitId> {
        match self.moment.point {
            HookPoint::PostIteration => self.moment.unit,
            _ => None,
        }
    }
}

impl AfterHooks {
    /// The step that goes on; none at the end of the run.
    const fn step(&self) -> Option<usize> {
        match self {
            Self::Spawn { step }
            | Self::ContinueStep { step }
            | Self::Ask { step }
            | Self::Wait { step, .. } => Some(*step),
            Self::Finish(_) => None,
        }
    }
}

fn failure(
    answer: &AuxJobResult,
    end: Option<&ProcessEnd>,
    stop_reason: Option<StopReason>,
) -> Option<String> {
    let (outcome, message) = inspection::outcome(answer, end, stop_reason);
    match outcome {
        CheckOutcome::Passed => None,
        _ => Some(message.unwrap_or_else(|| outcome.as_str().to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Backend;
    use crate::event::{AgentOutcome, ClaimRefusal, CompletionSignal, OutcomeClass};
    use crate::quota::{ExceededQuota, QuotaThreshold, QuotaWindow};

    fn exceeded_quota() -> ExceededQuota {
        ExceededQuota {
            backend: Backend::Claude,
            window: QuotaWindow::FiveHours,
            used: 91,
            limit: QuotaThreshold::Percent(90),
            until: Timestamp::default(),
        }
    }

    #[test]
    fn every_end_has_its_hook_points() {
        use HookPoint::{OnComplete, OnFailure, OnInterrupt, OnLimit, OnStagnation};
        let blocked = |class| StepEnd::Blocked(AgentOutcome::of(class));
        let table = [
            (StepEnd::MaxIterations, vec![OnFailure]),
            (StepEnd::Failed(ProcessEnd::Exited(1)), vec![OnFailure]),
            (StepEnd::Stagnated(3), vec![OnStagnation]),
            (StepEnd::Cycling(3), vec![OnStagnation]),
            (StepEnd::AgentStopped(StopReason::Timeout), vec![OnFailure]),
            (StepEnd::StepTime, vec![OnLimit, OnFailure]),
            (StepEnd::GroupTime, vec![OnLimit, OnFailure]),
            (StepEnd::GroupCost, vec![OnLimit, OnFailure]),
            (StepEnd::RunTime, vec![OnLimit, OnFailure]),
            (StepEnd::StepCost, vec![OnLimit, OnFailure]),
            (StepEnd::RunCost, vec![OnLimit, OnFailure]),
            (StepEnd::CostUnknown, vec![OnLimit, OnFailure]),
            (StepEnd::Quota(exceeded_quota()), vec![OnLimit, OnFailure]),
            (blocked(OutcomeClass::UsageLimit), vec![OnLimit, OnFailure]),
            (blocked(OutcomeClass::Overloaded), vec![OnLimit, OnFailure]),
            (blocked(OutcomeClass::Authentication), vec![OnFailure]),
            (StepEnd::Refused(ClaimRefusal::ChecksFailed), vec![OnFailure]),
            (StepEnd::HookFailed("x".to_owned()), vec![OnFailure]),
            (StepEnd::TasksBlocked("x".to_owned()), vec![OnFailure]),
            (StepEnd::NoTasks, vec![OnFailure]),
            (StepEnd::Cancelled, vec![OnFailure]),
            (StepEnd::Complete(CompletionSignal::File), vec![OnFailure]),
        ];
        for (end, expected) in table {
            let end = RunEnd::Incomplete { step: 1, end };
            assert_eq!(hook_points(&end), expected, "{end:?}");
        }
        assert_eq!(hook_points(&RunEnd::Complete), [OnComplete]);
        for by in [CancelCause::Hangup, CancelCause::Stop, CancelCause::StopNow] {
            assert_eq!(hook_points(&RunEnd::Interrupted(by)), [OnInterrupt]);
        }
    }
}
