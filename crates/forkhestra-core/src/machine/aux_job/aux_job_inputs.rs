//! Inputs about the running aux job: a check, a hook, or the set-up of a clean room.

use std::time::Duration;

use super::running_aux_job::RunningAuxJob;
use crate::event::{AuxJob, AuxJobResult, CancelCause, EventKind, StopReason};
use crate::limit::{HumanDuration, Limit};
use crate::machine::agent::agent_inputs::signal_for_cancel;
use crate::machine::effect::{Effect, ProcessSignal};
use crate::machine::input::Input;
use crate::machine::machine_phase::MachinePhase;
use crate::machine::process_lifecycle::DueAction;
use crate::machine::run_clock::Now;
use crate::machine::state_machine::Machine;

/// A finished aux job with its result.
#[derive(Debug)]
pub(crate) struct FinishedAuxJob {
    pub(crate) aux_job: RunningAuxJob,
    pub(crate) answer: AuxJobResult,
}

impl Machine {
    /// Handles inputs about an aux job. Inputs from one that is no longer running are dropped.
    pub(crate) fn handle_aux_job(&mut self, now: Now, input: Input) {
        match input {
            Input::AuxJobStarted { aux_job, pid } if self.is_running_aux_job(aux_job) => {
                self.emit(now, EventKind::AuxJobStarted { aux_job, pid });
                self.stop_started_process();
            }
            Input::AuxJobExited { aux_job, end } if self.is_running_aux_job(aux_job) => {
                let until = self.clock.elapsed(now) + self.grace_periods.for_leftovers;
                if let Some(job) = self.job() {
                    job.lifecycle.exited(end, until);
                }
            }
            Input::AuxJobGone { aux_job } if self.is_running_aux_job(aux_job) => {
                let (cancelled, at_once, give_up_at) = self.leftover_grace_period(now);
                if let Some(job) = self.job() {
                    job.lifecycle.gone(cancelled, at_once, give_up_at);
                }
            }
            Input::AuxJobSettled { aux_job, answer } if self.is_running_aux_job(aux_job) => {
                self.aux_job_finished(now, answer);
            }
            _ => {}
        }
    }

    fn is_running_aux_job(&self, aux_job: AuxJob) -> bool {
        self.phase.job().is_some_and(|job| job.aux_job == aux_job)
    }

    fn job(&mut self) -> Option<&mut RunningAuxJob> {
        match &mut self.phase {
            MachinePhase::Inspecting(inspection) => inspection.aux_job_mut(),
            MachinePhase::RunningHooks(hooking) => Some(&mut hooking.aux_job),
            _ => None,
        }
    }

    pub(crate) fn start_aux_job(
        &mut self,
        now: Now,
        aux_job: AuxJob,
        timeout: Limit<HumanDuration>,
    ) -> RunningAuxJob {
        self.effects.push(Effect::RunAuxJob { aux_job });
        RunningAuxJob::new(aux_job, self.clock.elapsed(now), timeout)
    }

    fn aux_job_finished(&mut self, now: Now, answer: AuxJobResult) {
        match &self.phase {
            MachinePhase::Inspecting(_) => self.check_finished(now, answer),
            MachinePhase::RunningHooks(_) => self.hook_finished(now, &answer),
            _ => {}
        }
    }

    /// When the running aux job or the clean room's preparation is due.
    pub(crate) fn aux_job_deadline(&self) -> Option<Duration> {
        let due = match &self.phase {
            MachinePhase::Inspecting(inspection) => inspection.deadline(),
            phase => phase.job().and_then(RunningAuxJob::deadline),
        };
        [due, self.job_time_limits().map(|(at, _)| at).min()].into_iter().flatten().min()
    }

    /// The time limits of run and step that apply to the running aux job. They apply to checks and
    /// to the set-up of clean rooms, not to hooks.
    fn job_time_limits(&self) -> impl Iterator<Item = (Duration, StopReason)> + use<> {
        let step = match &self.phase {
            MachinePhase::Inspecting(inspection) => {
                let runs =
                    inspection.aux_job().is_none_or(|job| job.lifecycle.is_running_unstopped());
                // An observation starts no process, so no time limit ends it.
                (runs && !inspection.is_observing()).then_some(inspection.unit.step)
            }
            _ => None,
        };
        step.map(|step| self.state.limit_deadlines(step)).into_iter().flatten()
    }

    /// Performs what is due for the running aux job.
    pub(crate) fn tick_aux_job(&mut self, now: Now) {
        let elapsed = self.clock.elapsed(now);
        self.refresh_time(now);
        let limit = self.job_time_limits().filter(|(at, _)| *at <= elapsed).map(|(_, why)| why);
        if let Some(why) = limit.max().filter(|_| self.phase.job().is_some()) {
            self.end_aux_job(now, why, ProcessSignal::Terminate);
            return;
        }
        let grace_periods = self.grace_periods;
        let Some(job) = self.job() else {
            self.tick_inspection(now);
            return;
        };
        let aux_job = job.aux_job;
        match job.due(elapsed) {
            None | Some(DueAction::Observe) => {}
            Some(DueAction::End(why)) => self.end_aux_job(now, why, ProcessSignal::Terminate),
            Some(DueAction::Terminate) => {
                let signal = job.lifecycle.request_end(
                    ProcessSignal::Terminate,
                    elapsed + grace_periods.before_leftover_kill,
                );
                self.effects.extend(signal.map(|signal| Effect::SignalAuxJob { aux_job, signal }));
            }
            Some(DueAction::Kill) => {
                let signal = job.lifecycle.kill(elapsed + grace_periods.after_kill);
                self.effects.extend(signal.map(|signal| Effect::SignalAuxJob { aux_job, signal }));
            }
            Some(DueAction::Abandon) => self.abandon_aux_job(now, aux_job),
        }
    }

    fn abandon_aux_job(&mut self, now: Now, aux_job: AuxJob) {
        let is_gone = self.phase.job().is_some_and(|job| job.lifecycle.is_gone());
        if !is_gone {
            let message = format!("{aux_job} could not be ended, not even by SIGKILL");
            self.emit(now, EventKind::Warning { message });
        }
        self.effects.push(Effect::AbandonAuxJob { aux_job });
        let is_cancelled = self.cancelled.is_some();
        let Some(job) = self.job() else { return };
        // Unread output may report a failure, whatever the exit code is.
        let answer = match job.lifecycle.stop_reason {
            Some(_) => AuxJobResult::default(),
            None if is_cancelled => {
                job.lifecycle.stop_reason = Some(StopReason::Cancelled);
                AuxJobResult::default()
            }
            None => {
                let message = Some("what it printed could not be read".to_owned());
                AuxJobResult { passed: Some(false), message, tail: None }
            }
        };
        self.aux_job_finished(now, answer);
    }

    /// Starts to terminate the aux job for a reason of the machine's own.
    pub(crate) fn end_aux_job(&mut self, now: Now, why: StopReason, signal: ProcessSignal) {
        let elapsed = self.clock.elapsed(now);
        let grace_periods = self.grace_periods;
        let Some(job) = self.job() else { return };
        let aux_job = job.aux_job;
        job.lifecycle.set_stop_reason(why);
        let signal = match signal {
            ProcessSignal::Kill => job.lifecycle.kill(elapsed + grace_periods.after_kill),
            milder => job.lifecycle.request_end(milder, elapsed + grace_periods.before_kill),
        };
        self.effects.extend(signal.map(|signal| Effect::SignalAuxJob { aux_job, signal }));
    }

    /// Terminates the aux job because the run was cancelled.
    pub(crate) fn end_cancelled_aux_job(&mut self, now: Now, by: CancelCause, again: bool) {
        let signal = signal_for_cancel(by, again);
        self.end_aux_job(now, StopReason::Cancelled, signal);
        let (elapsed, grace_periods) = (self.clock.elapsed(now), self.grace_periods);
        if let Some(job) = self.job() {
            let (at_once, later) =
                (elapsed + grace_periods.after_kill_at_once, elapsed + grace_periods.after_kill);
            job.lifecycle.shorten_waits(signal, at_once, later);
        }
    }
}
