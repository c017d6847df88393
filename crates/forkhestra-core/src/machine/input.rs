//! Inputs: what the engine reports to the machine.

use std::time::Duration;

use crate::control::ControlRequest;
use crate::cost::{Spend, UnusableFigure};
use crate::event::{
    AgentOutcome, AuxJob, AuxJobResult, CancelCause, FileStamp, Fingerprint, MarkerMatch,
    Observation, OutputSummary, PathList, ProcessEnd, StreamSummary, TaskChanges, WorkSummary,
};
use crate::id::UnitId;
use crate::machine::lanes::lanes_effect::Workplace;
use crate::machine::lanes::lanes_input::LanesInput;
use crate::policy::{LivenessProbe, TaskWork};
use crate::quota::QuotaReading;

/// Something that happened outside the machine.
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    /// Begin, or go on after a resume. The first input, sent once.
    Begin,
    /// The answer to [`Effect::Observe`](super::Effect::Observe) before a step.
    Observed { step: usize, observation: Observation },
    /// The agent process runs.
    Started {
        unit: UnitId,
        pid: u32,
        /// Identifies the prompt it was given; none without a prompt.
        prompt: Option<Fingerprint>,
    },
    /// A line of its output is a marker.
    Marker { unit: UnitId, marker_match: MarkerMatch },
    /// Its stream concluded, so the process should exit. The completion claim may still change if
    /// the stream goes on.
    Concluded {
        unit: UnitId,
        /// The marker in its last message, if it counts.
        marker_match: Option<MarkerMatch>,
    },
    /// Its stream goes on after it had concluded.
    WentOn { unit: UnitId },
    /// The agent has spent more.
    Spent {
        unit: UnitId,
        /// The total since the agent was started.
        spend: Spend,
    },
    /// The agent reported the used share of a window of its account.
    QuotaReported { unit: UnitId, reading: QuotaReading },
    /// The agent reported an implausible cost figure. Sent once for each agent process.
    UnusableFigure { unit: UnitId, figure: UnusableFigure },
    /// Its stream reports that the agent cannot succeed, although the process does not exit.
    Futile { unit: UnitId, outcome: AgentOutcome },
    /// The agent's own process has ended, or could not be started.
    Exited { unit: UnitId, end: ProcessEnd },
    /// No process that the agent started is left.
    Gone { unit: UnitId },
    /// No process of the agent is left, and all its output has been read.
    Settled {
        unit: UnitId,
        output: OutputSummary,
        /// The marker, which may be known only at the end of the output.
        marker_match: Option<MarkerMatch>,
        /// What could be observed at once.
        observation: Observation,
        /// Whether a slower observation is needed, which the machine has to request.
        needs_observation: bool,
        /// The summary of its stream, if the stream could be parsed.
        stream_summary: Option<StreamSummary>,
        /// The end of what it said or printed, if its step decides about a round.
        closing_text: Option<String>,
    },
    /// An agent's changes to the task database. Sent before the answer to
    /// [`Effect::ObserveWork`](super::Effect::ObserveWork), or after
    /// [`Effect::CompareTasks`](super::Effect::CompareTasks), if there are any.
    TasksChanged { unit: UnitId, changes: TaskChanges },
    /// The answer to [`Effect::ObserveWork`](super::Effect::ObserveWork).
    WorkObserved { unit: UnitId, observation: Observation },
    /// The answer to [`Effect::Probe`](super::Effect::Probe).
    Probed { unit: UnitId, sample: AgentSample },
    /// The answer to [`Effect::PrepareCleanRoom`](super::Effect::PrepareCleanRoom).
    CleanRoomPrepared {
        unit: UnitId,
        /// Why the preparation failed; none on success.
        failure: Option<CleanRoomFailure>,
    },
    /// The aux job's process runs.
    AuxJobStarted { aux_job: AuxJob, pid: u32 },
    /// The aux job's own process has ended, or could not be started.
    AuxJobExited { aux_job: AuxJob, end: ProcessEnd },
    /// No process that the aux job started is left.
    AuxJobGone { aux_job: AuxJob },
    /// No process of the aux job is left, and all its output has been read.
    AuxJobSettled { aux_job: AuxJob, answer: AuxJobResult },
    /// The answer to [`Effect::SurveyWork`](super::Effect::SurveyWork).
    WorkSurveyed {
        step: usize,
        /// The summary; none if it could not be determined.
        work: Option<WorkSummary>,
    },
    /// The answer to [`Effect::PollTasks`](super::Effect::PollTasks).
    TasksPolled { step: usize, work: TaskWork },
    /// The machine's deadline has passed.
    Tick,
    /// The run is cancelled.
    Cancel(CancelCause),
    /// An operator sent a control request and waits for the reply.
    ControlRequested {
        /// Identifies the client that gets the reply.
        ticket: u64,
        request: ControlRequest,
    },
    /// Stop all children and suspend the own process.
    Pause,
    /// The own process was continued.
    Continue,
    /// The host was asleep for this long.
    Slept(Duration),
    /// A message for the operator, such as a log that cannot be written.
    OperatorNotice(String),
    /// An input from another place than the user's work tree.
    At { place: Workplace, input: Box<Input> },
    /// The answer to [`Effect::Lanes`](super::Effect::Lanes).
    Lanes(LanesInput),
}

/// Why a clean room could not be prepared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CleanRoomFailure {
    /// The next agent can repair the cause, for example by committing its work.
    Work(String),
    /// Protected files of the commit differ from when the step began.
    ProtectedFiles(PathList),
    /// No agent can repair the cause, such as a full disk.
    Machine(String),
}

/// A liveness sample of a running agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentSample {
    pub probe: LivenessProbe,
    /// The done file, if the step has one and it exists.
    pub done_file: Option<FileStamp>,
}
