//! The actions on tasks. An action is done completely or not at all.
//!
//! Decisions (which tasks are ready, which one is claimed next, what is a cycle) are pure functions
//! over the tasks that were read.

mod archive;
mod check;
mod claim;
mod create;
mod delete;
mod edit;
mod error;
mod reference_links;
mod search;
#[cfg(test)]
mod testing;

pub use archive::{archive_done, relocate};
pub use check::{DatabaseProblem, FixReport, check, fix};
pub use claim::{
    ClaimPreview, ClaimResult, Claimer, LandingChange, LeaseCheck, ReleasedTasks, RunRegistry,
    TaskReadiness, TaskTexts, claim, landed_files, landing_tasks, mark_landed, preview_claim,
    preview_claim_in, preview_claim_of, readiness, release, release_landing, release_lane,
    release_run, send_back,
};
pub use create::{NewTask, create};
pub use delete::delete;
pub use edit::{ActionOutcome, TaskEdit, edit};
pub use error::ActionError;
pub use reference_links::TaskIndex;
pub use search::{SearchQuery, SearchRank, search};
