//! Standing still, and going on.
//!
//! A run stands still for two reasons that know nothing of one another: somebody suspended our
//! process, or somebody asked the run to pause. It goes on when neither holds. A process that is
//! suspended does nothing anyway; one that was asked to pause goes on listening, so whatever would
//! bring the run forward is kept until it goes on.

use super::clock::Now;
use super::driver::{Machine, Phase};
use super::effect::{Effect, Push};
use super::input::Input;
use crate::event::EventKind;

/// Why a run stands still, and what has happened since.
#[derive(Debug, Clone, Default)]
pub(super) struct Pausing {
    /// Somebody asked for it.
    asked: bool,
    /// Our own process is suspended, or about to be.
    suspended: bool,
    /// What happened meanwhile, or before the first event, in order.
    kept: Vec<Input>,
    /// Limits were changed meanwhile.
    limits_changed: bool,
}

/// What is done about an input while a run stands still because somebody asked for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Meanwhile {
    /// It changes nothing about where the run stands, or it is what ends the pause.
    Handle,
    /// It would bring the run forward.
    Keep,
    /// It says only that time passes, which it does not.
    Drop,
}

impl Machine {
    /// Takes an input in, or keeps it while the run stands still because somebody asked for that.
    pub(super) fn take_in(&mut self, now: Now, input: Input) {
        match meanwhile(&input) {
            Meanwhile::Keep if self.pausing.asked && self.phase != Phase::Over => {
                self.pausing.kept.push(input);
            }
            Meanwhile::Drop if self.pausing.asked => {}
            Meanwhile::Handle | Meanwhile::Keep | Meanwhile::Drop => self.act_on(now, input),
        }
    }

    /// Keeps something that comes before the first event.
    pub(super) fn keep(&mut self, input: Input) {
        self.pausing.kept.push(input);
    }

    /// Handles what was kept, in order.
    pub(super) fn handle_kept(&mut self, now: Now) {
        for input in std::mem::take(&mut self.pausing.kept) {
            self.take_in(now, input);
        }
    }

    /// Whether the run stands still because somebody asked for it.
    pub(super) const fn was_asked_to_pause(&self) -> bool {
        self.pausing.asked
    }

    /// Limits were changed; what follows from that is seen to when the run goes on.
    pub(super) const fn note_changed_limits(&mut self) {
        self.pausing.limits_changed = true;
    }

    /// Somebody suspends us.
    pub(super) fn suspend(&mut self, now: Now) {
        if std::mem::replace(&mut self.pausing.suspended, true) {
            return;
        }
        self.stand_still(now);
        self.effects.push(Effect::StopOurselves);
    }

    /// Somebody has our process go on.
    pub(super) fn go_on_after_suspension(&mut self, now: Now) {
        self.pausing.suspended = false;
        self.move_again(now);
    }

    /// Somebody asks us to stand still.
    pub(super) fn pause(&mut self, now: Now) {
        self.pausing.asked = true;
        self.stand_still(now);
    }

    /// Ends a pause that somebody asked for, and catches up with what has happened meanwhile.
    pub(super) fn go_on_after_pause(&mut self, now: Now) {
        if self.stop_pausing(now) {
            self.catch_up(now);
        }
    }

    /// Ends a pause that somebody asked for; false if there is none. What has happened meanwhile is
    /// still to be handled.
    pub(super) fn stop_pausing(&mut self, now: Now) -> bool {
        let was_asked = std::mem::replace(&mut self.pausing.asked, false);
        if was_asked {
            // Whoever is heard by us speaks to a process that is not suspended any more.
            self.pausing.suspended = false;
            self.move_again(now);
        }
        was_asked
    }

    /// Handles what has happened during a pause that is over.
    pub(super) fn catch_up(&mut self, now: Now) {
        self.handle_kept(now);
        if std::mem::take(&mut self.pausing.limits_changed) {
            self.hold_to_limits(now);
        }
    }

    fn stand_still(&mut self, now: Now) {
        if self.clock.is_paused() {
            return;
        }
        self.emit(now, EventKind::Paused);
        self.clock.pause(now);
        self.push(Push::Stop);
    }

    /// Goes on, if there is no reason left to stand still.
    fn move_again(&mut self, now: Now) {
        if self.pausing.asked || self.pausing.suspended || !self.clock.is_paused() {
            return;
        }
        self.clock.go_on(now);
        self.push(Push::Continue);
        self.emit(now, EventKind::Continued);
        self.begin_idle_anew(now);
        self.look_at_calendar(now);
    }

    /// The agent at work stood still, with the run or with the whole machine. Whatever it waited for
    /// may have to be asked for again.
    pub(super) fn begin_idle_anew(&mut self, now: Now) {
        let elapsed = self.clock.elapsed(now);
        if let Phase::Working(unit) = &mut self.phase {
            unit.begin_idle_anew(elapsed);
        }
    }

    fn push(&mut self, push: Push) {
        if let Phase::Working(unit) = &self.phase {
            self.effects.push(Effect::Push { unit: unit.id, push });
        } else if let Some(job) = self.phase.job() {
            self.effects.push(Effect::PushErrand { errand: job.errand, push });
        }
    }

    /// What is at work was about to be started when the run was paused, and runs now.
    pub(super) fn stop_what_was_started(&mut self) {
        if self.pausing.asked {
            self.push(Push::Stop);
        }
    }
}

const fn meanwhile(input: &Input) -> Meanwhile {
    match input {
        Input::Begin
        | Input::Started { .. }
        | Input::ErrandStarted { .. }
        | Input::Cancel(_)
        | Input::Asked { .. }
        | Input::Pause
        | Input::Continue
        | Input::Slept(_)
        | Input::Noticed(_) => Meanwhile::Handle,
        Input::Tick => Meanwhile::Drop,
        Input::Looked { .. }
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
        | Input::LookedAfter { .. }
        | Input::Probed { .. }
        | Input::RoomPrepared { .. }
        | Input::ErrandExited { .. }
        | Input::ErrandGone { .. }
        | Input::ErrandSettled { .. }
        | Input::Surveyed { .. }
        | Input::TasksTold { .. } => Meanwhile::Keep,
    }
}
