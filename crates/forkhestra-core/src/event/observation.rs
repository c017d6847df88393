//! Observations of the world around a step: work tree, done file, tasks.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::wire::text_schema;
use crate::text;

/// An observation of the world around a step. What the step's rules do not need is left out.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Observation {
    /// Identifies the state of the done file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub done_file: Option<FileStamp>,
    /// Identifies the state of the work tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<Fingerprint>,
    /// The parts of that state. Since 2.0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signals: Option<WorkTreeFingerprints>,
    /// Protected files that changed since the step began. Since 2.0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protected: Option<PathList>,
    /// Uncommitted changes since the step began. Since 2.0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uncommitted: Option<PathList>,
    /// The snapshot of the work tree. Since 2.0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<WorkTreeSnapshot>,
    /// The ids of the tasks that were not done when the step began. Since 2.1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open_tasks: Option<Vec<String>>,
    /// The number of acceptance criteria of each of these tasks that had any; left out without one. Since 2.2.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub open_criteria: BTreeMap<String, u32>,
    /// The digests of the files in which the state at the start of the step is kept. Since 2.2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baselines: Option<BaselineDigests>,
}

/// SHA-256 digests of files of the run. A file with another digest was not written by forkhestra.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BaselineDigests {
    /// Of the state of protected files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protected: Option<String>,
    /// Of the list of uncommitted files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uncommitted: Option<String>,
}

impl Observation {
    /// The part about the repository.
    pub fn repository(&self) -> Self {
        let (signals, snapshot) = (self.signals.clone(), self.snapshot.clone());
        Self { signals, snapshot, ..Self::default() }
    }
}

/// Fingerprints of the parts of a work tree in a repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WorkTreeFingerprints {
    /// The commit that is checked out; left out before the first one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
    /// The full name of the branch that is checked out; left out if there is none. Since 2.3.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// Identifies the state of the index.
    pub index: Fingerprint,
    /// Identifies the state of all files.
    pub files: Fingerprint,
    /// Identifies the state of the tasks; left out without tasks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tasks: Option<Fingerprint>,
}

/// A bounded list of file names.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PathList {
    /// The first names.
    pub listed: Vec<String>,
    /// The number of further names.
    #[serde(default)]
    pub more: u32,
}

impl PathList {
    /// Most names that are listed.
    pub const MAX_LISTED: usize = 20;

    /// Sorts the paths and lists the first [`Self::MAX_LISTED`].
    pub fn of(paths: impl IntoIterator<Item = String>) -> Self {
        let mut listed: Vec<String> = paths.into_iter().collect();
        listed.sort_unstable();
        listed.dedup();
        let more = u32::try_from(listed.len().saturating_sub(Self::MAX_LISTED)).unwrap_or(u32::MAX);
        listed.truncate(Self::MAX_LISTED);
        Self { listed, more }
    }

    /// Whether the list is empty.
    pub const fn is_empty(&self) -> bool {
        self.listed.is_empty()
    }

    /// The total number of paths.
    pub fn count(&self) -> usize {
        self.listed.len() + usize::try_from(self.more).unwrap_or(usize::MAX)
    }

    /// At most `limit` names, and the number of further ones.
    pub fn first_names_text(&self, limit: usize) -> String {
        let listed: Vec<&str> = self.listed.iter().take(limit).map(String::as_str).collect();
        text::join_with_more(&listed, self.count() - listed.len())
    }

    /// All listed names, and the number of further ones.
    pub fn names_text(&self) -> String {
        self.first_names_text(self.listed.len())
    }
}

/// A work tree that is kept as a commit of forkhestra's own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WorkTreeSnapshot {
    /// Its number in the run.
    pub number: u32,
    /// The commit.
    pub commit: String,
}

/// What the agents of a step changed in a repository.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorkSummary {
    /// Their commits, oldest first, as many as are listed.
    pub commits: Vec<CommitSummary>,
    /// The number of further commits.
    #[serde(default)]
    pub more_commits: u32,
    /// The number of changed files.
    pub files: u32,
    /// Added lines.
    pub insertions: u32,
    /// Removed lines.
    pub deletions: u32,
    /// Files that were changed in the step and are not committed; left out if there are none.
    #[serde(default, skip_serializing_if = "PathList::is_empty")]
    pub uncommitted: PathList,
}

impl WorkSummary {
    /// Most commits that are listed.
    pub const MAX_COMMITS: usize = 50;

    /// The summary of this work and of later work. A file that both changed counts once, so that the
    /// number of files is the least that it can be.
    #[must_use]
    pub fn with_later(self, later: Self) -> Self {
        let mut commits = self.commits;
        commits.extend(later.commits);
        let unlisted = commits.len().saturating_sub(Self::MAX_COMMITS);
        commits.truncate(Self::MAX_COMMITS);
        let unlisted = u32::try_from(unlisted).unwrap_or(u32::MAX);
        let more = self.more_commits.saturating_add(later.more_commits);
        Self {
            commits,
            more_commits: more.saturating_add(unlisted),
            files: self.files.max(later.files),
            insertions: self.insertions.saturating_add(later.insertions),
            deletions: self.deletions.saturating_add(later.deletions),
            uncommitted: later.uncommitted,
        }
    }
}

/// A commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CommitSummary {
    /// Its id.
    pub id: String,
    /// The first line of its message.
    pub subject: String,
}

impl CommitSummary {
    /// The beginning of its id, as long as git usually shows it.
    pub fn short_id(&self) -> &str {
        const DIGITS: usize = 7;
        self.id.char_indices().nth(DIGITS).map_or(&self.id, |(end, _)| &self.id[..end])
    }
}

/// Identifies the state of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileStamp(pub String);

/// Identifies the state of a work tree.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Fingerprint(pub String);

text_schema!(FileStamp, Fingerprint);
