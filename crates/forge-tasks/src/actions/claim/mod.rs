//! Claiming and releasing tasks, and which task is ready.

mod claim_preview;
mod claim_task;
mod landing;
mod release_run;
mod task_readiness;

pub use claim_preview::{ClaimPreview, preview_claim, preview_claim_in, preview_claim_of};
pub use claim_task::{ClaimResult, Claimer, RunRegistry, claim};
pub use landing::{
    LandingChange, landed_files, landing_tasks, mark_landed, release_landing, send_back,
};
pub use release_run::{ReleasedTasks, TaskTexts, release, release_lane, release_run};
pub use task_readiness::{LeaseCheck, TaskReadiness, readiness};
