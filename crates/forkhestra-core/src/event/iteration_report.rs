//! The report of an iteration: its verdict and the evidence for it.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::agent_outcome::StreamSummary;
use super::aux_job::CheckReport;
use super::end::{ProcessEnd, StopReason};
use super::observation::Observation;
use super::wire::{BecauseWhy, CompletedBy, Milliseconds, words};
use crate::cost::Spend;

/// A line of output that matches a marker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct MarkerMatch {
    /// The marker as configured.
    pub marker: String,
    /// The offset of its line in the agent's standard output, in bytes.
    pub offset: u64,
    // Counts lines of the output, or of the message in a parsed stream.
    /// The one-based number of its line.
    pub line: u64,
    /// The number of the assistant's message that holds it; left out in plain output. Since 2.0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<u32>,
}

/// How a step was claimed to be done: `{"kind":"marker","marker":"DONE","offset":12,"line":3}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum CompletionSignal {
    /// A marker in the output.
    Marker(MarkerMatch),
    /// The done file appeared or changed.
    File,
    // Enough for an agent that runs once, and for a loop whose checks decide.
    /// The agent exited with 0.
    ExitCode,
    // No agent was started in this case.
    /// Every task of the task database is done. Since 2.0.
    #[serde(rename = "tasks_done")]
    Tasks,
    // No agent was started in this case either.
    /// A person approved it. Since 3.0.
    Approved,
}

impl CompletionSignal {
    /// The signal as one word, for events and summaries.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Marker(_) => "marker",
            Self::File => "file",
            Self::ExitCode => "exit_code",
            Self::Tasks => "tasks_done",
            Self::Approved => "approved",
        }
    }
}

/// The verdict on an iteration: `{"kind":"incomplete"}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Verdict {
    /// The step's work is done.
    #[serde(with = "CompletedBy::<CompletionSignal>")]
    Complete(CompletionSignal),
    /// More work is left.
    Incomplete,
    /// The agent failed.
    Crashed,
    /// The agent's completion claim was refused. Since 2.0.
    #[serde(with = "BecauseWhy::<ClaimRefusal>")]
    Refused(ClaimRefusal),
    /// forkhestra ended the agent.
    #[serde(rename = "ended", with = "BecauseWhy::<StopReason>")]
    AgentStopped(StopReason),
    // The iteration number is used again for these three: after a wait, after the user resolved the
    // cause, or at once.
    /// The agent's provider did not serve it. Since 2.0.
    Postponed,
    /// The agent cannot work. Since 2.0.
    Blocked,
    /// The iteration was cut off.
    Interrupted,
}

impl Verdict {
    /// The verdict as one word, for events and summaries.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Complete(_) => "complete",
            Self::Incomplete => "incomplete",
            Self::Crashed => "crashed",
            Self::Refused(_) => "refused",
            Self::AgentStopped(_) => "ended",
            Self::Postponed => "postponed",
            Self::Blocked => "blocked",
            Self::Interrupted => "interrupted",
        }
    }

    /// The word shown to users. It differs from [`Self::as_str`] in one case: an iteration without
    /// a completion claim has `continued` the work.
    pub const fn label(&self) -> &'static str {
        match self {
            Self::Incomplete => "continued",
            other => other.as_str(),
        }
    }
}

words! {
    /// Why a completion claim is refused.
    ClaimRefusal(as_str) {
        /// The agent used no tool and changed nothing, and its step requires work.
        NoWork = "no_work",
        /// A check did not pass.
        ChecksFailed = "checks_failed",
        /// The agent changed protected files.
        ProtectedFiles = "protected_files",
        /// Not all work is committed, and only committed work counts.
        UncommittedWork = "uncommitted_work",
        /// The repository could not be read, so that a rule of the step could not be verified.
        /// Since 2.2.
        NotVerified = "not_verified",
    }
}

/// The report of a finished iteration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IterationReport {
    /// The verdict.
    pub verdict: Verdict,
    /// How the process ended; left out if that was not observed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<ProcessEnd>,
    /// How long it took, awake and not paused.
    #[serde(rename = "durationMs", with = "Milliseconds")]
    pub duration: Duration,
    /// The observation after it.
    #[serde(rename = "sight")]
    pub observation: Observation,
    /// The size of its output.
    pub output: OutputSummary,
    /// The summary of its stream; left out if the stream cannot be parsed. Since 2.0.
    #[serde(rename = "heard", default, skip_serializing_if = "Option::is_none")]
    pub stream_summary: Option<StreamSummary>,
    /// What it spent; left out if unknown. Since 2.0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spend: Option<Spend>,
    /// The end of what the agent said or printed, if its step decides about a round. Since 3.0.
    #[serde(rename = "closingText", default, skip_serializing_if = "Option::is_none")]
    pub closing_text: Option<String>,
    /// The results of its checks, in order; left out if none ran. Since 2.0.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<CheckReport>,
}

impl IterationReport {
    /// The report of an iteration that was cut off together with the run's process.
    pub(crate) fn cut_off(duration: Duration, spend: Option<Spend>) -> Self {
        Self {
            verdict: Verdict::Interrupted,
            end: None,
            duration,
            observation: Observation::default(),
            output: OutputSummary::default(),
            stream_summary: None,
            spend,
            closing_text: None,
            checks: Vec::new(),
        }
    }

    /// Whether the iteration has an outcome. A cut-off iteration has none, nor has one whose agent
    /// never ran or was not served: their number is used again.
    pub const fn has_outcome(&self) -> bool {
        let ran = !matches!(self.end, Some(ProcessEnd::NotStarted { .. }));
        ran && !matches!(self.verdict, Verdict::Interrupted | Verdict::Postponed | Verdict::Blocked)
    }
}

/// The size of an agent's output, in bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Output")]
pub struct OutputSummary {
    /// On standard output.
    pub stdout: u64,
    /// On standard error.
    pub stderr: u64,
}
