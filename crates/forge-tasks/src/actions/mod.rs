//! What can be done with tasks, one file a deed. Each is done whole or not at all.
//!
//! What is decided on the way (what is ready, which one to take next, what goes in circles) is decided by
//! functions over what was read, without any file: [`Index`], [`cycle`] and their like.

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
