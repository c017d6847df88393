//! The view of what agents changed in a repository.

use forkhestra_core::event::{WorkSummary, WorkTreeSnapshot};
use forkhestra_core::id::RunId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The snapshot of the work tree after an iteration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SnapshotView {
    /// The git reference. Two iterations share it if nothing changed between them.
    #[serde(rename = "ref")]
    pub reference: String,
    /// The commit.
    pub commit: String,
}

/// What the agents of a step changed in the repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WorkView {
    /// How many commits they made.
    pub commits: usize,
    /// The number of changed files.
    pub files: u32,
    /// Lines that were added.
    pub insertions: u32,
    /// Lines that were removed.
    pub deletions: u32,
    /// The number of changed files that are not committed; omitted if there are none.
    #[serde(default, skip_serializing_if = "is_none")]
    pub uncommitted: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it like this")]
const fn is_none(number: &usize) -> bool {
    *number == 0
}

impl SnapshotView {
    pub(super) fn of(run: &RunId, snapshot: &WorkTreeSnapshot) -> Self {
        let WorkTreeSnapshot { number, commit } = snapshot;
        Self { reference: format!("refs/forkhestra/{run}/{number}"), commit: commit.clone() }
    }
}

impl From<&WorkSummary> for WorkView {
    fn from(work: &WorkSummary) -> Self {
        let WorkSummary { commits, more_commits, files, insertions, deletions, uncommitted } = work;
        let more = usize::try_from(*more_commits).unwrap_or(usize::MAX);
        Self {
            commits: commits.len().saturating_add(more),
            files: *files,
            insertions: *insertions,
            deletions: *deletions,
            uncommitted: uncommitted.count(),
        }
    }
}
