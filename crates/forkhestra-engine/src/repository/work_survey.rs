//! Surveys the work of agents in a step.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use forkhestra_core::event::{CommitSummary, Observation, PathList, WorkSummary};

use super::{GitSession, names, text};
use crate::protected::baseline::{from, name_of};
use crate::repository::git_program::GitError;

/// The commits since a step began, and the changes of files up to a tree. The variables make that
/// tree visible to git.
pub(crate) fn survey(
    session: &GitSession<'_>,
    before: &Observation,
    tree: &str,
    variables: &[(&'static str, OsString)],
    directory: &Path,
) -> Result<WorkSummary, GitError> {
    let head = before.signals.as_ref().and_then(|signals| signals.head.as_deref());
    let (commits, more_commits) = match session.head()? {
        Some(_) => commits(session, head, "HEAD")?,
        None => (Vec::new(), 0),
    };
    let snapshot = before.snapshot.as_ref().map(|snapshot| snapshot.commit.as_str());
    let base = match snapshot.or(head) {
        Some(commit) => format!("{commit}^{{tree}}"),
        // Without a commit the base is the empty tree.
        None => empty_tree(session)?,
    };
    let diff = ["diff-tree", "-r", "-M", "--no-ext-diff", "--no-textconv", "--shortstat"];
    let args: Vec<&str> = diff.into_iter().chain([base.as_str(), tree]).collect();
    let (files, insertions, deletions) = numbers(&text(&session.require_with(variables, &args)?));
    let uncommitted = match snapshot {
        Some(_) => uncommitted(session, &base, tree, variables, directory)?,
        None => PathList::default(),
    };
    Ok(WorkSummary { commits, more_commits, files, insertions, deletions, uncommitted })
}

/// Files that differ both from their state before the step and from the commit. Names are relative
/// to the working directory of agents.
fn uncommitted(
    session: &GitSession<'_>,
    before: &str,
    tree: &str,
    variables: &[(&'static str, OsString)],
    directory: &Path,
) -> Result<PathList, GitError> {
    let head = match session.head()? {
        Some(head) => format!("{head}^{{tree}}"),
        None => empty_tree(session)?,
    };
    let changed_from = |base: &str| -> Result<BTreeSet<PathBuf>, GitError> {
        let diff = ["diff-tree", "-r", "-z", "--no-renames", "--no-ext-diff", "--no-textconv"];
        let args = [&diff[..], &["--name-only", base, tree]].concat();
        let output = session.require_with(variables, &args)?;
        Ok(names(&output).map(|name| PathBuf::from(OsStr::from_bytes(name))).collect())
    };
    let committed = changed_from(&head)?;
    if committed.is_empty() {
        return Ok(PathList::default());
    }
    let before = changed_from(before)?;
    let both = committed.intersection(&before);
    let top = &session.repository.top;
    Ok(PathList::of(both.map(|name| name_of(&from(directory, &top.join(name))))))
}

/// The empty tree.
pub(super) fn empty_tree(session: &GitSession<'_>) -> Result<String, GitError> {
    Ok(text(&session.require(&["hash-object", "-t", "tree", "/dev/null"])?))
}

/// The last commits of a range, the oldest first, and how many precede these.
pub(super) fn commits(
    session: &GitSession<'_>,
    since: Option<&str>,
    until: &str,
) -> Result<(Vec<CommitSummary>, u32), GitError> {
    let range = since.map_or_else(|| until.to_owned(), |since| format!("{since}..{until}"));
    let limit = format!("--max-count={}", WorkSummary::MAX_COMMITS);
    let list =
        ["rev-list", "--reverse", "--encoding=UTF-8", "--format=%H %s", &limit, &range, "--"];
    let output = text(&session.require(&list)?);
    // A line with `commit` and the id precedes each entry.
    let lines = output.lines().filter(|line| !line.starts_with("commit "));
    let commit = |line: &str| {
        let (id, subject) = line.split_once(' ').unwrap_or((line, ""));
        CommitSummary { id: id.to_owned(), subject: subject.replace(char::is_control, "\u{fffd}") }
    };
    let commits: Vec<CommitSummary> = lines.map(commit).collect();
    if commits.len() < WorkSummary::MAX_COMMITS {
        return Ok((commits, 0));
    }
    let count = text(&session.require(&["rev-list", "--count", &range, "--"])?);
    let listed = u32::try_from(commits.len()).unwrap_or(u32::MAX);
    Ok((commits, count.parse().map_or(0, |count: u32| count.saturating_sub(listed))))
}

/// Parses ` 3 files changed, 10 insertions(+), 2 deletions(-)`; any part may be missing.
pub(super) fn numbers(output: &str) -> (u32, u32, u32) {
    let number = |word: &str| {
        let part = output.split(',').find(|part| part.contains(word));
        let number = part.and_then(|part| part.split_whitespace().next());
        number.and_then(|number| number.parse().ok()).unwrap_or_default()
    };
    (number("file"), number("insertion"), number("deletion"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn diff_statistics_of_git_are_parsed() {
        let table = [
            ("", (0, 0, 0)),
            (" 1 file changed, 1 insertion(+)", (1, 1, 0)),
            (" 3 files changed, 10 insertions(+), 2 deletions(-)", (3, 10, 2)),
            (" 2 files changed, 0 insertions(+), 0 deletions(-)", (2, 0, 0)),
        ];
        for (output, expected) in table {
            assert_eq!(numbers(output), expected, "{output}");
        }
    }
}
