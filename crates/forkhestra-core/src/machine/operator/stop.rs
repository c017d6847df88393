//! Operator requests that end a run after the current iteration, or skip a step.

use crate::event::{CancelCause, EventKind, Observation, StepEnd, StopReason};
use crate::machine::effect::ProcessSignal;
use crate::machine::machine_phase::MachinePhase;
use crate::machine::provider_wait::ProviderWait;
use crate::machine::run_clock::Now;
use crate::machine::state::step_state::StepStatus;
use crate::machine::state_machine::Machine;

impl Machine {
    /// Whether a requested stop takes effect now that no iteration runs.
    pub(crate) const fn should_stop(&self) -> bool {
        self.state.stop_requested && self.cancelled.is_none()
    }

    /// Whether an operator skipped a step.
    pub(crate) fn is_skipped(&self, step: usize) -> bool {
        self.state.steps[step - 1].skip
    }

    /// Ends the run by a requested stop.
    pub(crate) fn stop(&mut self, now: Now) {
        let by = CancelCause::Stop;
        self.cancelled = Some(by);
        self.emit(now, EventKind::Cancelled { by });
    }

    /// Applies a requested stop at once if nothing is running.
    pub(crate) fn stop_waiting(&mut self, now: Now) {
        if self.waits().is_none() {
            return;
        }
        self.resume_from_pause(now);
        self.abort_wait(now);
    }

    /// The step that waits while none of its processes runs.
    const fn waits(&self) -> Option<usize> {
        match self.phase {
            MachinePhase::Observing { step }
            | MachinePhase::BackingOff { step, .. }
            | MachinePhase::PollingTasks { step, .. }
            | MachinePhase::Asking { step, .. }
            | MachinePhase::Advancing { step }
            | MachinePhase::Waiting { wait: ProviderWait { step, .. }, .. } => Some(step),
            _ => None,
        }
    }

    /// Aborts a wait and decides again, because the step or the run is to end.
    pub(crate) fn abort_wait(&mut self, now: Now) {
        let Some(step) = self.waits() else { return };
        match self.state.steps[step - 1].status {
            StepStatus::Open => self.continue_step(now, step),
            StepStatus::Pending | StepStatus::Ended(_) => self.advance(now),
        }
    }

    /// Skips a step, so that the next one begins. A paused run continues.
    pub(crate) fn skip(&mut self, now: Now, step: usize) {
        self.resume_from_pause(now);
        if self.state.current_step() != Some(step) {
            return;
        }
        match &mut self.phase {
            MachinePhase::AgentRunning(_) => self.end_agent(now, StopReason::Skipped),
            // An agent's work is paid for and is at least observed.
            MachinePhase::Inspecting(inspection) if inspection.is_observing() => {}
            MachinePhase::Inspecting(inspection) if inspection.aux_job().is_none() => {
                self.skip_checks(now);
            }
            MachinePhase::Inspecting(_) | MachinePhase::RunningHooks(_) => {
                self.end_aux_job(now, StopReason::Skipped, ProcessSignal::Terminate);
            }
            MachinePhase::Surveying { end, .. } if !end.is_complete() => *end = StepEnd::Skipped,
            MachinePhase::Surveying { .. } => {}
            MachinePhase::Observing { .. }
            | MachinePhase::BackingOff { .. }
            | MachinePhase::PollingTasks { .. }
            | MachinePhase::Asking { .. }
            | MachinePhase::Advancing { .. }
            | MachinePhase::Waiting { .. } => self.abort_wait(now),
            MachinePhase::InLanes { .. } => self.with_each(|machine| {
                let current = machine.state.current_step();
                if let Some(step) = current.filter(|step| machine.is_skipped(*step)) {
                    machine.skip(now, step);
                }
            }),
            MachinePhase::AwaitingLanding { .. } => self.advance_or_continue(now, step),
            MachinePhase::New
            | MachinePhase::Resting(_)
            | MachinePhase::Checked { .. }
            | MachinePhase::Over => {}
        }
    }

    /// Ends a skipped step before it has begun, without an observation.
    pub(crate) fn skip_pending(&mut self, now: Now, step: usize, instead_of: Option<usize>) {
        let observation = Observation::default();
        self.emit(now, EventKind::StepStarted { step, observation, instead_of });
        self.finish_step(now, step, StepEnd::Skipped);
    }
}
