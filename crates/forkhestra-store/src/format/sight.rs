//! What the world around a step looked like, as events say it.

use forkhestra_core::event;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the world around a step looked like. What nobody asked for is left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Sight {
    /// Tells one state of the done file from another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub done_file: Option<String>,
    /// Tells one state of the work tree from another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<String>,
    /// The parts of it. Since 2.0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signals: Option<Signals>,
    /// Protected files that are not what they were when the step began. Since 2.0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protected: Option<Paths>,
    /// What was changed since the step began and is not committed. Since 2.0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uncommitted: Option<Paths>,
    /// Where the work tree is kept. Since 2.0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<Snapshot>,
    /// The ids of the tasks that were not done when the step began. Since 2.1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open_tasks: Option<Vec<String>>,
}

/// What can be told from one another of a work tree in a repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Signals {
    /// The commit that is checked out; left out before the first one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
    /// Tells one state of what would be committed from another.
    pub index: String,
    /// Tells one state of all files from another.
    pub files: String,
    /// Tells one state of the tasks from another; left out if there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tasks: Option<String>,
}

/// Names of files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Paths {
    /// The first ones.
    pub listed: Vec<String>,
    /// How many there are beside these.
    #[serde(default)]
    pub more: u32,
}

/// A work tree that is kept as a commit of our own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Snapshot {
    /// Its number in the run.
    pub number: u32,
    /// The commit.
    pub commit: String,
}

/// What agents made of a repository in a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Work {
    /// The commits they made, the oldest first, as many as are listed.
    pub commits: Vec<Commit>,
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
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uncommitted: Option<Paths>,
}

/// A commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Commit {
    /// Its id.
    pub id: String,
    /// The first line of its message.
    pub subject: String,
}

impl From<&event::Sight> for Sight {
    fn from(sight: &event::Sight) -> Self {
        let event::Sight { done_file, tree, signals, protected, uncommitted, snapshot, open_tasks } =
            sight;
        Self {
            done_file: done_file.as_ref().map(|stamp| stamp.0.clone()),
            tree: tree.as_ref().map(|fingerprint| fingerprint.0.clone()),
            signals: signals.as_ref().map(Into::into),
            protected: protected.as_ref().map(Into::into),
            uncommitted: uncommitted.as_ref().map(Into::into),
            snapshot: snapshot.as_ref().map(Into::into),
            open_tasks: open_tasks.clone(),
        }
    }
}

impl From<Sight> for event::Sight {
    fn from(sight: Sight) -> Self {
        Self {
            done_file: sight.done_file.map(event::Stamp),
            tree: sight.tree.map(event::Fingerprint),
            signals: sight.signals.map(Into::into),
            protected: sight.protected.map(Into::into),
            uncommitted: sight.uncommitted.map(Into::into),
            snapshot: sight.snapshot.map(Into::into),
            open_tasks: sight.open_tasks,
        }
    }
}

impl From<&event::Signals> for Signals {
    fn from(signals: &event::Signals) -> Self {
        let event::Signals { head, index, files, tasks } = signals;
        Self {
            head: head.clone(),
            index: index.0.clone(),
            files: files.0.clone(),
            tasks: tasks.as_ref().map(|tasks| tasks.0.clone()),
        }
    }
}

impl From<Signals> for event::Signals {
    fn from(signals: Signals) -> Self {
        let Signals { head, index, files, tasks } = signals;
        Self {
            head,
            index: event::Fingerprint(index),
            files: event::Fingerprint(files),
            tasks: tasks.map(event::Fingerprint),
        }
    }
}

impl From<&event::Paths> for Paths {
    fn from(paths: &event::Paths) -> Self {
        Self { listed: paths.listed.clone(), more: paths.more }
    }
}

impl From<Paths> for event::Paths {
    fn from(paths: Paths) -> Self {
        Self { listed: paths.listed, more: paths.more }
    }
}

impl From<&event::Snapshot> for Snapshot {
    fn from(snapshot: &event::Snapshot) -> Self {
        Self { number: snapshot.number, commit: snapshot.commit.clone() }
    }
}

impl From<Snapshot> for event::Snapshot {
    fn from(snapshot: Snapshot) -> Self {
        Self { number: snapshot.number, commit: snapshot.commit }
    }
}

impl From<&event::Work> for Work {
    fn from(work: &event::Work) -> Self {
        let event::Work { commits, more_commits, files, insertions, deletions, uncommitted } = work;
        let commit = |commit: &event::Commit| Commit {
            id: commit.id.clone(),
            subject: commit.subject.clone(),
        };
        Self {
            commits: commits.iter().map(commit).collect(),
            more_commits: *more_commits,
            files: *files,
            insertions: *insertions,
            deletions: *deletions,
            uncommitted: (!uncommitted.is_empty()).then(|| uncommitted.into()),
        }
    }
}

impl From<Work> for event::Work {
    fn from(work: Work) -> Self {
        let Work { commits, more_commits, files, insertions, deletions, uncommitted } = work;
        let commit = |Commit { id, subject }| event::Commit { id, subject };
        let commits = commits.into_iter().map(commit).collect();
        let uncommitted = uncommitted.map(Into::into).unwrap_or_default();
        Self { commits, more_commits, files, insertions, deletions, uncommitted }
    }
}
