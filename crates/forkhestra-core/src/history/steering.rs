//! What people asked of a run, and what it waits for.

use std::time::Duration;

use crate::event::{Event, EventKind, OutcomeClass};
use crate::id::UnitId;
use crate::machine::RunState;
use crate::time::Timestamp;

/// What people asked of a run while it went on, and what it waits for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SteeringHistory {
    /// Since when it stands still, if it does.
    pub paused: Option<Timestamp>,
    /// Since when somebody wants it to end after the iteration at work.
    pub stop_requested: Option<Timestamp>,
    /// Everything that somebody had to say to an agent, in order.
    pub messages: Vec<MessageRecord>,
    /// What the next iteration waits for, until it is begun.
    pub waiting: Option<PendingWait>,
}

/// Something that somebody had to say to an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageRecord {
    /// Its number in the run, from one.
    pub number: u32,
    /// What it says.
    pub text: String,
    /// When it was said.
    pub at: Timestamp,
    /// Which agent was told; none while it waits, also if nothing came of the one that was.
    pub given: Option<UnitId>,
}

/// What the next iteration of a step waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PendingWait {
    /// The step.
    pub step: usize,
    /// What for.
    pub what: WaitReason,
    /// Until when. A pause delays what is waited for because of crashes.
    pub until: Timestamp,
}

/// What a wait is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaitReason {
    /// The agent's provider: a usage limit or an overload.
    Provider(OutcomeClass),
    /// Better luck, after so many crashes in a row.
    Luck {
        /// How many.
        crashes: u32,
    },
}

impl SteeringHistory {
    /// Adds an event that the state has accepted.
    pub(super) fn apply(&mut self, event: &Event, state: &RunState) {
        match &event.kind {
            EventKind::Paused => self.paused = Some(event.at),
            EventKind::Continued => self.go_on(event.at),
            EventKind::StopRequested => self.stop_requested = Some(event.at),
            EventKind::MessageQueued { message } => self.messages.push(MessageRecord {
                number: message.number,
                text: message.text.clone(),
                at: event.at,
                given: None,
            }),
            EventKind::MessagesGiven { unit, .. } => self.note_given(*unit, state),
            EventKind::IterationFinished { .. } => self.take_back(state),
            EventKind::BackingOff { step, crashes, delay } => {
                let what = WaitReason::Luck { crashes: *crashes };
                self.wait(*step, what, event.at.saturating_add(*delay));
            }
            EventKind::Waiting { step, why, until } => {
                self.wait(*step, WaitReason::Provider(*why), *until);
            }
            EventKind::RunResumed { .. } => {
                (self.paused, self.stop_requested, self.waiting) = (None, None, None);
                self.take_back(state);
            }
            EventKind::StepStarted { .. }
            | EventKind::IterationStarted { .. }
            | EventKind::StepFinished { .. } => self.waiting = None,
            EventKind::RunFinished { .. } => (self.paused, self.waiting) = (None, None),
            _ => {}
        }
    }

    fn wait(&mut self, step: usize, what: WaitReason, until: Timestamp) {
        self.waiting = Some(PendingWait { step, what, until });
    }

    /// The clock of the run stood still, so that a wait on it takes so much longer.
    fn go_on(&mut self, now: Timestamp) {
        let Some(since) = self.paused.take() else { return };
        if let Some(PendingWait { what: WaitReason::Luck { .. }, until, .. }) = &mut self.waiting {
            let stood: Duration = now.saturating_since(since);
            *until = until.saturating_add(stood);
        }
    }

    fn note_given(&mut self, unit: UnitId, state: &RunState) {
        let step = unit.step.checked_sub(1).and_then(|index| state.steps.get(index));
        for given in step.iter().flat_map(|step| &step.given) {
            self.set(given.number, Some(unit));
        }
    }

    /// Nothing may have come of an agent that was told.
    fn take_back(&mut self, state: &RunState) {
        state.messages.iter().for_each(|message| self.set(message.number, None));
    }

    fn set(&mut self, number: u32, given: Option<UnitId>) {
        let mut latest = self.messages.iter_mut().rev();
        if let Some(record) = latest.find(|record| record.number == number) {
            record.given = given;
        }
    }
}
