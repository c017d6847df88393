//! Where messages for the screens go.

use std::sync::mpsc::SyncSender;

use crate::msg::Msg;

/// Nobody takes in messages any more.
#[derive(Debug, Clone, Copy)]
pub(super) struct Closed;

/// Where messages for the screens go.
pub(super) struct Outlet {
    messages: SyncSender<Msg>,
    wake: Box<dyn Fn() + Send>,
}

impl Outlet {
    pub(super) fn new(messages: SyncSender<Msg>, wake: impl Fn() + Send + 'static) -> Self {
        Self { messages, wake: Box::new(wake) }
    }

    /// Tells something, and waits while too much of that was not taken in.
    pub(super) fn tell(&self, message: Msg) -> Result<(), Closed> {
        // Whoever is asleep with a full queue has been woken for it, and empties it.
        self.messages.send(message).map_err(|_| Closed)?;
        (self.wake)();
        Ok(())
    }
}
