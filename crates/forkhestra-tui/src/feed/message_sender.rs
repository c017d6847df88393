//! Where messages for the screens go.

use std::sync::mpsc::SyncSender;

use crate::msg::Msg;

/// Nobody takes in messages any more.
#[derive(Debug, Clone, Copy)]
pub(super) struct MessagesClosed;

/// Where messages for the screens go.
pub(super) struct MessageSender {
    messages: SyncSender<Msg>,
    wake: Box<dyn Fn() + Send>,
}

impl MessageSender {
    pub(super) fn new(messages: SyncSender<Msg>, wake: impl Fn() + Send + 'static) -> Self {
        Self { messages, wake: Box::new(wake) }
    }

    /// Tells something, and waits while too much of that was not taken in.
    pub(super) fn send(&self, message: Msg) -> Result<(), MessagesClosed> {
        // Whoever is asleep with a full queue has been woken for it, and empties it.
        self.messages.send(message).map_err(|_| MessagesClosed)?;
        (self.wake)();
        Ok(())
    }
}
