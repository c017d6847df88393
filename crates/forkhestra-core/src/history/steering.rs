//! Operator requests to a run.

use serde::Serialize;

use crate::event::{CancelCause, Event, EventKind, WaitCause};
use crate::id::UnitId;
use crate::machine::RunState;
use crate::time::Timestamp;

/// Operator requests to a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SteeringHistory {
    /// Since when it is paused.
    pub paused: Option<Timestamp>,
    /// Since when a stop after the current iteration is requested.
    pub stop_requested: Option<Timestamp>,
    /// All operator messages, in order.
    pub messages: Vec<MessageRecord>,
    /// The most urgent cause for which it is being cancelled.
    pub cancelled: Option<CancelCause>,
    /// Whether the last cancellation insists on an earlier one.
    pub cancel_repeated: bool,
}

/// An operator message and its delivery.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MessageRecord {
    /// Its one-based number in the run.
    pub number: u32,
    pub text: String,
    pub at: Timestamp,
    /// The agent that got it; none while it waits, also if that agent had no outcome.
    pub given: Option<UnitId>,
}

/// A wait before the next iteration of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PendingWait {
    pub step: usize,
    pub reason: WaitReason,
    /// The end of the wait. A pause or sleep postpones it if the wait is a backoff.
    pub until: Timestamp,
}

/// The reason for a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaitReason {
    /// The agent's provider or account.
    Provider(WaitCause),
    /// The backoff after consecutive crashes.
    Backoff { crashes: u32 },
}

impl SteeringHistory {
    /// Folds an event that the state has accepted.
    pub(super) fn apply(&mut self, event: &Event, state: &RunState) {
        match &event.kind {
            EventKind::Paused => self.paused = Some(event.at),
            EventKind::Continued => self.paused = None,
            EventKind::StopRequested => self.stop_requested = Some(event.at),
            EventKind::MessageQueued { message } => self.messages.push(MessageRecord {
                number: message.number,
                text: message.text.clone(),
                at: event.at,
                given: None,
            }),
            EventKind::MessagesGiven { unit, .. } => self.note_given(*unit, state),
            EventKind::IterationFinished { .. } => self.requeue_messages(state),
            EventKind::Cancelled { by } => {
                self.cancel_repeated = by.is_urgent_after(self.cancelled);
                self.cancelled = self.cancelled.max(Some(*by));
            }
            EventKind::RunResumed { .. } => {
                (self.paused, self.stop_requested) = (None, None);
                (self.cancelled, self.cancel_repeated) = (None, false);
                self.requeue_messages(state);
            }
            EventKind::RunFinished { .. } => self.paused = None,
            _ => {}
        }
    }

    fn note_given(&mut self, unit: UnitId, state: &RunState) {
        for given in state.step(unit.step).iter().flat_map(|step| &step.given) {
            self.set(given.number, Some(unit));
        }
    }

    /// Marks messages as waiting again whose agent had no outcome.
    fn requeue_messages(&mut self, state: &RunState) {
        state.messages.iter().for_each(|message| self.set(message.number, None));
    }

    fn set(&mut self, number: u32, given: Option<UnitId>) {
        let mut latest = self.messages.iter_mut().rev();
        if let Some(record) = latest.find(|record| record.number == number) {
            record.given = given;
        }
    }
}
