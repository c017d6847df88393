//! Standing still, and going on.
//!
//! A run stands still for two reasons that know nothing of one another: somebody suspended our
//! process, or somebody asked the run to pause. It goes on when neither holds. A process that is
//! suspended does nothing anyway; one that was asked to pause goes on listening, so whatever would
//! bring the run forward is kept until it goes on.

use crate::event::EventKind;
use crate::machine::effect::{Effect, ProcessSignal};
use crate::machine::input::Input;
use crate::machine::run_clock::Now;
use crate::machine::state_machine::{Machine, MachinePhase};

/// Why a run stands still, and what has happened since.
#[derive(Debug, Clone, Default)]
pub(crate) struct PauseState {
    /// Somebody asked for it.
    by_operator: bool,
    /// Our own process is suspended, or about to be.
    suspended: bool,
    /// What happened meanwhile, or before the first event, in order.
    deferred: Vec<Input>,
    /// Limits were changed meanwhile.
    limits_changed: bool,
}

/// What is done about an input while a run stands still because somebody asked for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PausedInputAction {
    /// It changes nothing about where the run stands, or it is what ends the pause.
    Handle,
    /// It would bring the run forward.
    Keep,
    /// It says only that time passes, which it does not.
    Drop,
}

impl Machine {
    /// Takes an input in, or keeps it while the run stands still because somebody asked for that.
    pub(crate) fn accept_input(&mut self, now: Now, input: Input) {
        match meanwhile(&input) {
            PausedInputAction::Keep
                if self.pausing.by_operator && self.phase != MachinePhase::Over =>
            {
                self.pausing.deferred.push(input);
            }
            PausedInputAction::Drop if self.pausing.by_operator => {}
            PausedInputAction::Handle | PausedInputAction::Keep | PausedInputAction::Drop => {
                self.handle_unpaused(now, input);
            }
        }
    }

    /// Keeps something that comes before the first event.
    pub(crate) fn defer_input(&mut self, input: Input) {
        self.pausing.deferred.push(input);
    }

    /// Handles what was kept, in order.
    pub(crate) fn handle_deferred(&mut self, now: Now) {
        for input in std::mem::take(&mut self.pausing.deferred) {
            self.accept_input(now, input);
        }
    }

    /// Whether the run stands still because somebody asked for it.
    pub(crate) const fn is_paused_by_operator(&self) -> bool {
        self.pausing.by_operator
    }

    /// Limits were changed; what follows from that is seen to when the run goes on.
    pub(crate) const fn note_changed_limits(&mut self) {
        self.pausing.limits_changed = true;
    }

    /// Somebody suspends us.
    pub(crate) fn suspend(&mut self, now: Now) {
        if std::mem::replace(&mut self.pausing.suspended, true) {
            return;
        }
        self.stand_still(now);
        self.effects.push(Effect::SuspendSelf);
    }

    /// Somebody has our process go on.
    pub(crate) fn resume_from_suspension(&mut self, now: Now) {
        self.pausing.suspended = false;
        self.move_again(now);
    }

    /// Somebody asks us to stand still.
    pub(crate) fn pause(&mut self, now: Now) {
        self.pausing.by_operator = true;
        self.stand_still(now);
    }

    /// Ends a pause that somebody asked for, and catches up with what has happened meanwhile.
    pub(crate) fn resume_from_pause(&mut self, now: Now) {
        if self.clear_pause(now) {
            self.handle_paused_inputs(now);
        }
    }

    /// Ends a pause that somebody asked for; false if there is none. What has happened meanwhile is
    /// still to be handled.
    pub(crate) fn clear_pause(&mut self, now: Now) -> bool {
        let was_asked = std::mem::replace(&mut self.pausing.by_operator, false);
        if was_asked {
            // Whoever is heard by us speaks to a process that is not suspended any more.
            self.pausing.suspended = false;
            self.move_again(now);
        }
        was_asked
    }

    /// Handles what has happened during a pause that is over.
    pub(crate) fn handle_paused_inputs(&mut self, now: Now) {
        self.handle_deferred(now);
        if std::mem::take(&mut self.pausing.limits_changed) {
            self.apply_changed_limits(now);
        }
    }

    fn stand_still(&mut self, now: Now) {
        if self.clock.is_paused() {
            return;
        }
        self.emit(now, EventKind::Paused);
        self.clock.pause(now);
        self.push(ProcessSignal::Stop);
    }

    /// Goes on, if there is no reason left to stand still.
    fn move_again(&mut self, now: Now) {
        if self.pausing.by_operator || self.pausing.suspended || !self.clock.is_paused() {
            return;
        }
        self.clock.resume(now);
        self.push(ProcessSignal::Continue);
        self.emit(now, EventKind::Continued);
        self.reset_idle_timeout(now);
        self.check_calendar(now);
    }

    /// The agent at work stood still, with the run or with the whole machine. Whatever it waited for
    /// may have to be asked for again.
    pub(crate) fn reset_idle_timeout(&mut self, now: Now) {
        let elapsed = self.clock.elapsed(now);
        if let MachinePhase::AgentRunning(unit) = &mut self.phase {
            unit.reset_idle_timeout(elapsed);
        }
    }

    fn push(&mut self, push: ProcessSignal) {
        if let MachinePhase::AgentRunning(unit) = &self.phase {
            self.effects.push(Effect::SignalAgent { unit: unit.id, push });
        } else if let Some(job) = self.phase.job() {
            self.effects.push(Effect::SignalAuxJob { errand: job.aux_job, push });
        }
    }

    /// What is at work was about to be started when the run was paused, and runs now.
    pub(crate) fn stop_started_process(&mut self) {
        if self.pausing.by_operator {
            self.push(ProcessSignal::Stop);
        }
    }
}

const fn meanwhile(input: &Input) -> PausedInputAction {
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
        Input::Observed { .. }
        | Input::Marker { .. }
        | Input::Concluded { .. }
        | Input::WentOn { .. }
        | Input::Spent { .. }
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
        | Input::TasksPolled { .. } => PausedInputAction::Keep,
    }
}
