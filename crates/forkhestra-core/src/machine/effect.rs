//! What the machine wants done.

use crate::control::ControlReply;
use crate::event::{AuxJob, Event};
use crate::id::UnitId;

/// Something to do.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Record the event, then show it. Nothing behind it may be done before it is recorded.
    Emit(Box<Event>),
    /// Look at what the rules of a step ask for, and answer with `RepositoryObservation`.
    Observe {
        /// The step.
        step: usize,
    },
    /// See whether the task database has anything to do for a step, and answer with `TasksTold`.
    PollTasks {
        /// The step.
        step: usize,
    },
    /// Look at what an agent left, as far as the rules of its step ask for it, and answer with
    /// `LookedAfter`.
    ObserveWork {
        /// Which one.
        unit: UnitId,
    },
    /// Start the agent, and answer with `Started`, or with `Exited` if it cannot be started.
    Spawn {
        /// Which one.
        unit: UnitId,
    },
    /// Send a signal to everything the agent started.
    SignalAgent {
        /// Whose.
        unit: UnitId,
        /// What to send.
        push: ProcessSignal,
    },
    /// Look for signs of life and for the done file, and answer with `Probed`.
    Probe {
        /// Whose.
        unit: UnitId,
    },
    /// Stop waiting for this unit: what is left of it can neither be ended nor read.
    AbandonAgent {
        /// Which one.
        unit: UnitId,
    },
    /// Make a clean room for the checks of an iteration, and answer with `RoomPrepared`.
    PrepareCleanRoom {
        /// Whose.
        unit: UnitId,
    },
    /// Take the clean room away; nobody waits for that.
    ClearCleanRoom {
        /// Whose.
        unit: UnitId,
    },
    /// Run an errand, and answer with `ErrandStarted` if that takes a process, and in the end with
    /// `ErrandSettled`.
    RunAuxJob {
        /// Which one.
        errand: AuxJob,
    },
    /// Send a signal to everything the errand started.
    SignalAuxJob {
        /// Whose.
        errand: AuxJob,
        /// What to send.
        push: ProcessSignal,
    },
    /// Stop waiting for this errand: what is left of it can neither be ended nor read.
    AbandonAuxJob {
        /// Which one.
        errand: AuxJob,
    },
    /// Give back the tasks that an agent has left, and compare the task database with its state before
    /// that agent. Answer with `TasksChanged` if something changed.
    CompareTasks {
        /// Which agent.
        unit: UnitId,
    },
    /// See what the agents of a step made of the repository, and answer with `Surveyed`.
    SurveyWork {
        /// The step.
        step: usize,
    },
    /// Answer whoever asked. What comes of the request has been recorded before.
    Reply {
        /// Whom to answer.
        ticket: u64,
        /// What.
        reply: ControlReply,
    },
    /// Stop our own process, now that everything stands still.
    SuspendSelf,
}

/// What is sent to processes, from the mildest to the strongest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProcessSignal {
    /// SIGCONT: go on.
    Continue,
    /// SIGSTOP: stand still.
    Stop,
    /// SIGHUP.
    Hangup,
    /// SIGINT.
    Interrupt,
    /// SIGTERM.
    Terminate,
    /// SIGKILL.
    Kill,
}
