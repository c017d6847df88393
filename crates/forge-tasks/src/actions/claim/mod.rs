//! Claiming and releasing tasks, and which task is ready.

mod claim_preview;
mod claim_task;
mod release_run;
mod task_readiness;

pub use claim_preview::{ClaimPreview, preview_claim, preview_claim_of};
pub use claim_task::{ClaimResult, Claimer, RunRegistry, claim};
pub use release_run::{ReleasedTasks, TaskTexts, release, release_run};
pub use task_readiness::{LeaseCheck, TaskReadiness, readiness};
