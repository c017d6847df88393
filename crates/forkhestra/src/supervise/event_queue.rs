//! Events on their way to somebody who takes them when it suits.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use forkhestra_core::event::Event;

/// Events that wait. Whoever puts one there hardly ever has to wake anybody, which would cost more
/// than everything else that is done with it.
#[derive(Default)]
pub(super) struct EventQueue {
    state: Mutex<EventQueueState>,
    changed: Condvar,
}

#[derive(Default)]
struct EventQueueState {
    events: Vec<Event>,
    /// Nothing more will come.
    is_over: bool,
    /// Somebody sleeps until something comes.
    is_asleep: bool,
}

/// What was taken.
pub(super) struct QueuedEvents {
    pub(super) events: Vec<Event>,
    /// Nothing more will come.
    pub(super) is_over: bool,
}

impl EventQueue {
    /// Puts an event at the end.
    pub(super) fn put(&self, event: &Event) {
        let mut state = self.state();
        state.events.push(event.clone());
        if std::mem::take(&mut state.is_asleep) {
            self.changed.notify_all();
        }
    }

    /// Nothing more will come.
    pub(super) fn close(&self) {
        self.state().is_over = true;
        self.changed.notify_all();
    }

    /// Waits until there is something, and until it is due; what comes meanwhile is taken with it.
    /// The end is due at once.
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
