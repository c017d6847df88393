//! The rules by which runs wait, are judged and end. Each is a small pure function or type that the
//! [machine](crate::machine) uses.

mod backoff;
pub mod calibration;
mod feedback;
mod grace_periods;
mod idle_timeout;
pub mod inspection;
mod merge_queue;
mod operator_messages;
mod outcome_decision;
mod provider_wait;
mod required_work;
mod round_decision;
mod stagnation;
mod task_work;
mod uncommitted_work;
mod verdict;

pub use backoff::backoff;
pub use feedback::{Feedback, MAX_REASON_BYTES};
pub use grace_periods::GracePeriods;
pub use idle_timeout::{IdleTimeout, LivenessProbe};
pub use merge_queue::{
    CheckResults, LandingCheckOutcome, LandingVerdict, MergeQueue, MergeResult, QueueAction,
    QueueEntry, QueueFacts, QueueInput, QueuePhase, QueueRefusal,
};
pub use operator_messages::{contains_marker, operator_messages_text};
pub use outcome_decision::{OutcomeDecision, decide_outcome};
pub use provider_wait::{after_reset, is_too_long, provider_wait_time};
pub use required_work::{did_no_work, lacks_required_work};
pub use round_decision::{leads_to_alternative, refuses_round};
pub use stagnation::{StagnationKind, StagnationTracker};
pub use task_work::{
    StepTaskProgress, TaskQuery, TaskWork, has_task_check, is_about_tasks, is_no_such_task,
    may_be_done_by_tasks, may_leave_tasks, no_such_task, polls_tasks,
};
pub use uncommitted_work::{expects_commits, is_settled, uncommitted_work};
pub use verdict::{EndedAgent, verdict};
