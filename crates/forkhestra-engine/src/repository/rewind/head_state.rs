//! What is checked out, and operations of git that are in progress.

use std::path::Path;
use std::time::Duration;

use forkhestra_core::event::CommitSummary;

use crate::repository::git_program::GitError;
use crate::repository::index_lock::wait_for_lock;
use crate::repository::work_survey::commits;
use crate::repository::{GitSession, text};

/// How long to wait for another git process that has the index locked.
pub(in crate::repository) const LOCK_TIMEOUT: Duration = Duration::from_secs(5);

/// Files of git that exist while an operation is in progress.
const OPERATIONS: [(&str, &str); 6] = [
    ("MERGE_HEAD", "a merge"),
    ("rebase-merge", "a rebase"),
    ("rebase-apply", "a rebase"),
    ("CHERRY_PICK_HEAD", "a cherry-pick"),
    ("REVERT_HEAD", "a revert"),
    ("BISECT_LOG", "a bisection by git"),
];

/// The commit and the branch that are checked out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HeadState {
    /// `None` before the first commit.
    pub commit: Option<String>,
    /// The full name; `None` if no branch is checked out.
    pub branch: Option<String>,
}

/// How the checked-out commit relates to the expected one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HeadRelation {
    Same,
    /// The branch has further commits.
    Ahead {
        commits: Vec<CommitSummary>,
        more: u32,
    },
    /// Another commit is checked out, which is not a descendant of the expected one.
    Diverged,
    /// Another branch is checked out than this one.
    OtherBranch(String),
    /// The state was before the first commit, and HEAD is detached, so there is no branch to reset.
    DetachedHead,
    /// The commit of the state does not exist any more.
    CommitGone(String),
}

impl HeadState {
    pub(in crate::repository) fn read(session: &GitSession<'_>) -> Result<Self, GitError> {
        let branch = session.query(&["symbolic-ref", "--quiet", "HEAD"])?;
        Ok(Self { commit: session.head()?, branch: branch.map(|branch| text(&branch)) })
    }

    /// The branch without its namespace, or the commit if no branch is checked out.
    pub fn name(&self) -> String {
        const DIGITS: usize = 7;
        match (&self.branch, &self.commit) {
            (Some(branch), _) => branch.strip_prefix("refs/heads/").unwrap_or(branch).to_owned(),
            (None, Some(commit)) => commit.chars().take(DIGITS).collect(),
            (None, None) => "no commit".to_owned(),
        }
    }

    /// What stands against moving the branch to a commit.
    pub(in crate::repository) fn obstacle(
        &self,
        session: &GitSession<'_>,
        branches: [Option<&str>; 2],
        to: Option<&str>,
    ) -> Result<Option<HeadRelation>, GitError> {
        let is_other = |branch: &&str| self.branch.as_deref() != Some(branch);
        if let Some(branch) = branches.into_iter().flatten().find(is_other) {
            let name = branch.strip_prefix("refs/heads/").unwrap_or(branch);
            return Ok(Some(HeadRelation::OtherBranch(name.to_owned())));
        }
        match to {
            None if self.branch.is_none() => Ok(Some(HeadRelation::DetachedHead)),
            Some(to) => {
                let commit = format!("{to}^{{commit}}");
                let found = session.query(&["rev-parse", "--quiet", "--verify", &commit])?;
                let is_gone = found.is_none();
                Ok(is_gone.then(|| HeadRelation::CommitGone(to.to_owned())))
            }
            None => Ok(None),
        }
    }

    /// Compares the commit with the expected one.
    pub(in crate::repository) fn relation(
        &self,
        session: &GitSession<'_>,
        expected: Option<&str>,
    ) -> Result<HeadRelation, GitError> {
        let Some(current) = self.commit.as_deref() else {
            let is_same = expected.is_none();
            return Ok(if is_same { HeadRelation::Same } else { HeadRelation::Diverged });
        };
        if expected == Some(current) {
            return Ok(HeadRelation::Same);
        }
        let is_descendant = match expected {
            Some(expected) => {
                session.query(&["merge-base", "--is-ancestor", expected, current])?.is_some()
            }
            None => true,
        };
        if !is_descendant {
            return Ok(HeadRelation::Diverged);
        }
        let (commits, more) = commits(session, expected, current)?;
        Ok(HeadRelation::Ahead { commits, more })
    }
}

/// An operation that stands against a change of the work tree, in words.
pub(in crate::repository) fn operation_under_way(
    session: &GitSession<'_>,
) -> Result<Option<String>, GitError> {
    if let Some(what) = unfinished_operation(&session.repository.git_dir) {
        return Ok(Some(format!("{what} is in progress")));
    }
    if let Err(lock) = wait_for_lock(&session.repository.index, LOCK_TIMEOUT) {
        return Ok(Some(format!("another git process is at work ({} exists)", lock.display())));
    }
    let unmerged = session.require(&["ls-files", "--unmerged", "-z"])?;
    Ok((!unmerged.is_empty()).then(|| "the index has unresolved conflicts".to_owned()))
}

/// An operation that git has begun and not finished, such as `a merge`.
pub(in crate::repository) fn unfinished_operation(git_dir: &Path) -> Option<&'static str> {
    let begun = OPERATIONS.iter().find(|(file, _)| git_dir.join(file).exists());
    begun.map(|(_, what)| *what)
}
