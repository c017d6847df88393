//! What happens in a run. Events are facts: they are recorded first and acted upon afterwards, and
//! the state of a run is nothing but what its events add up to.

mod end;
mod errand;
mod message;
mod outcome;
mod report;
mod safety;
mod sight;
mod task_changes;

use std::time::Duration;

use crate::cost::Spend;
use crate::id::{RunId, UnitId};
use crate::plan::Plan;
use crate::time::Timestamp;

pub use crate::limit::LimitChanges;
pub use end::{AgentEnd, Cancel, Ending, RunEnd, StepEnd};
pub use errand::{Answer, CheckOutcome, CheckReport, Errand, HookReport, Moment};
pub use message::Message;
pub use outcome::{Activity, Heard, Outcome, OutcomeClass};
pub use report::{Completion, IterationReport, OutputSummary, Refusal, Sighting, Verdict};
pub use safety::Safety;
pub use sight::{Commit, Fingerprint, Paths, Sight, Signals, Snapshot, Stamp, Work};
pub use task_changes::{
    OpenTask, OpenTaskStatus, TaskChange, TaskChangeKind, TaskChanges, TaskCounts,
};

/// Something that happened.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// When it happened.
    pub at: Timestamp,
    /// How long the run had been running: awake, and not paused.
    pub elapsed: Duration,
    /// What happened.
    pub kind: EventKind,
}

/// What can happen.
#[derive(Debug, Clone, PartialEq)]
pub enum EventKind {
    /// A run began. Always the first event.
    RunStarted {
        /// Its name.
        run: RunId,
        /// What it is to do.
        plan: Box<Plan>,
        /// The version of the program.
        program: String,
    },
    /// A run that had ended or had been cut off goes on.
    RunResumed {
        /// Its name.
        run: RunId,
        /// Limits that are different from now on.
        changes: LimitChanges,
        /// The working directory from now on, if the project is not where it was.
        moved_to: Option<String>,
        /// The version of the program.
        program: String,
    },
    /// A step began.
    StepStarted {
        /// The step.
        step: usize,
        /// What was there before.
        sight: Sight,
    },
    /// An agent is about to be started: from here on it may have done something.
    IterationStarted {
        /// Which one.
        unit: UnitId,
    },
    /// An agent has been started.
    AgentStarted {
        /// Which one.
        unit: UnitId,
        /// Its process.
        pid: u32,
        /// Tells the prompt it was given from others; none if it was given none.
        prompt: Option<Fingerprint>,
    },
    /// An agent says that the work of its step is done.
    CompletionRequested {
        /// Which one.
        unit: UnitId,
        /// How it said so.
        by: Completion,
    },
    /// An agent has spent more.
    Spent {
        /// Which one.
        unit: UnitId,
        /// What it has spent since it was started, all in all.
        spend: Spend,
    },
    /// We began to end an agent.
    AgentEnding {
        /// Which one.
        unit: UnitId,
        /// Why.
        why: Ending,
    },
    /// An agent is gone, and everything it started; what it made is about to be looked at, or to be
    /// checked.
    AgentFinished {
        /// Which one.
        unit: UnitId,
        /// What comes of it if nothing that is seen stands against it, and every check passes.
        report: IterationReport,
    },
    /// What an agent that is gone changed in the task database. Emitted only if there is a database
    /// and something changed.
    TasksChanged {
        /// Which agent.
        unit: UnitId,
        /// What changed.
        changes: TaskChanges,
    },
    /// A check, a hook or the setup of a clean room has been started.
    ErrandStarted {
        /// Which one.
        errand: Errand,
        /// Its process.
        pid: u32,
    },
    /// A check is over.
    CheckFinished {
        /// Whose work was checked.
        unit: UnitId,
        /// What came of it.
        report: CheckReport,
    },
    /// A hook is over.
    HookFinished {
        /// What came of it.
        report: HookReport,
    },
    /// An iteration is over: its agent is gone, and what it made has been looked at and checked.
    IterationFinished {
        /// Which one.
        unit: UnitId,
        /// What came of it.
        report: IterationReport,
    },
    /// The next iteration waits, because the last ones crashed.
    BackingOff {
        /// The step.
        step: usize,
        /// How many iterations in a row have crashed.
        crashes: u32,
        /// How long.
        delay: Duration,
    },
    /// The next iteration waits for the agent's provider, and no iteration is used up by that.
    Waiting {
        /// The step.
        step: usize,
        /// What for: a usage limit or an overload.
        why: OutcomeClass,
        /// Until when.
        until: Timestamp,
    },
    /// What the agents of a step made of the repository, told just before the step is over.
    Surveyed {
        /// The step.
        step: usize,
        /// What they made.
        work: Work,
    },
    /// A step is over.
    StepFinished {
        /// The step.
        step: usize,
        /// How it ended.
        end: StepEnd,
    },
    /// Somebody wants the run to end when the iteration at work is over.
    StopRequested,
    /// Somebody wants a step to end, and the next one to begin.
    SkipRequested {
        /// The step.
        step: usize,
    },
    /// Somebody has something to say to the next agent.
    MessageQueued {
        /// What.
        message: Message,
    },
    /// An agent that is about to be started is told what somebody had to say.
    MessagesGiven {
        /// Which one.
        unit: UnitId,
        /// The numbers of the messages.
        messages: Vec<u32>,
    },
    /// Somebody changed limits while the run goes on.
    LimitsChanged {
        /// Limits that are different from now on.
        changes: LimitChanges,
    },
    /// Somebody wants the run to end.
    Cancelled {
        /// Who, or what.
        by: Cancel,
    },
    /// The run stands still.
    Paused,
    /// The run goes on after a pause.
    Continued,
    /// The whole machine was asleep.
    MachineSlept {
        /// How long.
        duration: Duration,
    },
    /// Something a person should know, which changes nothing.
    Warning {
        /// What.
        message: String,
    },
    /// The run is over. Nothing but a `RunResumed` may follow.
    RunFinished {
        /// How it ended.
        end: RunEnd,
    },
}

impl EventKind {
    /// The agent that the event is about, if it is about one.
    pub const fn unit(&self) -> Option<UnitId> {
        match self {
            Self::IterationStarted { unit }
            | Self::AgentStarted { unit, .. }
            | Self::CompletionRequested { unit, .. }
            | Self::Spent { unit, .. }
            | Self::AgentEnding { unit, .. }
            | Self::AgentFinished { unit, .. }
            | Self::TasksChanged { unit, .. }
            | Self::CheckFinished { unit, .. }
            | Self::IterationFinished { unit, .. }
            | Self::MessagesGiven { unit, .. } => Some(*unit),
            _ => None,
        }
    }

    /// Whether the event must have reached the disk before anything else is done: before an agent
    /// is started, and when it is gone. Everything else can be told from these, or be done again for
    /// nothing, as checks can. What came of an iteration is one of those if it is known already that
    /// its agent is gone: see [`Safety`].
    pub const fn must_be_durable(&self) -> bool {
        match self {
            Self::IterationStarted { .. } | Self::AgentFinished { .. } => true,
            Self::IterationFinished { report, .. } => report.checks.is_empty(),
            _ => false,
        }
    }
}
