//! The git operations of the merge queue: what lanes commit is fetched, merged without a work tree, and
//! brought into the user's work tree.
//!
//! Everything that has landed is in the integration ref, `refs/forkhestra/RUN/integration`, which only
//! forkhestra moves. What a lane has is in `refs/forkhestra/RUN/lane/NUMBER` from the moment it is
//! fetched, and work that did not fit in `refs/forkhestra/RUN/parked/NUMBER`. No operation rebases,
//! squashes, resets or deletes a commit.

mod conflict_origins;
mod forward;
mod integration_ref;
mod integration_room;
mod landing_commit;
mod lane_commits;
mod lane_fetch;
mod merge_batch;
mod merge_queue_error;
mod parked_commits;
mod queue_repository;
mod tree_merge;
mod tree_overlay;

pub use conflict_origins::{ConflictedPath, LandedEntry, PathOrigin};
pub use forward::{ForwardOutcome, ForwardRequest, HeldReason};
pub use integration_ref::{IntegrationRef, IntegrationRefError, RefUpdate};
pub use integration_room::IntegrationRoom;
pub use landing_commit::{CommitPerson, LandingMessage, LandingSignature};
pub use lane_commits::LaneCommits;
pub use lane_fetch::{FetchedLane, LaneToFetch};
pub use merge_batch::{EntryMerge, MergeEntry, MergedBatch};
pub use merge_queue_error::MergeQueueError;
pub use parked_commits::ParkedCommit;
pub use queue_repository::{QueueLocation, QueueRepository};
pub use tree_overlay::{OverlayContent, OverlayFile};

pub(in crate::repository) use integration_ref::INTEGRATION;
pub(in crate::repository) use lane_fetch::LANES;
pub(in crate::repository) use parked_commits::PARKED;
