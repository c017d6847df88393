//! An agent's changes to a repository: captured for a recording, and made again during a replay.
//!
//! [`RecordedEffects`](forkhestra_core::recording::RecordedEffects) holds two states of a
//! repository, the commits between them and patches for uncommitted work. [`apply()`] makes the same
//! changes in a work tree that has the same files. Commits get the recorded author, committer,
//! dates and message. They have the same hashes if they have the same parents and no signature.
//!
//! Capturing changes none of the user's files: it uses a separate index and a separate directory
//! for objects.

mod apply;
mod capture;
mod commit_object;
mod error;
mod patch;
mod state;
#[cfg(test)]
mod tests;

pub use apply::{ReadFile, ReplayTarget, apply, check};
pub use capture::EffectsFiles;
pub use error::EffectsError;

pub(crate) use capture::capture;
pub(crate) use commit_object::parse_any_commit;
pub(crate) use state::state_of;
