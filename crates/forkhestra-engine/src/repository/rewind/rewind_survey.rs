//! What a rewind or an undo would do.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use forkhestra_core::time::Timestamp;

use super::head_state::{HeadRelation, HeadState};
use super::rewind_record::RewindRecord;
use super::tree_change::TreeChange;

/// The state to which a rewind leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RewindTarget {
    pub tree: String,
    /// The commit that was checked out; `None` before the first one.
    pub head: Option<String>,
    /// The branch that was checked out, if it is recorded.
    pub branch: Option<String>,
}

/// The state that a run, a rewind or an undo left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpectedState {
    pub tree: String,
    pub head: Option<String>,
    /// The branch that was checked out, if it is recorded.
    pub branch: Option<String>,
}

/// What a rewind changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RewindScope {
    Everything,
    /// The branch and the index stay.
    FilesOnly,
}

/// How a rewind is recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RewindLabel {
    /// How users name the target.
    pub address: String,
    /// The number of its snapshot.
    pub snapshot: u32,
    pub at: Timestamp,
}

/// What a rewind would do, and what prevents it.
#[derive(Debug)]
pub struct RewindSurvey {
    pub(super) target: RewindTarget,
    pub(super) scope: RewindScope,
    pub(super) tree: String,
    pub(super) changes: Vec<TreeChange>,
    /// What is checked out.
    pub head: HeadState,
    /// An operation of git that is in progress, in words.
    pub operation: Option<String>,
    /// Files that differ from the expected state, relative to the top.
    pub changed_since: Vec<PathBuf>,
    pub head_relation: HeadRelation,
    /// Paths with files that must not be replaced: they are not in the saved state.
    pub obstacles: BTreeSet<PathBuf>,
    /// Paths that the rewind does not change: submodules, and files that are in no snapshot.
    pub unchanged: Vec<PathBuf>,
}

/// What an undo would do, and what prevents it.
#[derive(Debug)]
pub struct UndoSurvey {
    pub(super) record: RewindRecord,
    pub(super) changes: Vec<TreeChange>,
    /// The tree of the current state.
    pub(super) tree: String,
    pub head: HeadState,
    pub operation: Option<String>,
    /// Files that differ from what the rewind left.
    pub changed_since: Vec<PathBuf>,
    /// Whether something was staged since.
    pub is_staged: bool,
    /// Whether the branch is where the rewind left it.
    pub head_relation: HeadRelation,
    pub obstacles: BTreeSet<PathBuf>,
}

impl RewindSurvey {
    /// The number of files that are written or removed.
    pub fn file_count(&self) -> usize {
        self.changes.len()
    }

    /// The files that are written or removed, relative to the top.
    pub fn files(&self) -> impl Iterator<Item = (&Path, FileEffect)> {
        self.changes.iter().map(|change| (&*change.path, FileEffect::of(change)))
    }

    /// The commit to which the branch is moved, if it is moved.
    pub fn moves_branch(&self) -> bool {
        self.scope == RewindScope::Everything && self.head.commit != self.target.head
    }

    /// Whether nothing has to be done.
    pub fn is_nothing(&self) -> bool {
        self.changes.is_empty() && !self.moves_branch()
    }
}

/// What happens to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileEffect {
    Created,
    Changed,
    Removed,
}

impl FileEffect {
    const fn of(change: &TreeChange) -> Self {
        match (&change.before, &change.after) {
            (None, _) => Self::Created,
            (_, None) => Self::Removed,
            _ => Self::Changed,
        }
    }
}

impl UndoSurvey {
    /// The files that are written or removed, relative to the top.
    pub fn files(&self) -> impl Iterator<Item = (&Path, FileEffect)> {
        self.changes.iter().map(|change| (&*change.path, FileEffect::of(change)))
    }

    /// The rewind that is undone.
    pub const fn record(&self) -> &RewindRecord {
        &self.record
    }

    /// The number of files that are written or removed.
    pub fn file_count(&self) -> usize {
        self.changes.len()
    }
}
