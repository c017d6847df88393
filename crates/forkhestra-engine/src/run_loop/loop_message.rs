//! Messages from the engine's threads to the loop.

use std::path::PathBuf;
use std::sync::mpsc;

use forkhestra_core::event::{AuxJob, AuxJobResult, Observation, TaskChanges, WorkSummary};
use forkhestra_core::id::UnitId;
use forkhestra_core::machine::CleanRoomFailure;
use forkhestra_core::policy::TaskWork;

use crate::output;
use crate::signal::LoopWaker;
use crate::work_tree::observer::ObservationSubject;

/// A message from a thread to the loop.
#[derive(Debug)]
pub(crate) enum LoopMessage {
    Output(output::PumpMessage),
    /// The result of an observation of the work tree.
    Observed {
        about: ObservationSubject,
        sight: Observation,
    },
    /// The changes of an agent to the task database. Sent before the observation.
    TasksChanged {
        unit: UnitId,
        changes: TaskChanges,
    },
    /// The recording is prepared, and the agent can be started.
    RecordingBegun {
        unit: UnitId,
    },
    /// A notice for the operator.
    OperatorNotice(String),
    /// The result of an aux job that ran in a thread.
    AuxJobResultReady {
        errand: AuxJob,
        answer: AuxJobResult,
    },
    /// The result of preparing a clean room.
    CleanRoomPrepared {
        unit: UnitId,
        room: Result<PathBuf, CleanRoomFailure>,
    },
    /// The result of a task poll.
    TasksPolled {
        step: usize,
        work: TaskWork,
    },
    /// The work of a step, if it can be determined.
    WorkSurveyed {
        step: usize,
        work: Option<WorkSummary>,
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
