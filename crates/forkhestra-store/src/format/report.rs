//! What events say about iterations.

use forkhestra_core::event;
use forkhestra_core::id::UnitId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ends::Ending;
use super::heard::Refusal;

/// One try of one iteration of one step, each counted from one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Unit {
    /// The step.
    pub step: usize,
    /// The iteration of the step.
    pub iteration: u32,
    /// The try of the iteration.
    pub attempt: u32,
}

/// What says that a step is done: `{"kind":"marker","marker":"DONE","offset":12,"line":3}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Completion {
    /// A marker in the output.
    Marker {
        /// The marker, as it is written in a config.
        marker: String,
        /// Where its line begins in the agent's standard output, in bytes.
        offset: u64,
        /// The number of its line, from one.
        line: u64,
        /// The number of the assistant's message that it stands in; left out in plain output.
        /// Since 2.0.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<u32>,
    },
    /// The done file appeared or changed.
    File,
    /// The agent exited with 0.
    ExitCode,
    /// Every task of the task database is done. Since 2.0.
    TasksDone,
}

/// What came of an iteration: `{"kind":"incomplete"}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Verdict {
    /// The step's work is done.
    Complete {
        /// What said so.
        by: Completion,
    },
    /// There is more to do.
    Incomplete,
    /// The agent failed.
    Crashed,
    /// The agent says that the work is done, but is not believed. Since 2.0.
    Refused {
        /// Why.
        why: Refusal,
    },
    /// We ended the agent.
    Ended {
        /// Why.
        why: Ending,
    },
    /// The agent's provider would not serve it. Since 2.0.
    Postponed,
    /// The agent cannot work. Since 2.0.
    Blocked,
    /// The iteration was cut off.
    Interrupted,
}

/// How much an agent printed, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Output {
    /// On standard output.
    pub stdout: u64,
    /// On standard error.
    pub stderr: u64,
}

impl From<UnitId> for Unit {
    fn from(unit: UnitId) -> Self {
        let UnitId { step, iteration, attempt } = unit;
        Self { step, iteration, attempt }
    }
}

impl From<Unit> for UnitId {
    fn from(unit: Unit) -> Self {
        let Unit { step, iteration, attempt } = unit;
        Self { step, iteration, attempt }
    }
}

impl From<&event::Completion> for Completion {
    fn from(completion: &event::Completion) -> Self {
        match completion {
            event::Completion::Marker(event::Sighting { marker, offset, line, message }) => {
                let (offset, line, message) = (*offset, *line, *message);
                Self::Marker { marker: marker.clone(), offset, line, message }
            }
            event::Completion::File => Self::File,
            event::Completion::ExitCode => Self::ExitCode,
            event::Completion::Tasks => Self::TasksDone,
        }
    }
}

impl From<Completion> for event::Completion {
    fn from(completion: Completion) -> Self {
        match completion {
            Completion::Marker { marker, offset, line, message } => {
                Self::Marker(event::Sighting { marker, offset, line, message })
            }
            Completion::File => Self::File,
            Completion::ExitCode => Self::ExitCode,
            Completion::TasksDone => Self::Tasks,
        }
    }
}

impl From<&event::Verdict> for Verdict {
    fn from(verdict: &event::Verdict) -> Self {
        match verdict {
            event::Verdict::Complete(by) => Self::Complete { by: by.into() },
            event::Verdict::Incomplete => Self::Incomplete,
            event::Verdict::Crashed => Self::Crashed,
            event::Verdict::Refused(why) => Self::Refused { why: (*why).into() },
            event::Verdict::Ended(why) => Self::Ended { why: (*why).into() },
            event::Verdict::Postponed => Self::Postponed,
            event::Verdict::Blocked => Self::Blocked,
            event::Verdict::Interrupted => Self::Interrupted,
        }
    }
}

impl From<Verdict> for event::Verdict {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Complete { by } => Self::Complete(by.into()),
            Verdict::Incomplete => Self::Incomplete,
            Verdict::Crashed => Self::Crashed,
            Verdict::Refused { why } => Self::Refused(why.into()),
            Verdict::Ended { why } => Self::Ended(why.into()),
            Verdict::Postponed => Self::Postponed,
            Verdict::Blocked => Self::Blocked,
            Verdict::Interrupted => Self::Interrupted,
        }
    }
}

impl From<event::OutputSummary> for Output {
    fn from(output: event::OutputSummary) -> Self {
        let event::OutputSummary { stdout, stderr } = output;
        Self { stdout, stderr }
    }
}

impl From<Output> for event::OutputSummary {
    fn from(output: Output) -> Self {
        let Output { stdout, stderr } = output;
        Self { stdout, stderr }
    }
}
