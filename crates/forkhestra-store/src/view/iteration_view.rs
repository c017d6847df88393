//! One try of an iteration, as views have it.

use forkhestra_core::event::{CompletionSignal, StopReason, Verdict};
use forkhestra_core::history::IterationRecord;
use forkhestra_core::id::RunId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::check_view::CheckView;
use super::milliseconds;
use super::work_view::SnapshotView;
use crate::view::cost_fields::CostFields;

/// One try of an iteration that is over.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct IterationView {
    /// The run's id.
    // First, so that lines of one run can be told by their beginning.
    pub run_id: String,
    /// The step, from one.
    pub step: usize,
    /// The iteration of the step, from one.
    pub iteration: u32,
    /// The try of the iteration, from one: one that was cut off is tried again.
    pub attempt: u32,
    /// The agent's name.
    pub agent: String,
    /// When the agent was about to be started.
    pub started_at: String,
    /// When the try was over.
    pub ended_at: String,
    /// How long it took, awake and not paused, in milliseconds.
    pub duration_ms: u64,
    /// What came of it.
    pub verdict: VerdictWord,
    /// Why, where the verdict alone does not say it: `timeout`, `checks_failed`, `exit 2` …
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The code with which the agent exited; none if it did not, or nobody saw it.
    pub exit_code: Option<i32>,
    /// The signal that ended the agent, if one did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub killed_by: Option<i32>,
    /// What spoke for an end: of the work, or of the agent.
    pub signals: Vec<SignalWord>,
    /// How much the agent printed to standard output, in bytes.
    pub stdout_bytes: u64,
    /// How much it printed to standard error, in bytes.
    pub stderr_bytes: u64,
    /// What it used, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// What it cost in US dollars, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    /// What it cost at the least, in US dollars, if that is known only in part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_at_least: Option<f64>,
    /// How the agent's own stream says that it went, in one word, if it is one that we understand.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// How many tools it called, if its stream is one that we understand.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_calls: Option<u32>,
    /// What was checked afterwards, in this order; left out if nothing was.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<CheckView>,
    /// Where the work tree is kept as it was afterwards, if it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<SnapshotView>,
}

/// What came of a try.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum VerdictWord {
    /// The step's work is done.
    Complete,
    /// There is more to do.
    Incomplete,
    /// The agent failed.
    Crashed,
    /// We ended the agent.
    Ended,
    /// The agent says that the work is done, but is not believed.
    Refused,
    /// The agent's provider would not serve it; its number is used again.
    Postponed,
    /// The agent cannot work; its number is used again.
    Blocked,
    /// It was cut off; its number is used again.
    Interrupted,
}

/// What speaks for an end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SignalWord {
    /// A marker in the output.
    Marker,
    /// The agent exited with 0, and that, with checks that passed, is all that was asked of it.
    ExitCode,
    /// The done file appeared or changed.
    File,
    /// A time limit ended the agent.
    Timeout,
}

impl IterationView {
    /// What a record says.
    pub fn of(run: &RunId, agent: &str, record: &IterationRecord) -> Self {
        let figures = CostFields::of(record.report.spend);
        let heard = record.report.heard.as_ref();
        let kept = record.report.sight.snapshot.as_ref();
        Self {
            run_id: run.to_string(),
            step: record.unit.step,
            iteration: record.unit.iteration,
            attempt: record.unit.attempt,
            agent: agent.to_owned(),
            started_at: record.started.to_string(),
            ended_at: record.ended.to_string(),
            duration_ms: milliseconds(record.report.duration),
            verdict: VerdictWord::from(&record.report.verdict),
            reason: reason(record),
            exit_code: record.exit_code(),
            killed_by: record.killed_by(),
            signals: signals(record),
            stdout_bytes: record.report.output.stdout,
            stderr_bytes: record.report.output.stderr,
            tokens: figures.tokens,
            cost: figures.cost,
            cost_at_least: figures.cost_at_least,
            outcome: heard.map(|heard| heard.outcome.class.as_str().to_owned()),
            tool_calls: heard.map(|heard| heard.activity.tool_calls),
            checks: record.report.checks.iter().map(Into::into).collect(),
            snapshot: kept.map(|snapshot| SnapshotView::of(run, snapshot)),
        }
    }
}

impl From<&Verdict> for VerdictWord {
    fn from(verdict: &Verdict) -> Self {
        match verdict {
            Verdict::Complete(_) => Self::Complete,
            Verdict::Incomplete => Self::Incomplete,
            Verdict::Crashed => Self::Crashed,
            Verdict::Refused(_) => Self::Refused,
            Verdict::Ended(_) => Self::Ended,
            Verdict::Postponed => Self::Postponed,
            Verdict::Blocked => Self::Blocked,
            Verdict::Interrupted => Self::Interrupted,
        }
    }
}

fn reason(record: &IterationRecord) -> Option<String> {
    match &record.report.verdict {
        Verdict::Complete(by) => Some(by.as_str().to_owned()),
        Verdict::Ended(why) => Some(why.as_str().to_owned()),
        Verdict::Crashed => record.report.end.as_ref().map(ToString::to_string),
        Verdict::Refused(why) => Some(why.as_str().to_owned()),
        Verdict::Postponed | Verdict::Blocked => {
            record.report.heard.as_ref().map(|heard| heard.outcome.class.as_str().to_owned())
        }
        Verdict::Incomplete | Verdict::Interrupted => None,
    }
}

fn signals(record: &IterationRecord) -> Vec<SignalWord> {
    match &record.report.verdict {
        Verdict::Complete(CompletionSignal::Marker(_)) => vec![SignalWord::Marker],
        Verdict::Complete(CompletionSignal::File) => vec![SignalWord::File],
        Verdict::Complete(CompletionSignal::ExitCode) => vec![SignalWord::ExitCode],
        Verdict::Ended(
            StopReason::Idle | StopReason::Timeout | StopReason::StepTime | StopReason::RunTime,
        ) => {
            vec![SignalWord::Timeout]
        }
        // No iteration of its own comes to that.
        Verdict::Complete(CompletionSignal::Tasks)
        | Verdict::Ended(_)
        | Verdict::Incomplete
        | Verdict::Crashed
        | Verdict::Refused(_)
        | Verdict::Postponed
        | Verdict::Blocked
        | Verdict::Interrupted => Vec::new(),
    }
}
