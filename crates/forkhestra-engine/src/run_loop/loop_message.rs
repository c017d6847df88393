//! Messages from the engine's threads to the loop.

use std::path::PathBuf;
use std::sync::mpsc;

use forkhestra_core::event::{AuxJob, AuxJobResult};
use forkhestra_core::id::UnitId;
use forkhestra_core::machine::{CleanRoomFailure, Input, Workplace};

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

/// A message with the place that it is for; none for the user's own work tree.
#[derive(Debug)]
pub(crate) struct WorkplaceMessage {
    pub(crate) place: Option<Workplace>,
    pub(crate) message: LoopMessage,
}

/// Sends the messages of one place of work to the loop and wakes it.
#[derive(Debug, Clone)]
pub(crate) struct LoopSender {
    messages: mpsc::Sender<WorkplaceMessage>,
    waker: LoopWaker,
    place: Option<Workplace>,
}

impl LoopSender {
    /// The sender of the user's own work tree.
    pub(crate) const fn new(messages: mpsc::Sender<WorkplaceMessage>, waker: LoopWaker) -> Self {
        Self { messages, waker, place: None }
    }

    /// The sender of a place.
    pub(crate) fn of(&self, place: Option<Workplace>) -> Self {
        Self { place, ..self.clone() }
    }

    /// Sends a message. It is dropped if the loop has ended.
    pub(crate) fn send(&self, message: LoopMessage) {
        let _ = self.messages.send(WorkplaceMessage { place: self.place, message });
        self.waker.wake();
    }
}
