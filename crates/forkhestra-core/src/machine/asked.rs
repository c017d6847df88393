//! What people ask of a run that goes on, and what it answers.

use super::clock::Now;
use super::driver::{Machine, Phase};
use super::effect::Effect;
use super::hooking::Then;
use super::input::Input;
use super::state::RunState;
use crate::control::{
    Accepted, LONGEST_MESSAGE, MOST_MESSAGES, MOST_TOLD, MOST_WAITING, Refused, Reply, Request,
};
use crate::event::{Cancel, EventKind, LimitChanges, Message};
use crate::id::UnitId;
use crate::policy::{holds_marker, messages_in_words};

type Granted = Result<Accepted, Refused>;

impl Machine {
    /// Somebody asks for something. Whoever asks before the first event is answered after it.
    pub(super) fn asked(&mut self, now: Now, ticket: u64, request: Request) {
        if self.phase == Phase::New {
            self.keep(Input::Asked { ticket, request });
            return;
        }
        let reply = match self.grant(now, request) {
            Ok(accepted) => Reply::Accepted(accepted),
            Err(refused) => Reply::Refused(refused),
        };
        self.effects.push(Effect::Answer { ticket, reply });
    }

    fn grant(&mut self, now: Now, request: Request) -> Granted {
        if self.phase == Phase::Over {
            return Err(Refused::Over);
        }
        match request {
            Request::Stop => Ok(self.grant_stop(now)),
            Request::StopNow => {
                self.cancel(now, Cancel::StopNow);
                Ok(Accepted::Ends)
            }
            Request::Pause => self.grant_pause(now),
            Request::Continue => self.grant_continue(now),
            Request::Tell(text) => self.grant_message(now, &text),
            Request::Skip => self.grant_skip(now),
            Request::Set(changes) => self.grant_limits(now, changes),
        }
    }

    /// Whether the run was cancelled. One that was stopped after an iteration ends as well, but what
    /// is noted until then holds when it goes on.
    fn is_being_ended(&self) -> bool {
        self.cancelled > Some(Cancel::Stop)
    }

    /// Nothing is left to do.
    fn is_done(&self) -> bool {
        self.state.current_step().is_none()
    }

    fn grant_stop(&mut self, now: Now) -> Accepted {
        if self.is_being_ended() {
            return Accepted::Ends;
        }
        let after = self.iteration_at_work();
        if !self.state.stop_requested {
            self.emit(now, EventKind::StopRequested);
            self.stop_waiting(now);
        }
        Accepted::Stops { after }
    }

    /// The iteration at work, whose checks and hooks belong to it.
    fn iteration_at_work(&self) -> Option<UnitId> {
        match &self.phase {
            Phase::Working(unit) => Some(unit.id),
            Phase::Inspecting(inspection) => Some(inspection.unit),
            Phase::Hooking(hooking) => hooking.is_after(),
            _ => None,
        }
    }

    fn grant_pause(&mut self, now: Now) -> Granted {
        if self.cancelled.is_some() {
            return Err(Refused::Ending);
        }
        self.pause(now);
        Ok(Accepted::Paused)
    }

    fn grant_continue(&mut self, now: Now) -> Granted {
        if !self.was_asked_to_pause() {
            return Err(Refused::NotPaused);
        }
        self.go_on_after_pause(now);
        Ok(Accepted::Continued)
    }

    fn grant_message(&mut self, now: Now, text: &str) -> Granted {
        if self.is_being_ended() || self.is_done() {
            return Err(Refused::Ending);
        }
        let message = self.state.accept_message(&[], text)?;
        let number = message.number;
        self.emit(now, EventKind::MessageQueued { message });
        Ok(Accepted::Queued { number })
    }

    fn grant_skip(&mut self, now: Now) -> Granted {
        let is_finishing = matches!(&self.phase, Phase::Hooking(hooking) if matches!(hooking.then, Then::Finish(_)));
        let step = self.state.current_step().ok_or(Refused::Ending)?;
        if self.cancelled.is_some() || is_finishing {
            return Err(Refused::Ending);
        }
        if !self.state.steps[step - 1].skip {
            self.emit(now, EventKind::SkipRequested { step });
            self.skip(now, step);
        }
        Ok(Accepted::Skips { step })
    }

    fn grant_limits(&mut self, now: Now, changes: LimitChanges) -> Granted {
        if self.is_being_ended() || self.is_done() {
            return Err(Refused::Ending);
        }
        if changes == LimitChanges::default() {
            return Err(Refused::NoChange);
        }
        let steps = self.state.plan.steps.iter().zip(&self.state.steps);
        let mut left = steps.filter(|(_, state)| !state.is_behind());
        if changes.iterations.is_some() && !left.any(|(plan, _)| plan.iterations.is_some()) {
            return Err(Refused::NoLoop);
        }
        self.emit(now, EventKind::LimitsChanged { changes });
        if self.was_asked_to_pause() {
            self.note_changed_limits();
        } else {
            self.hold_to_limits(now);
        }
        Ok(Accepted::Changed)
    }
}

impl RunState {
    /// The message that a text becomes, behind those that are kept for a resume, or why it is refused.
    pub fn accept_message(&self, kept: &[Message], text: &str) -> Result<Message, Refused> {
        let text = text.trim_end();
        if text.is_empty() {
            return Err(Refused::EmptyMessage);
        }
        if text.len() > LONGEST_MESSAGE {
            return Err(Refused::LongMessage);
        }
        // Those that were given may come back, and all of them have to fit into one prompt.
        let waiting = || self.undelivered().chain(kept);
        let length: usize = waiting().map(|message| message.text.len()).sum();
        if waiting().count() >= MOST_MESSAGES || length + text.len() > MOST_WAITING {
            return Err(Refused::ManyMessages);
        }
        let last = kept.last().map_or(self.last_message(), |message| message.number);
        let message = Message { number: last.saturating_add(1), text: text.to_owned() };
        let together: Vec<Message> = waiting().chain([&message]).cloned().collect();
        if messages_in_words(&together).is_some_and(|told| told.len() > MOST_TOLD) {
            return Err(Refused::ManyMessages);
        }
        if self.seems_done(&message) {
            return Err(Refused::HoldsMarker);
        }
        Ok(message)
    }

    /// Whether an agent of a step that is left would seem to be done if it repeated a message.
    fn seems_done(&self, message: &Message) -> bool {
        let told = messages_in_words(std::slice::from_ref(message)).unwrap_or_default();
        let steps = self.plan.steps.iter().zip(&self.steps);
        let mut left = steps.filter(|(_, state)| !state.is_behind());
        left.any(|(step, _)| holds_marker(&told, &step.markers.value))
    }
}
