//! What an agent left in a lane.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use forkhestra_core::event::CommitSummary;

use super::LaneClone;
use super::lane_error::LaneError;
use super::lane_source::LaneSource;
use super::lane_submodules::{initialised, submodules};
use crate::repository::git_program::GitError;
use crate::repository::rewind::{HeadState, unfinished_operation};
use crate::repository::snapshot::ClonedRefs;
use crate::repository::uncommitted_files::remove_filtered;
use crate::repository::work_survey::commits;
use crate::repository::{GitSession, names, text};

/// What an agent left in a lane, compared with a commit: that of the integration ref.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaneContents {
    pub head: HeadState,
    /// The last commits of `HEAD` that the other commit does not have, the oldest first.
    pub unlanded: Vec<CommitSummary>,
    /// How many commits precede these.
    pub more_unlanded: u32,
    /// Files that differ from `HEAD`, also those in submodules, relative to the top directory. Ignored
    /// files do not count.
    pub uncommitted: BTreeSet<PathBuf>,
    /// A merge, a rebase or another operation that is not finished, in words.
    pub operation: Option<String>,
}

/// A branch or a stash of a lane with commits that are nowhere else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaneBranch {
    /// The full name of the ref.
    pub name: String,
    pub commit: String,
    /// How many commits are nowhere else.
    pub commits: u32,
}

impl LaneClone {
    /// What an agent left, compared with the commit of the integration ref.
    pub fn state(&self, integration: &str) -> Result<LaneContents, LaneError> {
        let session = self.session();
        self.require_commit(integration)?;
        let head = HeadState::read(&session)?;
        let Some(commit) = head.commit.clone() else {
            return Err(self.without_commit());
        };
        let (unlanded, more_unlanded) = commits(&session, Some(integration), &commit)?;
        let operation = unfinished_operation(&self.repository.git_dir)
            .map(|what| format!("{what} is in progress"));
        let uncommitted = self.uncommitted()?;
        Ok(LaneContents { head, unlanded, more_unlanded, uncommitted, operation })
    }

    /// The branches and the stash of the lane, except what is checked out, with commits that neither the
    /// integration ref nor the user's repository has.
    pub fn other_branches(
        &self,
        source: &LaneSource,
        integration: &str,
    ) -> Result<Vec<LaneBranch>, LaneError> {
        let session = self.session();
        let head = HeadState::read(&session)?;
        let theirs = ClonedRefs::read(&source.session())?.direct;
        let theirs: BTreeSet<&str> = theirs.iter().map(|(object, _)| object.as_str()).collect();
        let known: Vec<String> = theirs
            .iter()
            .copied()
            .chain([integration])
            .chain(head.commit.as_deref())
            .map(|id| format!("^{id}\n"))
            .collect();
        let format = "--format=%(objectname) %(refname)";
        let listed = session.require(&["for-each-ref", format, "refs/heads", "refs/stash"])?;
        let mut found = Vec::new();
        for (commit, name) in text(&listed).lines().filter_map(|line| line.split_once(' ')) {
            if theirs.contains(commit) {
                continue;
            }
            let input = format!("{commit}\n{}", known.concat());
            let args = ["rev-list", "--count", "--ignore-missing", "--stdin"];
            let count = text(&session.send_input(&[], &args, input.as_bytes())?);
            let commits = count.parse().unwrap_or(u32::MAX);
            if commits > 0 {
                found.push(LaneBranch {
                    name: name.to_owned(),
                    commit: commit.to_owned(),
                    commits,
                });
            }
        }
        Ok(found)
    }

    pub(super) fn without_commit(&self) -> LaneError {
        let path = self.directory().to_owned();
        LaneError::Damaged { path, why: "its branch has no commit" }
    }

    fn uncommitted(&self) -> Result<BTreeSet<PathBuf>, LaneError> {
        let mut found = BTreeSet::new();
        add_uncommitted(&self.session(), Path::new(""), &mut found)?;
        Ok(found)
    }
}

/// Adds the uncommitted files of a repository and of its submodules. Git itself would look at submodules
/// with their own settings, which can name commands.
fn add_uncommitted(
    session: &GitSession<'_>,
    below: &Path,
    found: &mut BTreeSet<PathBuf>,
) -> Result<(), LaneError> {
    found.extend(status(session)?.into_iter().map(|path| below.join(path)));
    for (path, _) in submodules(session, "HEAD")? {
        if let Some(repository) = initialised(session, &path)? {
            let inner = GitSession { repository: &repository, ..*session };
            if inner.head()?.is_some() {
                add_uncommitted(&inner, &below.join(path), found)?;
            }
        }
    }
    Ok(())
}

/// The files that differ from `HEAD`.
fn status(session: &GitSession<'_>) -> Result<Vec<PathBuf>, GitError> {
    let args = ["status", "--porcelain=v2", "-z", "--untracked-files=all", "--no-renames"];
    let listed = session.require(&[&args[..], &["--ignore-submodules=dirty"]].concat())?;
    let mut changed: BTreeMap<PathBuf, (String, String)> =
        names(&listed).filter_map(status_entry).collect();
    remove_filtered(session, &mut changed)?;
    Ok(changed.into_keys().collect())
}

/// A path with its mode and object in the commit. A changed file has eight fields before its path, a
/// conflict ten, and an untracked file one.
fn status_entry(line: &[u8]) -> Option<(PathBuf, (String, String))> {
    let (fields, mode, object) = match line.first()? {
        b'1' => (9, 3, 6),
        b'u' => (11, 4, 8),
        b'?' => (2, 2, 2),
        _ => return None,
    };
    let parts: Vec<&[u8]> = line.splitn(fields, |byte| *byte == b' ').collect();
    let path = PathBuf::from(OsStr::from_bytes(parts.get(fields - 1)?));
    let word = |field: usize| {
        let part = parts.get(field).filter(|_| field < fields - 1).copied().unwrap_or_default();
        String::from_utf8_lossy(part).into_owned()
    };
    Some((path, (word(mode), word(object))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_a_status_have_the_committed_state() {
        let entry = |line: &str| {
            let (path, (mode, object)) = status_entry(line.as_bytes())?;
            Some((path.display().to_string(), mode, object))
        };
        let expected = |path: &str, mode: &str, object: &str| {
            Some((path.to_owned(), mode.to_owned(), object.to_owned()))
        };
        let changed = "1 .M N... 100644 100755 100755 aa bb a b";
        assert_eq!(entry(changed), expected("a b", "100644", "aa"));
        let conflict = "u UU N... 100644 100644 100755 100644 aa bb cc a b";
        assert_eq!(entry(conflict), expected("a b", "100644", "bb"));
        assert_eq!(entry("? a b"), expected("a b", "", ""));
        assert_eq!(entry("# branch.oid"), None);
    }
}
