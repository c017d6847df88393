//! A queue that hands events to a thread which takes them in batches.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use forkhestra_core::event::Event;

/// Events that wait for the consumer. The producer wakes the consumer only if it sleeps, because
/// waking costs more than queueing.
#[derive(Default)]
pub(super) struct EventQueue {
    state: Mutex<EventQueueState>,
    changed: Condvar,
}

#[derive(Default)]
struct EventQueueState {
    events: Vec<Event>,
    /// No more events will follow.
    is_over: bool,
    /// The consumer waits for the first event.
    is_asleep: bool,
}

/// A batch of events.
pub(super) struct QueuedEvents {
    pub(super) events: Vec<Event>,
    /// No more events will follow.
    pub(super) is_over: bool,
}

impl EventQueue {
    /// Appends an event.
    pub(super) fn put(&self, event: &Event) {
        let mut state = self.state();
        state.events.push(event.clone());
        if std::mem::take(&mut state.is_asleep) {
            self.changed.notify_all();
        }
    }

    /// Marks the end of the queue.
    pub(super) fn close(&self) {
        self.state().is_over = true;
        self.changed.notify_all();
    }

    /// Waits until there is an event and `due` has passed, then takes all queued events. The end of
    /// the queue is returned at once.
    pub(super) fn take(&self, due: Instant) -> QueuedEvents {
        let mut state = self.state();
        while state.events.is_empty() && !state.is_over {
            state.is_asleep = true;
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        loop {
            let left = due.saturating_duration_since(Instant::now());
            if state.is_over || left.is_zero() {
                let events = std::mem::take(&mut state.events);
                return QueuedEvents { events, is_over: state.is_over };
            }
            let waited = self.changed.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn state(&self) -> MutexGuard<'_, EventQueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
