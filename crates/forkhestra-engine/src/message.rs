//! What the engine's own threads tell the loop.

use std::path::PathBuf;
use std::sync::mpsc;

use forkhestra_core::event::{Answer, Errand, Sight, TaskChanges, Work};
use forkhestra_core::id::UnitId;
use forkhestra_core::machine::RoomFailure;
use forkhestra_core::policy::TaskWork;

use crate::look::About;
use crate::output;
use crate::signal::Waker;

/// Something a thread has to say.
#[derive(Debug)]
pub(crate) enum Message {
    /// A pump.
    Output(output::Message),
    /// Whoever looks at work trees.
    Looked { about: About, sight: Sight },
    /// What an agent changed in the task database. Sent before what was looked at.
    TasksChanged { unit: UnitId, changes: TaskChanges },
    /// An agent that is to be recorded can be started.
    RecordingBegun { unit: UnitId },
    /// Something a person should know.
    Noticed(String),
    /// What an errand came to that is no process.
    Answered { errand: Errand, answer: Answer },
    /// There is a clean room, where checks are to run, or there is none.
    RoomPrepared { unit: UnitId, room: Result<PathBuf, RoomFailure> },
    /// How it stands with the tasks.
    TasksTold { step: usize, work: TaskWork },
    /// What was made in a step, if anybody can tell.
    Surveyed { step: usize, work: Option<Work> },
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
