//! What the world around a step looks like.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::wire::text_schema;
use crate::text;

/// What the world around a step looked like. What nobody asked for is left out.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Observation {
    /// Tells one state of the done file from another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub done_file: Option<FileStamp>,
    /// Tells one state of the work tree from another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<Fingerprint>,
    /// The parts of it. Since 2.0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signals: Option<WorkTreeFingerprints>,
    /// Protected files that are not what they were when the step began. Since 2.0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protected: Option<PathList>,
    /// What was changed since the step began and is not committed. Since 2.0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uncommitted: Option<PathList>,
    /// Where the work tree is kept. Since 2.0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<WorkTreeSnapshot>,
    /// The ids of the tasks that were not done when the step began. Since 2.1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open_tasks: Option<Vec<String>>,
}

/// What can be told from one another of a work tree in a repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WorkTreeFingerprints {
    /// The commit that is checked out; left out before the first one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
    /// Tells one state of what would be committed from another.
    pub index: Fingerprint,
    /// Tells one state of all files from another.
    pub files: Fingerprint,
    /// Tells one state of the tasks from another; left out if there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tasks: Option<Fingerprint>,
}

/// Names of files.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PathList {
    /// The first ones.
    pub listed: Vec<String>,
    /// How many there are beside these.
    #[serde(default)]
    pub more: u32,
}

impl PathList {
    /// So many are listed.
    pub const MOST: usize = 20;

    /// Lists the first of them.
    pub fn of(paths: impl IntoIterator<Item = String>) -> Self {
        let mut listed: Vec<String> = paths.into_iter().collect();
        listed.sort_unstable();
        listed.dedup();
        let more = u32::try_from(listed.len().saturating_sub(Self::MOST)).unwrap_or(u32::MAX);
        listed.truncate(Self::MOST);
        Self { listed, more }
    }

    /// Whether there is none.
    pub const fn is_empty(&self) -> bool {
        self.listed.is_empty()
    }

    /// How many there are in all.
    pub fn count(&self) -> usize {
        self.listed.len() + usize::try_from(self.more).unwrap_or(usize::MAX)
    }

    /// The first names, no more than so many, and how many there are beside these.
    pub fn first_names_text(&self, most: usize) -> String {
        let listed: Vec<&str> = self.listed.iter().take(most).map(String::as_str).collect();
        text::and_more(&listed, self.count() - listed.len())
    }

    /// All names that are listed, and how many there are beside these.
    pub fn names_text(&self) -> String {
        self.first_names_text(self.listed.len())
    }
}

/// A work tree that is kept as a commit of our own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WorkTreeSnapshot {
    /// Its number in the run.
    pub number: u32,
    /// The commit.
    pub commit: String,
}

/// What agents made of a repository in a step.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorkSummary {
    /// The commits they made, the oldest first, as many as are listed.
    pub commits: Vec<CommitSummary>,
    /// How many there are beside these.
    #[serde(default)]
    pub more_commits: u32,
    /// How many files are not what they were.
    pub files: u32,
    /// Lines that were added.
    pub insertions: u32,
    /// Lines that were removed.
    pub deletions: u32,
    /// Files that were changed in the step and are not committed; left out if there are none.
    #[serde(default, skip_serializing_if = "PathList::is_empty")]
    pub uncommitted: PathList,
}

impl WorkSummary {
    /// So many commits are listed.
    pub const MOST_COMMITS: usize = 50;
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

/// Tells one state of a file from another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileStamp(pub String);

/// Tells one state of a work tree from another.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Fingerprint(pub String);

text_schema!(FileStamp, Fingerprint);
