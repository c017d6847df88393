//! The view of one attempt of an iteration.

use forkhestra_core::event::{CompletionSignal, StopReason, Verdict};
use forkhestra_core::history::IterationRecord;
use forkhestra_core::id::{LaneNumber, RunId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::check_view::CheckView;
use super::iteration_tasks_view::IterationTasksView;
use super::milliseconds;
use super::work_view::SnapshotView;
use crate::view::cost_fields::CostFields;

/// A finished attempt of an iteration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct IterationView {
    /// The run's id.
    // The first member, so that the prefix of a line identifies its run.
    pub run_id: String,
    /// The step, from one.
    pub step: usize,
    /// The iteration of the step, from one.
    pub iteration: u32,
    /// The attempt, from one: an interrupted attempt is repeated.
    pub attempt: u32,
    /// The lane that it ran in; omitted for the work tree. Since 1.5.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lane: Option<u8>,
    /// The agent's name.
    pub agent: String,
    /// The fallback that ran it at a limit of the account of the primary back-end; omitted if the primary one ran it. Since 1.4.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fallback: Option<String>,
    /// The time just before the agent was started.
    pub started_at: String,
    /// The time of the end of the attempt.
    pub ended_at: String,
    /// How long it took, awake and not paused, in milliseconds.
    pub duration_ms: u64,
    /// Its verdict.
    pub verdict: VerdictWord,
    /// The reason for a verdict that can have several: `timeout`, `checks_failed`, `exit 2` …
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The exit code of the agent; null if it did not exit, or the code is unknown.
    pub exit_code: Option<i32>,
    /// The signal that ended the agent, if one did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub killed_by: Option<i32>,
    /// The signals for an end of the work or of the agent.
    pub signals: Vec<SignalWord>,
    /// How much the agent printed to standard output, in bytes.
    pub stdout_bytes: u64,
    /// How much it printed to standard error, in bytes.
    pub stderr_bytes: u64,
    #[serde(flatten)]
    pub figures: CostFields,
    /// The outcome in the agent's own stream, in one word, if that stream is understood.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// The number of its tool calls, if its stream is understood.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_calls: Option<u32>,
    /// The checks that followed it, in order; omitted if there were none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<CheckView>,
    /// The snapshot of the work tree after it, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<SnapshotView>,
    /// What it did with tasks; omitted if it changed none. Since 1.3.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tasks: Option<IterationTasksView>,
}

/// The verdict on an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum VerdictWord {
    /// The step's work is done.
    Complete,
    /// There is more to do.
    Incomplete,
    /// The agent failed.
    Crashed,
    /// forkhestra ended the agent.
    Ended,
    /// The agent claimed completion, and the claim was refused.
    Refused,
    /// The agent's provider refused service; the iteration number is reused.
    Postponed,
    /// The agent cannot work; the iteration number is reused.
    Blocked,
    /// The attempt was interrupted; the iteration number is reused.
    Interrupted,
}

/// A signal for an end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SignalWord {
    /// A marker in the output.
    Marker,
    /// The agent exited with 0, which suffices if all checks pass.
    ExitCode,
    /// The done file appeared or changed.
    File,
    /// A time limit ended the agent.
    Timeout,
}

impl IterationView {
    /// The view of a record.
    pub fn of(run: &RunId, agent: &str, record: &IterationRecord) -> Self {
        let stream_summary = record.report.stream_summary.as_ref();
        let kept = record.report.observation.snapshot.as_ref();
        Self {
            run_id: run.to_string(),
            step: record.unit.step,
            iteration: record.unit.iteration,
            attempt: record.unit.attempt,
            lane: record.lane.map(LaneNumber::get),
            agent: agent.to_owned(),
            fallback: record.fallback.map(|fallback| fallback.backend.word().to_owned()),
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
            figures: CostFields::of(record.report.spend),
            outcome: stream_summary
                .map(|stream_summary| stream_summary.outcome.class.as_str().to_owned()),
            tool_calls: stream_summary.map(|stream_summary| stream_summary.activity.tool_calls),
            checks: record.report.checks.iter().map(Into::into).collect(),
            snapshot: kept.map(|snapshot| SnapshotView::of(run, snapshot)),
            tasks: record.tasks.as_ref().and_then(IterationTasksView::of),
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
            Verdict::AgentStopped(_) => Self::Ended,
            Verdict::Postponed => Self::Postponed,
            Verdict::Blocked => Self::Blocked,
            Verdict::Interrupted => Self::Interrupted,
        }
    }
}

fn reason(record: &IterationRecord) -> Option<String> {
    match &record.report.verdict {
        Verdict::Complete(by) => Some(by.as_str().to_owned()),
        Verdict::AgentStopped(why) => Some(why.as_str().to_owned()),
        Verdict::Crashed => record.report.end.as_ref().map(ToString::to_string),
        Verdict::Refused(why) => Some(why.as_str().to_owned()),
        Verdict::Postponed | Verdict::Blocked => record
            .report
            .stream_summary
            .as_ref()
            .map(|stream_summary| stream_summary.outcome.class.as_str().to_owned()),
        Verdict::Incomplete | Verdict::Interrupted => None,
    }
}

fn signals(record: &IterationRecord) -> Vec<SignalWord> {
    match &record.report.verdict {
        Verdict::Complete(CompletionSignal::Marker(_)) => vec![SignalWord::Marker],
        Verdict::Complete(CompletionSignal::File) => vec![SignalWord::File],
        Verdict::Complete(CompletionSignal::ExitCode) => vec![SignalWord::ExitCode],
        Verdict::AgentStopped(
            StopReason::Idle
            | StopReason::Timeout
            | StopReason::StepTime
            | StopReason::GroupTime
            | StopReason::RunTime,
        ) => {
            vec![SignalWord::Timeout]
        }
        // No iteration has this verdict itself.
        Verdict::Complete(CompletionSignal::Tasks | CompletionSignal::Approved)
        | Verdict::AgentStopped(_)
        | Verdict::Incomplete
        | Verdict::Crashed
        | Verdict::Refused(_)
        | Verdict::Postponed
        | Verdict::Blocked
        | Verdict::Interrupted => Vec::new(),
    }
}
