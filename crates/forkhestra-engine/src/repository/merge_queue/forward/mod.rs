//! Brings the user's work tree forward to the integration commit, or does nothing at all.
//!
//! What is not committed stays as it is: files that differ from the commit, staged entries of the index,
//! untracked and ignored files. If a landing changes one of them, nothing is done, and the reasons are
//! returned.
//!
//! # Order of writes
//!
//! A directory in the directory of git exists while this is in progress, and git's index is locked:
//!
//! 1. The lock of the index, a link to a file in that directory, by which it is known as ours.
//! 2. The new files and the new index in that directory, and links to the files that they replace.
//! 3. The record of the two commits.
//! 4. The files, each by one rename; then the index; then the branch, by compare-and-swap.
//! 5. The lock is removed, and then the directory.
//!
//! A process that is killed before step 4 has changed nothing. One that is killed later leaves files of
//! the new commit that look like uncommitted changes, so committing them by hand loses nothing. The next
//! call removes the lock, and makes the rest of the recorded move before it does anything else. If the
//! user has changed one of these files or moved the branch meanwhile, everything stays as it is found.
//! An error during step 4 restores the replaced files, the index and the branch.

mod compared_files;
mod forward_execution;
mod forward_outcome;
mod forward_survey;
mod held_reason;
mod pending_forward;
mod replaced_files;
mod user_head;
mod work_tree_forward;

pub use forward_outcome::{ForwardOutcome, ForwardRequest};
pub use held_reason::HeldReason;
