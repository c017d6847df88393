//! The merge queue: which work of the lanes lands on the integration ref, in which order, and which
//! work is refused.
//!
//! [`MergeQueue`] takes one [`QueueInput`] at a time and returns [`QueueAction`]s. What waits while no
//! landing is under way becomes one batch. The batch is merged into a chain of commits, the tip of the
//! chain is checked, and a red chain is bisected for its first red entry. A landing turns no green
//! check red.
//!
//! Every refusal is about the integration commit and not about work that may still be refused itself:
//! an entry in conflict is refused as soon as all merged entries before it have landed.

mod check_results;
mod landing_step;
mod queue;
mod queue_action;
mod queue_batch;
mod queue_entry;
mod queue_facts;
mod queue_input;
mod queue_phase;
#[cfg(test)]
mod tests;

pub use check_results::{CheckResults, LandingCheckOutcome, LandingVerdict};
pub use queue::MergeQueue;
pub use queue_action::{QueueAction, QueueRefusal};
pub use queue_entry::QueueEntry;
pub use queue_facts::QueueFacts;
pub use queue_input::{MergeResult, QueueInput};
pub use queue_phase::QueuePhase;
