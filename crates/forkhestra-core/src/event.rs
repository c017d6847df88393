//! The events of a run. Events are facts: they are recorded first and acted upon afterwards, and
//! the state of a run is the fold of its events.
//!
//! The event types are the journal's format: a line holds what serde derives for them. A member
//! that a minor version added has a default, so that older journals can be read.

mod agent_outcome;
mod answer;
mod aux_job;
mod durability;
mod end;
mod event_scope;
mod fallback_use;
mod fork_origin;
mod iteration_report;
mod kind;
mod landing;
pub mod notification_watch;
mod observation;
mod operator_message;
pub mod output_stream;
mod task_changes;
mod wait;
pub(crate) mod wire;

use std::time::Duration;

use crate::id::LaneNumber;
use crate::time::Timestamp;

pub use crate::limit::LimitChanges;
pub use agent_outcome::{AgentActivity, AgentOutcome, OutcomeClass, StreamSummary};
pub use answer::{Answer, AnswerSource};
pub use aux_job::{AuxJob, AuxJobResult, CheckOutcome, CheckReport, HookMoment, HookReport};
pub use durability::DurabilityTracker;
pub use end::{CancelCause, ProcessEnd, RunEnd, StepEnd, StopReason};
pub use event_scope::EventScope;
pub use fallback_use::{FallbackReason, FallbackUse};
pub use fork_origin::{ForkOrigin, InheritedStep};
pub use iteration_report::{
    ClaimRefusal, CompletionSignal, IterationReport, MarkerMatch, OutputSummary, Verdict,
};
pub use kind::EventKind;
pub use landing::landing_refusal::{LandingRefusal, LandingRefusalKind};
pub use landing::lane_work::{LandedWork, LaneWork};
pub use observation::{
    BaselineDigests, CommitSummary, FileStamp, Fingerprint, Observation, PathList, WorkSummary,
    WorkTreeFingerprints, WorkTreeSnapshot,
};
pub use operator_message::OperatorMessage;
pub use task_changes::{
    OpenTask, OpenTaskStatus, TaskChange, TaskChangeKind, TaskChanges, TaskCounts,
};
pub use wait::wait_cause::WaitCause;

/// An event with its time and scope.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Event {
    pub at: Timestamp,
    /// How long the run had been running: awake and not paused.
    pub elapsed: Duration,
    /// The run, step or attempt that the event belongs to. The row of the event in the table
    /// defines it.
    pub scope: EventScope,
    /// The lane that it belongs to; none for the run itself and for work in the user's work tree.
    pub lane: Option<LaneNumber>,
    pub kind: EventKind,
}

impl Event {
    /// Creates an event in the scope of its kind.
    pub const fn new(at: Timestamp, elapsed: Duration, kind: EventKind) -> Self {
        Self { at, elapsed, scope: kind.scope(), lane: None, kind }
    }

    /// The same event in a lane.
    #[must_use]
    pub fn in_lane(self, lane: Option<LaneNumber>) -> Self {
        Self { lane, ..self }
    }
}
