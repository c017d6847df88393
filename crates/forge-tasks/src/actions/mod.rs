//! The actions on tasks, one file each. An action is done completely or not at all.
//!
//! Decisions (which tasks are ready, which one is claimed next, what is a cycle) are pure functions over
//! the tasks that were read: [`TaskIndex`], [`cycle`] and others.

mod archive;
mod change;
mod check;
mod claim;
mod create;
pub mod cycle;
mod delete;
mod done;
mod edit;
mod error;
mod index;
mod lease_check;
mod links;
mod outlook;
mod release;
mod release_run;
mod search;
mod standing;
mod task_texts;
#[cfg(test)]
mod testing;
mod waiting;

pub use archive::{archive_done, relocate};
pub use change::TaskEdit;
pub use check::{DatabaseProblem, FixReport, check, fix};
pub use claim::{ClaimResult, Claimer, RunRegistry, claim};
pub use create::{NewTask, create};
pub use delete::delete;
pub use done::ActionOutcome;
pub use edit::edit;
pub use error::ActionError;
pub use index::TaskIndex;
pub use lease_check::LeaseCheck;
pub use outlook::{ClaimPreview, outlook, outlook_of};
pub use release::release;
pub use release_run::{ReleasedTasks, release_run};
pub use search::{SearchQuery, SearchRank, search};
pub use standing::{TaskReadiness, standing};
pub use task_texts::TaskTexts;
