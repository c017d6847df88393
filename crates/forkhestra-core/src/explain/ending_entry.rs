//! Why forkhestra stops agents.

use crate::config::NotifyOn;
use crate::event::Ending;
use crate::history::Status;

/// What is said about an agent that forkhestra stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EndingEntry {
    /// The reason, after `stopped by forkhestra: `. It names the option that sets the limit.
    pub sentence: &'static str,
    /// The reason in fewer words.
    pub brief: &'static str,
    /// The status of a step that ends by it.
    pub status: Status,
    /// Who is notified if the run ends by it.
    pub notice: NotifyOn,
}

impl EndingEntry {
    /// The row of the table.
    pub const fn of(why: Ending) -> Self {
        use NotifyOn::{Attention, Failure, Limit};
        use Status::{Interrupted, Limited};
        let (sentence, brief, status, notice) = match why {
            Ending::Lingering => (
                "it claimed completion, but did not exit",
                "complete, but did not exit",
                Limited,
                Failure,
            ),
            Ending::Idle => (
                "no progress for too long (--idle-timeout)",
                "no progress for too long",
                Limited,
                Failure,
            ),
            Ending::Futile => {
                ("nothing more will come of it", "nothing more will come of it", Limited, Failure)
            }
            Ending::Timeout => {
                ("the iteration took too long (--timeout)", "took too long", Limited, Limit)
            }
            Ending::StepTime => (
                "the time of the step is used up",
                "the time of the step is used up",
                Limited,
                Limit,
            ),
            Ending::RunTime => (
                "the time of the run is used up (--max-time)",
                "the time of the run is used up",
                Limited,
                Limit,
            ),
            Ending::StepCost => (
                "the cost limit of the step is reached (--step-cost)",
                "the cost limit of the step is reached",
                Limited,
                Limit,
            ),
            Ending::RunCost => (
                "the cost limit is reached (--max-cost)",
                "the cost limit is reached",
                Limited,
                Limit,
            ),
            Ending::CostUnknown => (
                "its cost is unknown, and there is a limit",
                "its cost is unknown, and there is a limit",
                Limited,
                Attention,
            ),
            Ending::Skipped => ("its step is skipped", "skipped", Limited, Failure),
            Ending::Cancelled => ("the run was interrupted", "interrupted", Interrupted, Failure),
        };
        Self { sentence, brief, status, notice }
    }
}
