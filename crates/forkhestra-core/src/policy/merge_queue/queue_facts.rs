//! What is recorded about a merge queue.

use std::collections::BTreeSet;

use super::{CheckResults, QueueEntry};
use crate::id::CommitId;

/// The recorded facts from which a merge queue goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueueFacts {
    /// The numbers of the checks that every landing must pass.
    pub checks: BTreeSet<usize>,
    /// The commit of the integration ref.
    pub integration: CommitId,
    /// The results of the checks on that commit, as far as they are known.
    pub baseline: CheckResults,
    /// The entries in the order of their arrival that are neither landed, refused nor withdrawn.
    pub entries: Vec<QueueEntry>,
}
