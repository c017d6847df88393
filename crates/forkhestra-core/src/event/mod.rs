//! What happens in a run. Events are facts: they are recorded first and acted upon afterwards, and
//! the state of a run is nothing but what its events add up to.
//!
//! The types of events are their format: what a line of the journal holds is what serde derives for
//! them. A member that a minor version added has a default, so that older journals can be read.

mod end;
mod errand;
mod event_scope;
mod kind;
mod message;
mod outcome;
mod report;
mod safety;
mod sight;
mod task_changes;
pub(crate) mod wire;

use std::time::Duration;

use crate::time::Timestamp;

pub use crate::limit::LimitChanges;
pub use end::{AgentEnd, Cancel, Ending, RunEnd, StepEnd};
pub use errand::{Answer, CheckOutcome, CheckReport, Errand, HookReport, Moment};
pub use event_scope::EventScope;
pub use kind::EventKind;
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

impl Event {
    /// What the event is about.
    pub const fn scope(&self) -> EventScope {
        self.kind.scope()
    }
}
