//! The rules by which runs wait, are judged and end. Each is a small pure thing of its own; the
//! [machine](crate::machine) asks them.

mod backoff;
mod feedback;
mod idle;
pub mod inspection;
mod novelty;
mod outcome;
mod patience;
mod supervision;
mod task_work;
mod uncommitted_work;
mod verdict;
mod wait;
mod work;

pub use backoff::backoff;
pub use feedback::Feedback;
pub use idle::{IdleTimeout, LivenessProbe};
pub use novelty::{StagnationKind, StagnationTracker};
pub use outcome::{OutcomeDecision, decide_outcome};
pub use patience::GracePeriods;
pub use supervision::{contains_marker, operator_messages_text};
pub use task_work::{
    StepTaskProgress, TaskQuery, TaskWork, asks_tasks, has_task_check, is_no_such_task,
    may_be_done_by_tasks, may_leave_tasks, no_such_task,
};
pub use uncommitted_work::{expects_commits, is_settled, uncommitted_work};
pub use verdict::{EndedAgent, verdict};
pub use wait::{after_reset, is_too_long, provider_wait_time};
pub use work::did_no_work;
