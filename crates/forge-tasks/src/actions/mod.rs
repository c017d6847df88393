//! The actions on tasks, one file each. An action is done completely or not at all.
//!
//! Decisions (which tasks are ready, which one is claimed next, what is a cycle) are pure functions over
//! the tasks that were read: [`Index`], [`cycle`] and others.

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
pub use change::Change;
pub use check::{Fixed, Problem, check, fix};
pub use claim::{Claim, Claimer, Runs, claim};
pub use create::{NewTask, create};
pub use delete::delete;
pub use done::Done;
pub use edit::edit;
pub use error::ActionError;
pub use index::Index;
pub use lease_check::LeaseCheck;
pub use outlook::{Outlook, outlook, outlook_of};
pub use release::release;
pub use release_run::{Released, release_run};
pub use search::{Fit, SearchQuery, search};
pub use standing::{Standing, standing};
pub use task_texts::TaskTexts;
