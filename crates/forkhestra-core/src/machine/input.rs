//! What can be told to the machine.

use std::time::Duration;

use crate::control::Request;
use crate::cost::{Spend, UnusableFigure};
use crate::event::{
    AgentEnd, Answer, Cancel, Errand, Fingerprint, Heard, Outcome, OutputSummary, Sight, Sighting,
    Stamp, TaskChanges, Work,
};
use crate::id::UnitId;
use crate::policy::{Probe, TaskWork};

/// Something that happened around the machine.
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    /// Begin, or go on after a resume. The first input, once.
    Begin,
    /// The answer to [`Effect::Look`](super::Effect::Look) before a step.
    Looked {
        /// The step.
        step: usize,
        /// What was there.
        sight: Sight,
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
        sighting: Sighting,
    },
    /// Its stream says that it is through, and should go. What it says about its work may still
    /// change if it goes on after all.
    Concluded {
        /// Which one.
        unit: UnitId,
        /// The marker in its last message, if it is one that counts.
        sighting: Option<Sighting>,
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
        outcome: Outcome,
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
        sighting: Option<Sighting>,
        /// What was there afterwards, as far as that can be seen at once.
        sight: Sight,
        /// Whether there is more to see, which takes a while and has to be asked for.
        is_more: bool,
        /// What its stream told, if it is one that we understand.
        heard: Option<Heard>,
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
    LookedAfter {
        /// Whose work was looked at.
        unit: UnitId,
        /// What was there.
        sight: Sight,
    },
    /// The answer to [`Effect::Probe`](super::Effect::Probe).
    Probed {
        /// Whose.
        unit: UnitId,
        /// What was seen.
        sample: Sample,
    },
    /// The answer to [`Effect::PrepareRoom`](super::Effect::PrepareRoom).
    RoomPrepared {
        /// Whose.
        unit: UnitId,
        /// Why there is none; none if there is one.
        failure: Option<RoomFailure>,
    },
    /// An errand runs.
    ErrandStarted {
        /// Which one.
        errand: Errand,
        /// Its process.
        pid: u32,
    },
    /// The errand's own process has ended, or could not be started.
    ErrandExited {
        /// Which one.
        errand: Errand,
        /// How.
        end: AgentEnd,
    },
    /// No process that the errand started is left.
    ErrandGone {
        /// Whose.
        errand: Errand,
    },
    /// Nothing of the errand is left, and all it printed has been read.
    ErrandSettled {
        /// Which one.
        errand: Errand,
        /// What it came to.
        answer: Answer,
    },
    /// The answer to [`Effect::Survey`](super::Effect::Survey).
    Surveyed {
        /// The step.
        step: usize,
        /// What was made; none if nobody can tell.
        work: Option<Work>,
    },
    /// The answer to [`Effect::AskTasks`](super::Effect::AskTasks).
    TasksTold {
        /// The step.
        step: usize,
        /// What was found.
        work: TaskWork,
    },
    /// It is late enough for the machine's deadline.
    Tick,
    /// Somebody wants the run to end.
    Cancel(Cancel),
    /// A person asks for something, and waits for an answer.
    Asked {
        /// Whom to answer, as the caller counts them.
        ticket: u64,
        /// For what.
        request: Request,
    },
    /// Stand still, and our own process too.
    Pause,
    /// Go on.
    Continue,
    /// The whole machine was asleep for so long.
    Slept(Duration),
    /// Something a person should know happened, such as a log that cannot be written.
    Noticed(String),
}

/// Why there is no clean room.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RoomFailure {
    /// Of something that the next agent can do something about, such as to commit what it made.
    OfTheWork(String),
    /// Of something that no agent can do anything about, such as a full disk.
    OfTheMachine(String),
}

/// What was seen of a running agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sample {
    /// Signs of life.
    pub probe: Probe,
    /// The done file, if the step has one and it is there.
    pub done_file: Option<Stamp>,
}
