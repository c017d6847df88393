//! The recorded changes of an agent to a git repository: the object `effects` of `unit.json`.
//! `docs/recordings.md` describes the format.

use serde::{Deserialize, Serialize};

/// The changes between two states of a repository. Files are named relative to the unit's
/// directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RecordedEffects {
    pub start: RecordedState,
    pub end: RecordedState,
    /// The new commits, parents before their children.
    pub commits: Vec<RecordedCommit>,
    /// Whether the branch moves to `end.head`. It does not if its commits are not recorded.
    pub moves_head: bool,
    /// The file with a patch from the tree of `end.head` to the final index.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub staged: Option<String>,
    /// The file with a patch from the tree of `end.head` to the final work tree. If the branch does
    /// not move, from the initial work tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rest: Option<String>,
    /// Why the recording is not exact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inexact_because: Option<String>,
}

/// The state of a repository and its work tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RecordedState {
    /// The commit that is checked out; none before the first one.
    pub head: Option<String>,
    /// The full name of the branch that is checked out; none if HEAD is detached.
    pub branch: Option<String>,
    /// The tree of the user's index; none if it has conflicts.
    pub index: Option<String>,
    /// The tree of all files that git does not ignore.
    pub tree: String,
    /// Files that are not in that tree, since they are too large or cannot be read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
}

/// A commit that an agent made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RecordedCommit {
    pub id: String,
    pub parents: Vec<String>,
    pub tree: String,
    /// The first line of its message.
    pub subject: String,
    /// The file with the commit object: author, committer, dates and message.
    pub object: String,
    /// The file with its changes, compared with its first parent; none if it changes nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patch: Option<String>,
}
