//! What the engine's own threads tell the loop.

use std::path::PathBuf;
use std::sync::mpsc;

use forkhestra_core::event::{AuxJob, AuxJobResult, Observation, TaskChanges, WorkSummary};
use forkhestra_core::id::UnitId;
use forkhestra_core::machine::CleanRoomFailure;
use forkhestra_core::policy::TaskWork;

use crate::output;
use crate::signal::LoopWaker;
use crate::work_tree::observer::ObservationSubject;

/// Something a thread has to say.
#[derive(Debug)]
pub(crate) enum LoopMessage {
    /// A pump.
    Output(output::PumpMessage),
    /// Whoever looks at work trees.
    Observed { about: ObservationSubject, sight: Observation },
    /// What an agent changed in the task database. Sent before what was looked at.
    TasksChanged { unit: UnitId, changes: TaskChanges },
    /// An agent that is to be recorded can be started.
    RecordingBegun { unit: UnitId },
    /// Something a person should know.
    OperatorNotice(String),
    /// What an errand came to that is no process.
    AuxJobResultReady { errand: AuxJob, answer: AuxJobResult },
    /// There is a clean room, where checks are to run, or there is none.
    CleanRoomPrepared { unit: UnitId, room: Result<PathBuf, CleanRoomFailure> },
    /// How it stands with the tasks.
    TasksPolled { step: usize, work: TaskWork },
    /// What was made in a step, if anybody can tell.
    WorkSurveyed { step: usize, work: Option<WorkSummary> },
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

    /// Sends a message. When the loop is gone there is nobody left to tell.
    pub(crate) fn send(&self, message: LoopMessage) {
        let _ = self.messages.send(message);
        self.waker.wake();
    }
}
