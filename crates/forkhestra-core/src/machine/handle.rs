//! The entry of the machine: every input comes in here, and every event goes out.

use std::time::Duration;

use super::effect::Effect;
use super::input::Input;
use super::machine_phase::MachinePhase;
use super::run_clock::Now;
use super::state_machine::Machine;
use crate::event::{Event, EventKind};

/// What to do with an input while an operator's pause holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PausedInputAction {
    /// It does not advance the run, or it ends the pause.
    Handle,
    /// It would advance the run.
    Keep,
    /// It only reports passing time, and the run's clock is stopped.
    Drop,
}

impl Machine {
    /// Handles an input and returns the effects to perform, in order.
    pub fn handle(&mut self, now: Now, input: Input) -> Vec<Effect> {
        self.accept(now, input);
        self.settle_lanes(now);
        self.run_clock_again(now);
        std::mem::take(&mut self.effects)
    }

    /// Handles an input, or defers it during an operator's pause.
    fn accept(&mut self, now: Now, input: Input) {
        let is_paused = self.pausing.by_operator && self.phase != MachinePhase::Over;
        match while_paused(&input) {
            PausedInputAction::Keep if is_paused => self.defer_input(input),
            PausedInputAction::Drop if is_paused => {}
            _ => self.dispatch(now, input),
        }
    }

    /// Defers an input during a pause or before the first event.
    pub(super) fn defer_input(&mut self, input: Input) {
        self.pausing.deferred.push(input);
    }

    /// Handles deferred inputs in order.
    pub(super) fn handle_deferred(&mut self, now: Now) {
        for input in std::mem::take(&mut self.pausing.deferred) {
            // A stop during the pause starts no agent in any lane.
            self.settle_lanes(now);
            self.accept(now, input);
        }
    }

    /// Passes an input to the code for its subject.
    pub(super) fn dispatch(&mut self, now: Now, input: Input) {
        match input {
            Input::At { place, input } => self.handle_at(now, place, *input),
            Input::Lanes(input) => self.handle_lanes(now, input),
            Input::ControlRequested { ticket, request } => {
                self.handle_control_request(now, ticket, request);
            }
            // No event may follow the last one.
            _ if self.phase == MachinePhase::Over => {}
            // No event may precede the first one; the cancellation takes effect after it.
            Input::Cancel(by) if self.phase == MachinePhase::New => {
                self.cancelled = self.cancelled.max(Some(by));
            }
            input if self.phase == MachinePhase::New && input != Input::Begin => {}
            Input::Begin => {
                self.begin(now);
                self.handle_deferred(now);
            }
            Input::Observed { step, observation }
                if self.phase == MachinePhase::Observing { step } =>
            {
                self.observed(now, step, observation);
            }
            Input::Tick => self.tick(now),
            Input::Cancel(by) => self.cancel(now, by),
            Input::Pause => self.suspend(now),
            Input::Continue => self.resume_from_suspension(now),
            Input::Slept(duration) => {
                self.emit(now, EventKind::MachineSlept { duration });
                self.reset_idle_timeout(now);
                self.check_calendar(now);
            }
            Input::OperatorNotice(message) => self.emit(now, EventKind::Warning { message }),
            Input::TasksChanged { unit, changes } => self.tasks_changed(now, unit, changes),
            Input::WorkObserved { unit, observation } => self.work_observed(now, unit, observation),
            Input::CleanRoomPrepared { unit, failure } => self.room_prepared(now, unit, failure),
            Input::WorkSurveyed { step, work } => self.surveyed(now, step, work),
            Input::TasksPolled { step, work } => self.tasks_polled(now, step, &work),
            aux_job @ (Input::AuxJobStarted { .. }
            | Input::AuxJobExited { .. }
            | Input::AuxJobGone { .. }
            | Input::AuxJobSettled { .. }) => self.handle_aux_job(now, aux_job),
            other => self.handle_agent(now, other),
        }
    }

    /// When the next `Tick` is due at the latest, in the caller's awake time.
    pub fn deadline(&self) -> Option<Duration> {
        let due = match &self.phase {
            MachinePhase::BackingOff { until, .. } => Some(*until),
            MachinePhase::Waiting { next_clock_poll: look_at, .. } => Some(*look_at),
            MachinePhase::AgentRunning(unit) => {
                [unit.deadline(), self.time_limit(unit)].into_iter().flatten().min()
            }
            MachinePhase::Inspecting(_) | MachinePhase::RunningHooks(_) => self.aux_job_deadline(),
            MachinePhase::Surveying { until, .. } => Some(*until),
            // The run's clock is paused, so the time is on the caller's.
            MachinePhase::Asking { next_clock_poll, .. } => {
                return next_clock_poll.filter(|_| !self.is_paused_by_operator());
            }
            MachinePhase::InLanes { .. } => {
                return self.running_lanes.as_ref().and_then(|running| running.due());
            }
            MachinePhase::New
            | MachinePhase::Observing { .. }
            | MachinePhase::PollingTasks { .. }
            | MachinePhase::Advancing { .. }
            | MachinePhase::AwaitingLanding { .. }
            | MachinePhase::Resting(_)
            | MachinePhase::Checked { .. }
            | MachinePhase::Over => None,
        };
        self.clock.awake_at(due?)
    }

    fn tick(&mut self, now: Now) {
        match self.phase {
            MachinePhase::InLanes { .. } => self.with_each(|machine| machine.tick(now)),
            MachinePhase::BackingOff { step, until } if until <= self.clock.elapsed(now) => {
                self.refresh_time(now);
                match self.state.used_up_time(step) {
                    Some(end) => self.finish_step(now, step, end),
                    None => self.start_iteration(now, step),
                }
            }
            MachinePhase::Waiting { .. } => self.tick_wait(now),
            MachinePhase::Asking { .. } => self.tick_question(now),
            MachinePhase::AgentRunning(_) => self.tick_agent(now),
            MachinePhase::Inspecting(_) | MachinePhase::RunningHooks(_) => self.tick_aux_job(now),
            MachinePhase::Surveying { step, until, .. } if until <= self.clock.elapsed(now) => {
                self.surveyed(now, step, None);
            }
            MachinePhase::Surveying { .. } => {}
            MachinePhase::New
            | MachinePhase::Observing { .. }
            | MachinePhase::PollingTasks { .. }
            | MachinePhase::BackingOff { .. }
            | MachinePhase::Advancing { .. }
            | MachinePhase::AwaitingLanding { .. }
            | MachinePhase::Resting(_)
            | MachinePhase::Checked { .. }
            | MachinePhase::Over => {}
        }
    }

    /// Creates an event, folds it into the state, and has it recorded.
    pub(super) fn emit(&mut self, now: Now, kind: EventKind) {
        let event = Event::new(now.wall, self.clock.elapsed(now), kind);
        let lane = self.role.number();
        if !matches!(event.kind, EventKind::RunStarted { .. }) {
            self.state.apply(&event).expect("the machine's own events fit its state");
        }
        self.effects.push(Effect::Emit(Box::new(event.in_lane(lane))));
    }
}

const fn while_paused(input: &Input) -> PausedInputAction {
    match input {
        Input::Begin
        | Input::Started { .. }
        | Input::AuxJobStarted { .. }
        | Input::Cancel(_)
        | Input::ControlRequested { .. }
        | Input::Pause
        | Input::Continue
        | Input::Slept(_)
        | Input::OperatorNotice(_) => PausedInputAction::Handle,
        Input::Tick => PausedInputAction::Drop,
        Input::At { input, .. } => while_paused(input),
        Input::Observed { .. }
        | Input::Marker { .. }
        | Input::Concluded { .. }
        | Input::WentOn { .. }
        | Input::Spent { .. }
        | Input::QuotaReported { .. }
        | Input::UnusableFigure { .. }
        | Input::Futile { .. }
        | Input::Exited { .. }
        | Input::Gone { .. }
        | Input::Settled { .. }
        | Input::TasksChanged { .. }
        | Input::WorkObserved { .. }
        | Input::Probed { .. }
        | Input::CleanRoomPrepared { .. }
        | Input::AuxJobExited { .. }
        | Input::AuxJobGone { .. }
        | Input::AuxJobSettled { .. }
        | Input::WorkSurveyed { .. }
        | Input::TasksPolled { .. }
        | Input::Lanes(_) => PausedInputAction::Keep,
    }
}
