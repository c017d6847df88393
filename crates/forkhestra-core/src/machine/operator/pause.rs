//! Pausing and continuing a run.
//!
//! A run is paused for two independent reasons: its process was suspended, or an operator requested
//! a pause. It continues when neither holds. A suspended process does nothing anyway; one that an
//! operator paused keeps listening, so inputs that would advance the run are deferred until it
//! continues.

use crate::event::EventKind;
use crate::machine::effect::{Effect, ProcessSignal};
use crate::machine::input::Input;
use crate::machine::machine_phase::MachinePhase;
use crate::machine::run_clock::Now;
use crate::machine::state_machine::Machine;

/// Why a run is paused, and what has happened since.
#[derive(Debug, Clone, Default)]
pub(crate) struct PauseState {
    /// An operator requested the pause.
    pub(crate) by_operator: bool,
    /// The own process is suspended, or about to be.
    suspended: bool,
    /// Inputs during the pause or before the first event, in order.
    pub(crate) deferred: Vec<Input>,
    /// Limits were changed during the pause.
    limits_changed: bool,
    /// Whether the pause is recorded.
    is_recorded: bool,
}

impl Machine {
    /// Whether an operator's pause holds.
    pub(crate) const fn is_paused_by_operator(&self) -> bool {
        self.pausing.by_operator
    }

    /// Notes that limits were changed; they are applied when the run continues.
    pub(crate) const fn note_changed_limits(&mut self) {
        self.pausing.limits_changed = true;
    }

    /// Suspends the own process.
    pub(crate) fn suspend(&mut self, now: Now) {
        if std::mem::replace(&mut self.pausing.suspended, true) {
            return;
        }
        self.suspend_processes(now);
        self.effects.push(Effect::SuspendSelf);
    }

    /// Continues after the own process was suspended.
    pub(crate) fn resume_from_suspension(&mut self, now: Now) {
        self.pausing.suspended = false;
        self.resume_processes(now);
    }

    /// Pauses the run on an operator's request.
    pub(crate) fn pause(&mut self, now: Now) {
        self.pausing.by_operator = true;
        self.suspend_processes(now);
    }

    /// Ends an operator's pause and handles the deferred inputs.
    pub(crate) fn resume_from_pause(&mut self, now: Now) {
        if self.clear_pause(now) {
            self.handle_paused_inputs(now);
        }
    }

    /// Ends an operator's pause; false if there is none. Deferred inputs are still to be handled.
    pub(crate) fn clear_pause(&mut self, now: Now) -> bool {
        let was_asked = std::mem::replace(&mut self.pausing.by_operator, false);
        if was_asked {
            // A process that handles this input is not suspended any more.
            self.pausing.suspended = false;
            self.resume_processes(now);
        }
        was_asked
    }

    /// Handles the inputs of a pause that is over.
    pub(crate) fn handle_paused_inputs(&mut self, now: Now) {
        self.handle_deferred(now);
        if std::mem::take(&mut self.pausing.limits_changed) {
            self.apply_changed_limits(now);
        }
    }

    fn suspend_processes(&mut self, now: Now) {
        if std::mem::replace(&mut self.pausing.is_recorded, true) {
            return;
        }
        self.emit(now, EventKind::Paused);
        self.clock.pause(now);
        self.signal_running(ProcessSignal::Suspend);
    }

    /// Continues if no reason for a pause is left.
    fn resume_processes(&mut self, now: Now) {
        if self.pausing.by_operator || self.pausing.suspended || !self.pausing.is_recorded {
            return;
        }
        self.pausing.is_recorded = false;
        self.run_clock_again(now);
        self.signal_running(ProcessSignal::Continue);
        self.emit(now, EventKind::Continued);
        self.reset_idle_timeout(now);
        self.check_calendar(now);
    }

    /// Restarts the idle timeout after the agent stood still with the run or the host: a request
    /// that it waited for may have to be repeated.
    pub(crate) fn reset_idle_timeout(&mut self, now: Now) {
        let elapsed = self.clock.elapsed(now);
        if let MachinePhase::AgentRunning(unit) = &mut self.phase {
            unit.reset_idle_timeout(elapsed);
        }
        if self.running_lanes.is_some() {
            self.with_each(|machine| machine.reset_idle_timeout(now));
        }
    }

    /// Lets the run's clock run again, if neither a pause nor a question holds it.
    pub(crate) fn run_clock_again(&mut self, now: Now) {
        if self.clock.is_paused() && !self.pausing.is_recorded && !self.is_asking() {
            self.clock.resume(now);
        }
    }

    fn signal_running(&mut self, signal: ProcessSignal) {
        if self.running_lanes.is_some() {
            self.with_each(|machine| machine.signal_running(signal));
        }
        if let MachinePhase::AgentRunning(unit) = &self.phase {
            self.effects.push(Effect::SignalAgent { unit: unit.id, signal });
        } else if let Some(job) = self.phase.job() {
            self.effects.push(Effect::SignalAuxJob { aux_job: job.aux_job, signal });
        }
    }

    /// Stops a process whose start was already under way when the run was paused.
    pub(crate) fn stop_started_process(&mut self) {
        if self.pausing.by_operator {
            self.signal_running(ProcessSignal::Suspend);
        }
    }
}
