//! The table of the reasons for which forkhestra stops agents.

use crate::config::NotifyTrigger;
use crate::event::StopReason;
use crate::history::ExecutionStatus;

/// The texts and consequences of a stop reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StopReasonEntry {
    /// The reason, after `stopped by forkhestra: `. It names the option that sets the limit.
    pub sentence: &'static str,
    /// The short form.
    pub brief: &'static str,
    /// The status of a step that ends by it.
    pub status: ExecutionStatus,
    /// The notification trigger if the run ends by it.
    pub notice: NotifyTrigger,
}

impl StopReasonEntry {
    /// The row of the table.
    pub const fn of(why: StopReason) -> Self {
        use ExecutionStatus::{Interrupted, Limited};
        use NotifyTrigger::{Attention, Failure, Limit};
        let (sentence, brief, status, notice) = match why {
            StopReason::Lingering => (
                "it claimed completion, but did not exit",
                "complete, but did not exit",
                Limited,
                Failure,
            ),
            StopReason::Idle => (
                "no progress for too long (--idle-timeout)",
                "no progress for too long",
                Limited,
                Failure,
            ),
            StopReason::Futile => {
                ("nothing more will come of it", "nothing more will come of it", Limited, Failure)
            }
            StopReason::Timeout => {
                ("the iteration took too long (--timeout)", "took too long", Limited, Limit)
            }
            StopReason::StepTime => (
                "the time of the step is used up",
                "the time of the step is used up",
                Limited,
                Limit,
            ),
            StopReason::GroupTime => (
                "the time of the group is used up (--group-time)",
                "the time of the group is used up",
                Limited,
                Limit,
            ),
            StopReason::RunTime => (
                "the time of the run is used up (--max-time)",
                "the time of the run is used up",
                Limited,
                Limit,
            ),
            StopReason::StepCost => (
                "the cost limit of the step is reached (--step-cost)",
                "the cost limit of the step is reached",
                Limited,
                Limit,
            ),
            StopReason::GroupCost => (
                "the cost limit of the group is reached (--group-cost)",
                "the cost limit of the group is reached",
                Limited,
                Limit,
            ),
            StopReason::RunCost => (
                "the cost limit is reached (--max-cost)",
                "the cost limit is reached",
                Limited,
                Limit,
            ),
            StopReason::CostUnknown => (
                "its cost is unknown, and there is a limit",
                "its cost is unknown, and there is a limit",
                Limited,
                Attention,
            ),
            StopReason::NotPicked => {
                ("another lane was complete first", "another lane was first", Limited, Failure)
            }
            StopReason::Skipped => ("its step is skipped", "skipped", Limited, Failure),
            StopReason::Cancelled => {
                ("the run was interrupted", "interrupted", Interrupted, Failure)
            }
        };
        Self { sentence, brief, status, notice }
    }
}
