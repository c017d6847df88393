//! What the engine's own threads tell the loop.

use std::sync::mpsc;

use forkhestra_core::event::Sight;

use crate::look::About;
use crate::output;
use crate::signal::Waker;

/// Something a thread has to say.
#[derive(Debug)]
pub(crate) enum Message {
    /// A pump.
    Output(output::Message),
    /// Whoever looks at work trees.
    Looked {
        about: About,
        sight: Sight,
        /// Why something could not be seen.
        notice: Option<String>,
    },
}

/// Sends messages to the loop and wakes it.
#[derive(Debug, Clone)]
pub(crate) struct Sender {
    messages: mpsc::Sender<Message>,
    waker: Waker,
}

impl Sender {
    pub(crate) const fn new(messages: mpsc::Sender<Message>, waker: Waker) -> Self {
        Self { messages, waker }
    }

    /// Sends a message. When the loop is gone there is nobody left to tell.
    pub(crate) fn send(&self, message: Message) {
        let _ = self.messages.send(message);
        self.waker.wake();
    }
}
