//! What can be told to the machine.

use std::time::Duration;

use crate::control::ControlRequest;
use crate::cost::{Spend, UnusableFigure};
use crate::event::{
    AgentEnd, AgentOutcome, AuxJob, AuxJobResult, CancelCause, FileStamp, Fingerprint, MarkerMatch,
    Observation, OutputSummary, StreamSummary, TaskChanges, WorkSummary,
};
use crate::id::UnitId;
use crate::policy::{LivenessProbe, TaskWork};

/// Something that happened around the machine.
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    /// Begin, or go on after a resume. The first input, once.
    Begin,
    /// The answer to [`Effect::ChildrenState`](super::Effect::ChildrenState) before a step.
    Observed {
        /// The step.
        step: usize,
        /// What was there.
        sight: Observation,
    },
    /// The agent runs.
    Started {
        /// Which one.
        unit: UnitId,
        /// Its process.
        pid: u32,
        /// Tells the prompt it was given from others; none if it was given none.
        prompt: Option<Fingerprint>,
    },
    /// A line of its output is a marker.
    Marker {
        /// Whose.
        unit: UnitId,
        /// Which, and where.
        sighting: MarkerMatch,
    },
    /// Its stream says that it is through, and should go. What it says about its work may still
    /// change if it goes on after all.
    Concluded {
        /// Which one.
        unit: UnitId,
        /// The marker in its last message, if it is one that counts.
        sighting: Option<MarkerMatch>,
    },
    /// Its stream goes on after it had said that it is through.
    WentOn {
        /// Which one.
        unit: UnitId,
    },
    /// It has spent more.
    Spent {
        /// Which one.
        unit: UnitId,
        /// What it has spent since it was started, all in all.
        spend: Spend,
    },
    /// It reported a figure of what it spent that cannot be right. Sent once for each agent process.
    UnusableFigure {
        /// Which one.
        unit: UnitId,
        /// The figure.
        figure: UnusableFigure,
    },
    /// Its stream says that nothing will come of it, although it does not go.
    Futile {
        /// Which one.
        unit: UnitId,
        /// Why.
        outcome: AgentOutcome,
    },
    /// The agent's own process has ended, or could not be started.
    Exited {
        /// Which one.
        unit: UnitId,
        /// How.
        end: AgentEnd,
    },
    /// No process that the agent started is left.
    Gone {
        /// Whose.
        unit: UnitId,
    },
    /// Nothing of the agent is left, and all it printed has been read.
    Settled {
        /// Which one.
        unit: UnitId,
        /// What it printed.
        output: OutputSummary,
        /// The marker, which may be known only now that the output is over.
        sighting: Option<MarkerMatch>,
        /// What was there afterwards, as far as that can be seen at once.
        sight: Observation,
        /// Whether there is more to see, which takes a while and has to be asked for.
        is_more: bool,
        /// What its stream told, if it is one that we understand.
        heard: Option<StreamSummary>,
    },
    /// What an agent changed in the task database. Comes before the answer to
    /// [`Effect::LookAfter`](super::Effect::LookAfter), or after
    /// [`Effect::CompareTasks`](super::Effect::CompareTasks), if at all.
    TasksChanged {
        /// Which agent.
        unit: UnitId,
        /// What changed.
        changes: TaskChanges,
    },
    /// The answer to [`Effect::LookAfter`](super::Effect::LookAfter).
    WorkObserved {
        /// Whose work was looked at.
        unit: UnitId,
        /// What was there.
        sight: Observation,
    },
    /// The answer to [`Effect::LivenessProbe`](super::Effect::LivenessProbe).
    Probed {
        /// Whose.
        unit: UnitId,
        /// What was seen.
        sample: AgentSample,
    },
    /// The answer to [`Effect::PrepareRoom`](super::Effect::PrepareRoom).
    CleanRoomPrepared {
        /// Whose.
        unit: UnitId,
        /// Why there is none; none if there is one.
        failure: Option<CleanRoomFailure>,
    },
    /// An errand runs.
    AuxJobStarted {
        /// Which one.
        errand: AuxJob,
        /// Its process.
        pid: u32,
    },
    /// The errand's own process has ended, or could not be started.
    AuxJobExited {
        /// Which one.
        errand: AuxJob,
        /// How.
        end: AgentEnd,
    },
    /// No process that the errand started is left.
    AuxJobGone {
        /// Whose.
        errand: AuxJob,
    },
    /// Nothing of the errand is left, and all it printed has been read.
    AuxJobSettled {
        /// Which one.
        errand: AuxJob,
        /// What it came to.
        answer: AuxJobResult,
    },
    /// The answer to [`Effect::Survey`](super::Effect::Survey).
    WorkSurveyed {
        /// The step.
        step: usize,
        /// What was made; none if nobody can tell.
        work: Option<WorkSummary>,
    },
    /// The answer to [`Effect::AskTasks`](super::Effect::AskTasks).
    TasksPolled {
        /// The step.
        step: usize,
        /// What was found.
        work: TaskWork,
    },
    /// It is late enough for the machine's deadline.
    Tick,
    /// Somebody wants the run to end.
    Cancel(CancelCause),
    /// A person asks for something, and waits for an answer.
    ControlRequested {
        /// Whom to answer, as the caller counts them.
        ticket: u64,
        /// For what.
        request: ControlRequest,
    },
    /// Stand still, and our own process too.
    Pause,
    /// Go on.
    Continue,
    /// The whole machine was asleep for so long.
    Slept(Duration),
    /// Something a person should know happened, such as a log that cannot be written.
    OperatorNotice(String),
}

/// Why there is no clean room.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CleanRoomFailure {
    /// Of something that the next agent can do something about, such as to commit what it made.
    Work(String),
    /// Of something that no agent can do anything about, such as a full disk.
    Machine(String),
}

/// What was seen of a running agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentSample {
    /// Signs of life.
    pub probe: LivenessProbe,
    /// The done file, if the step has one and it is there.
    pub done_file: Option<FileStamp>,
}
