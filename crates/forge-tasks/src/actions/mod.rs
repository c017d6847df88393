//! The actions on tasks, one file each. An action is done completely or not at all.
//!
//! Decisions (which tasks are ready, which one is claimed next, what is a cycle) are pure functions
//! over the tasks that were read: [`TaskIndex`], [`cycle`] and others.

mod action_outcome;
mod archive;
mod check;
pub(crate) mod claim;
mod create;
pub mod cycle;
mod delete;
mod edit;
mod error;
mod reference_links;
mod search;
mod task_edit;
mod task_index;
mod task_texts;
#[cfg(test)]
mod testing;

pub use action_outcome::ActionOutcome;
pub use archive::{archive_done, relocate};
pub use check::{DatabaseProblem, FixReport, check, fix};
pub use claim::claim_preview::{ClaimPreview, preview_claim, preview_claim_of};
pub use claim::claim_task::{ClaimResult, Claimer, RunRegistry, claim};
pub use claim::lease_check::LeaseCheck;
pub use claim::release::release;
pub use claim::release_run::{ReleasedTasks, release_run};
pub use claim::task_readiness::{TaskReadiness, readiness};
pub use create::{NewTask, create};
pub use delete::delete;
pub use edit::edit;
pub use error::ActionError;
pub use search::{SearchQuery, SearchRank, search};
pub use task_edit::TaskEdit;
pub use task_index::TaskIndex;
pub use task_texts::TaskTexts;
