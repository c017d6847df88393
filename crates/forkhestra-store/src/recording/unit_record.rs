//! What is recorded of one try of an iteration.

use serde::{Deserialize, Serialize};

use crate::format::Version;
use crate::format::heard::Spend;

/// How one try of an iteration went: the content of `unit.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UnitRecord {
    /// The version of the format.
    pub format: Version,
    /// The step, from one.
    pub step: usize,
    /// The iteration of the step, from one.
    pub iteration: u32,
    /// The try of the iteration, from one.
    pub attempt: u32,
    /// When the agent was started, UTC.
    pub started: String,
    /// How long it took until all it had started was gone, in milliseconds.
    pub duration_ms: u64,
    /// How its process ended.
    pub end: EndRecord,
    /// Why we ended it ourselves, in one word, if we did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_because: Option<String>,
    /// How it went by its own stream, in one word, if that is understood.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    /// What it said it had spent, as journals say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spend: Option<Spend>,
    /// What became of the repository; none if that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effects: Option<EffectsRecord>,
    /// Why it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_effects_because: Option<String>,
}

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum EndRecord {
    /// By itself, with this code.
    Exited(i32),
    /// By this signal.
    Signaled(i32),
}

/// What became of a repository. All names of files are names in the directory of the unit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EffectsRecord {
    /// What was there before.
    pub start: MarkRecord,
    /// What was there afterwards.
    pub end: MarkRecord,
    /// What was committed, parents before their children.
    pub commits: Vec<CommitRecord>,
    /// Whether the branch is at the end where it was moved by this unit, which it is not if that could
    /// not be recorded.
    pub moves_head: bool,
    /// The file with what was staged: from the tree of the last commit to the index in the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub staged: Option<String>,
    /// The file with what was not committed: from the tree of the last commit to the work tree in the
    /// end. If the branch is not moved, from the work tree in the beginning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rest: Option<String>,
    /// What of it was not recorded as it was, if anything was not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inexact_because: Option<String>,
}

/// The state of a repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MarkRecord {
    /// The commit that is checked out; none before the first one.
    pub head: Option<String>,
    /// The branch that is checked out, in full; none if it is a commit.
    pub branch: Option<String>,
    /// The tree that a commit of the index would have; none if it has conflicts.
    pub index: Option<String>,
    /// The tree that a commit of everything would have, files that git ignores excepted.
    pub tree: String,
    /// Files that are not in that tree, since they are too large or cannot be read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
}

/// A commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CommitRecord {
    /// Its name.
    pub id: String,
    /// Its parents.
    pub parents: Vec<String>,
    /// Its tree.
    pub tree: String,
    /// The first line of its message.
    pub subject: String,
    /// The file with the commit as git keeps it: author, committer, dates and message.
    pub object: String,
    /// The file with what it changes, compared with its first parent; none if it changes nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patch: Option<String>,
}
