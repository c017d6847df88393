//! Effects: what the engine has to do for the machine.

use crate::control::ControlReply;
use crate::event::{AuxJob, Event};
use crate::id::UnitId;
use crate::machine::lanes::lanes_effect::{LanesEffect, Workplace};

/// An action for the engine to perform.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Record the event, then show it. No later effect may be performed before it is recorded.
    Emit(Box<Event>),
    /// Observe what the rules of a step need; answered by `Observed`.
    Observe { step: usize },
    /// Query the task database for work for a step; answered by `TasksPolled`.
    PollTasks { step: usize },
    /// Observe an agent's work as far as the rules of its step need it; answered by `WorkObserved`.
    ObserveWork { unit: UnitId },
    /// Start the agent; answered by `Started`, or by `Exited` if it cannot be started.
    Spawn { unit: UnitId },
    /// Signal all processes of the agent.
    SignalAgent { unit: UnitId, signal: ProcessSignal },
    /// Probe the agent's liveness and its done file; answered by `Probed`.
    Probe { unit: UnitId },
    /// Stop waiting for this agent: its processes cannot be ended or its output cannot be read.
    AbandonAgent { unit: UnitId },
    /// Prepare a clean room for the checks of an iteration; answered by `CleanRoomPrepared`.
    PrepareCleanRoom { unit: UnitId },
    /// Remove the clean room. The machine does not wait for it.
    ClearCleanRoom { unit: UnitId },
    /// Run an aux job; answered by `AuxJobStarted` if it takes a process, and finally by
    /// `AuxJobSettled`.
    RunAuxJob { aux_job: AuxJob },
    /// Signal all processes of the aux job.
    SignalAuxJob { aux_job: AuxJob, signal: ProcessSignal },
    /// Stop waiting for this aux job: its processes cannot be ended or its output cannot be read.
    AbandonAuxJob { aux_job: AuxJob },
    /// Release the tasks that an agent left claimed, and compare the task database with its state
    /// before that agent. Answered by `TasksChanged` if something changed.
    CompareTasks { unit: UnitId },
    /// Summarize what the agents of a step changed in the repository; answered by `WorkSurveyed`.
    SurveyWork { step: usize },
    /// Answer a control request. Its consequences have been recorded before.
    Reply { ticket: u64, reply: ControlReply },
    /// Suspend the own process, after all children are stopped.
    SuspendSelf,
    /// Perform an effect in another place than the user's work tree. Its answer comes as [`Input::At`](super::Input::At).
    At { place: Workplace, effect: Box<Effect> },
    /// Do something for lanes; answered by [`Input::Lanes`](super::Input::Lanes).
    Lanes(LanesEffect),
}

/// A signal for processes, from the mildest to the strongest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProcessSignal {
    /// SIGCONT.
    Continue,
    /// SIGSTOP.
    Suspend,
    /// SIGHUP.
    Hangup,
    /// SIGINT.
    Interrupt,
    /// SIGTERM.
    Terminate,
    /// SIGKILL.
    Kill,
}
