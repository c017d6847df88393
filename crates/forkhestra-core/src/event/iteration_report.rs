//! What came of an iteration, and what was seen on the way.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::agent_outcome::StreamSummary;
use super::aux_job::CheckReport;
use super::end::{AgentEnd, StopReason};
use super::observation::Observation;
use super::wire::{BecauseWhy, CompletedBy, Milliseconds, words};
use crate::cost::Spend;

/// A line of output that is a marker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct MarkerMatch {
    /// The marker, as it is written in a config.
    pub marker: String,
    /// Where its line begins in the agent's standard output, in bytes.
    pub offset: u64,
    // It counts lines of the output, or of the message if there are messages.
    /// The number of its line, from one.
    pub line: u64,
    /// The number of the assistant's message that it stands in; left out in plain output.
    /// Since 2.0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<u32>,
}

/// What says that a step is done: `{"kind":"marker","marker":"DONE","offset":12,"line":3}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum CompletionSignal {
    /// A marker in the output.
    Marker(MarkerMatch),
    /// The done file appeared or changed.
    File,
    // That is all that is asked of an agent that runs once, and of a loop whose checks decide.
    /// The agent exited with 0.
    ExitCode,
    // No agent was started for that.
    /// Every task of the task database is done. Since 2.0.
    #[serde(rename = "tasks_done")]
    Tasks,
}

impl CompletionSignal {
    /// The signal as one word, as events and summaries say it.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Marker(_) => "marker",
            Self::File => "file",
            Self::ExitCode => "exit_code",
            Self::Tasks => "tasks_done",
        }
    }
}

/// What came of an iteration: `{"kind":"incomplete"}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Verdict {
    /// The step's work is done.
    #[serde(with = "CompletedBy::<CompletionSignal>")]
    Complete(CompletionSignal),
    /// There is more to do.
    Incomplete,
    /// The agent failed.
    Crashed,
    /// The agent says that the work is done, but is not believed. Since 2.0.
    #[serde(with = "BecauseWhy::<ClaimRefusal>")]
    Refused(ClaimRefusal),
    /// We ended the agent.
    #[serde(with = "BecauseWhy::<StopReason>")]
    Ended(StopReason),
    // The number of these three is used again: after a wait, after a person did something about it,
    // or at once.
    /// The agent's provider would not serve it. Since 2.0.
    Postponed,
    /// The agent cannot work. Since 2.0.
    Blocked,
    /// The iteration was cut off.
    Interrupted,
}

impl Verdict {
    /// What it came to, in one word.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Complete(_) => "complete",
            Self::Incomplete => "incomplete",
            Self::Crashed => "crashed",
            Self::Refused(_) => "refused",
            Self::Ended(_) => "ended",
            Self::Postponed => "postponed",
            Self::Blocked => "blocked",
            Self::Interrupted => "interrupted",
        }
    }

    /// The word that people see. It differs from [`Self::word`] in one case: an iteration without a
    /// completion claim has `continued` the work.
    pub const fn label(&self) -> &'static str {
        match self {
            Self::Incomplete => "continued",
            other => other.as_str(),
        }
    }
}

words! {
    /// Why an agent is not believed that the work is done.
    ClaimRefusal(as_str) {
        /// It used no tool and changed nothing, and its step requires work.
        NoWork = "no_work",
        /// A check did not pass.
        ChecksFailed = "checks_failed",
        /// It changed files that it may not change.
        ProtectedFiles = "protected_files",
        /// Not everything it made is committed, and only what is committed counts.
        UncommittedWork = "uncommitted_work",
    }
}

/// Everything that is known of an iteration when it is over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IterationReport {
    /// What came of it.
    pub verdict: Verdict,
    /// How the process ended; left out if nobody was there to see it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<AgentEnd>,
    /// How long it took, awake and not paused.
    #[serde(rename = "durationMs", with = "Milliseconds")]
    pub duration: Duration,
    /// What was there afterwards.
    pub sight: Observation,
    /// What it printed.
    pub output: OutputSummary,
    /// What was heard from it; left out if its stream is not one that we understand. Since 2.0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heard: Option<StreamSummary>,
    /// What it spent; left out if nobody can tell. Since 2.0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spend: Option<Spend>,
    /// What was checked, in this order; left out if nothing was. Since 2.0.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<CheckReport>,
}

impl IterationReport {
    /// Whether the iteration has an outcome. One that was cut off has none, and one whose agent
    /// never ran or was not served did nothing: the number of either is used again.
    pub const fn has_outcome(&self) -> bool {
        let ran = !matches!(self.end, Some(AgentEnd::NotStarted { .. }));
        ran && !matches!(self.verdict, Verdict::Interrupted | Verdict::Postponed | Verdict::Blocked)
    }
}

/// How much an agent printed, in bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Output")]
pub struct OutputSummary {
    /// On standard output.
    pub stdout: u64,
    /// On standard error.
    pub stderr: u64,
}
