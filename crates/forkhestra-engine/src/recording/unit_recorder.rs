//! The interface to the recorder of agents, and the progress of a recording.

use std::path::Path;
use std::time::{Duration, Instant};

use forkhestra_core::cost::Spend;
use forkhestra_core::event::{EventKind, OutcomeClass, ProcessEnd, StopReason, StreamSummary};
use forkhestra_core::id::UnitId;
use forkhestra_core::recording::RecordedEffects;

use crate::effects::EffectsFiles;
use crate::run_loop::loop_context::LoopContext;
use crate::run_loop::running_process::RunningProcess;
use crate::run_loop::workplace_executor::WorkplaceExecutor;

/// Records agents. Their output comes from the [`OutputLogs`](crate::OutputLogs) of the same
/// caller.
///
/// A recorder that fails does not disturb the run: a notice gives the reason, and the unit is not
/// recorded.
pub trait UnitRecorder: Send + Sync {
    /// The directory it writes to. It is not part of the agents' work, even inside the work tree.
    fn directory(&self) -> &Path;

    /// Called before an agent is started.
    fn begin(&self, unit: UnitId) -> Result<(), String>;

    /// Called after an agent and all its processes have ended. Its output is complete, and the work
    /// tree has not changed since.
    fn end(
        &self,
        unit: UnitId,
        outcome: UnitOutcome,
        effects: CapturedEffects,
    ) -> Result<(), String>;
}

/// An agent's changes to the repository with the files that they name, or why they are unknown.
pub type CapturedEffects = Result<(RecordedEffects, EffectsFiles), String>;

/// How an agent ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnitOutcome {
    pub end: ProcessEnd,
    /// The time until all its processes had ended.
    pub duration: Duration,
    /// Why forkhestra ended it, if it did.
    pub stop_reason: Option<StopReason>,
    /// Its outcome, if its stream is understood.
    pub class: Option<OutcomeClass>,
    /// Its reported cost.
    pub spend: Option<Spend>,
}

/// The progress of recording the running agent.
#[derive(Debug, Default)]
pub(crate) struct RecordingProgress {
    /// The agent whose recording has begun, and when.
    begun: Option<(UnitId, Instant)>,
    /// Why forkhestra ends the agent.
    stop_reason: Option<StopReason>,
}

impl WorkplaceExecutor {
    /// Begins to record an agent that is about to be started, if there is a recorder. A message
    /// reports completion.
    pub(crate) fn begin_recording(&mut self, unit: UnitId, context: &LoopContext<'_>) {
        self.recording = RecordingProgress::default();
        match context.ports.recorder {
            Some(_) => self.observer.begin_recording(unit),
            None => self.recording_begun(unit),
        }
    }

    pub(crate) fn recording_begun(&mut self, unit: UnitId) {
        self.recording.begun = Some((unit, Instant::now()));
    }

    /// Whether the recording of this agent has begun, so that it can be started.
    pub(crate) fn is_recording(&self, unit: UnitId) -> bool {
        self.recording.begun.is_some_and(|(begun, _)| begun == unit)
    }

    /// Notes events that are part of the recording.
    pub(crate) fn record_input(&mut self, kind: &EventKind) {
        if let EventKind::AgentEnding { why, .. } = kind {
            self.recording.stop_reason = Some(*why);
        }
    }

    /// Records the changes of an agent that has ended, before all later jobs of the worker.
    pub(crate) fn end_recording(
        &mut self,
        unit: UnitId,
        active: &RunningProcess,
        stream_summary: Option<&StreamSummary>,
        context: &LoopContext<'_>,
    ) {
        let (Some(_), Some(end)) = (&context.ports.recorder, active.end.clone()) else { return };
        let outcome = UnitOutcome {
            end,
            duration: self.recording.begun.map(|(_, began)| began.elapsed()).unwrap_or_default(),
            stop_reason: self.recording.stop_reason,
            class: stream_summary.map(|stream_summary| stream_summary.outcome.class),
            spend: context.state.steps[unit.step - 1].spending,
        };
        self.observer.end_recording(unit, outcome);
    }
}
