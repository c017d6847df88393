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
pub use idle::{IdleWatch, Probe};
pub use novelty::{Novelty, Sameness};
pub use outcome::{Judgement, judge};
pub use patience::Patience;
pub use supervision::{holds_marker, messages_in_words};
pub use task_work::{
    StepTaskProgress, TaskQuestion, TaskWork, asks_tasks, has_task_check, is_no_such_task,
    may_be_done_by_tasks, may_leave_tasks, no_such_task,
};
pub use uncommitted_work::{expects_commits, is_settled, uncommitted_work};
pub use verdict::{Ended, verdict};
pub use wait::{after_reset, is_too_long, wait};
pub use work::is_idle_talk;
