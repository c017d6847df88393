//! The channel to the screens.

use std::sync::mpsc::SyncSender;

use crate::msg::Msg;

/// The receiver of messages is gone.
#[derive(Debug, Clone, Copy)]
pub(super) struct MessagesClosed;

/// The channel to the screens.
pub(super) struct MessageSender {
    messages: SyncSender<Msg>,
    wake: Box<dyn Fn() + Send>,
}

impl MessageSender {
    pub(super) fn new(messages: SyncSender<Msg>, wake: impl Fn() + Send + 'static) -> Self {
        Self { messages, wake: Box::new(wake) }
    }

    /// Sends a message and blocks while the queue is full.
    pub(super) fn send(&self, message: Msg) -> Result<(), MessagesClosed> {
        // If the queue is full, the receiver was already woken for it and will empty it.
        self.messages.send(message).map_err(|_| MessagesClosed)?;
        (self.wake)();
        Ok(())
    }
}
