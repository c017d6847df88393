//! Messages from the engine's threads to the loop.

use std::path::PathBuf;
use std::sync::mpsc;

use forkhestra_core::event::{AuxJob, AuxJobResult};
use forkhestra_core::id::UnitId;
use forkhestra_core::machine::{CleanRoomFailure, Input};

use crate::output;
use crate::signal::LoopWaker;

/// A message from a thread to the loop.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "few messages wait at the same time")]
pub(crate) enum LoopMessage {
    /// An input that goes to the machine as it is.
    Input(Input),
    Output(output::PumpMessage),
    /// The recording is prepared, and the agent can be started.
    RecordingBegun {
        unit: UnitId,
    },
    /// The result of an aux job that ran in a thread.
    AuxJobResultReady {
        aux_job: AuxJob,
        answer: AuxJobResult,
    },
    /// The result of preparing a clean room.
    CleanRoomPrepared {
        unit: UnitId,
        room: Result<PathBuf, CleanRoomFailure>,
    },
}

/// Sends messages to the loop and wakes it.
#[derive(Debug, Clone)]
pub(crate) struct LoopSender {
    messages: mpsc::Sender<LoopMessage>,
    waker: LoopWaker,
}

impl LoopSender {
    pub(crate) const fn new(messages: mpsc::Sender<LoopMessage>, waker: LoopWaker) -> Self {
        Self { messages, waker }
    }

    /// Sends a message. It is dropped if the loop has ended.
    pub(crate) fn send(&self, message: LoopMessage) {
        let _ = self.messages.send(message);
        self.waker.wake();
    }
}
