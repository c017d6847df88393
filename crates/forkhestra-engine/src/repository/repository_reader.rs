//! Reads the changes of iterations from a repository.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use forkhestra_core::event::{CommitSummary, Observation};

use super::work_survey::commits;
use super::{GitRepository, GitSession, may_be_in_repository, text};
use crate::process::ChildProcesses;
use crate::repository::git_program::{GitCompletion, GitError, GitProgram};

/// The timeout of one query.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The maximum of listed files.
const MAX_FILES: usize = 200;

/// Reads the changes of iterations from a repository. It writes nothing.
#[derive(Debug)]
pub struct RepositoryReader {
    git: GitProgram,
    repository: GitRepository,
}

/// The changes in a repository between two observations.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RepositoryChanges {
    /// The last commits, the oldest first.
    pub commits: Vec<CommitSummary>,
    /// How many commits precede these.
    pub more_commits: u32,
    /// The first files that differ: the path, and the numbers of added and removed lines. A binary
    /// file has no lines.
    pub files: Vec<(String, Option<(u32, u32)>)>,
    /// How many more files differ.
    pub more_files: u32,
}

impl RepositoryReader {
    /// Opens the repository of a directory, or `None` if it is in none or git is not installed.
    pub fn open(
        directory: &Path,
        environment: &[(OsString, OsString)],
    ) -> Result<Option<Self>, String> {
        let git = GitProgram::new(environment, Arc::new(ChildProcesses::default()));
        if !git.is_installed() || !may_be_in_repository(&git, directory) {
            return Ok(None);
        }
        let found = GitRepository::find(&git, directory, Instant::now() + TIMEOUT);
        let found = found.map_err(|error| error.to_string())?;
        Ok(found.map(|repository| Self { git, repository }))
    }

    /// Whether git ignores a file and does not track it. A file about which git gives no answer is not
    /// ignored.
    pub fn is_ignored(&self, path: &Path) -> bool {
        let deadline = Instant::now() + TIMEOUT;
        let session = GitSession { git: &self.git, repository: &self.repository, deadline };
        let args = ["check-ignore", "--quiet", "--"].map(OsStr::new);
        let args: Vec<&OsStr> = args.into_iter().chain([path.as_os_str()]).collect();
        matches!(session.attempt_with(&[], &args), Ok(GitCompletion::All))
    }

    /// The changes between two observations, or `None` if one of them lacks the repository's state.
    pub fn changes(
        &self,
        before: &Observation,
        after: &Observation,
    ) -> Result<Option<RepositoryChanges>, String> {
        let (Some(old), Some(new)) = (&before.signals, &after.signals) else { return Ok(None) };
        let mut changes = RepositoryChanges::default();
        let deadline = Instant::now() + TIMEOUT;
        let session = GitSession { git: &self.git, repository: &self.repository, deadline };
        let failed = |error: GitError| format!("what it changed is unknown: {error}");
        if let Some(head) = new.head.as_deref().filter(|head| old.head.as_deref() != Some(head)) {
            (changes.commits, changes.more_commits) =
                commits(&session, old.head.as_deref(), head).map_err(failed)?;
        }
        if let Some((base, tree)) = trees(before, after) {
            (changes.files, changes.more_files) = files(&session, &base, &tree).map_err(failed)?;
        }
        Ok(Some(changes))
    }
}

/// The trees of two observations, if they differ. Without snapshots these are the commits.
fn trees(before: &Observation, after: &Observation) -> Option<(String, String)> {
    let kept = before.snapshot.as_ref().zip(after.snapshot.as_ref());
    let kept = kept.map(|(old, new)| (old.commit.clone(), new.commit.clone()));
    let head = |observation: &Observation| {
        observation.signals.as_ref().and_then(|signals| signals.head.clone())
    };
    let (base, tree) = kept.or_else(|| head(before).zip(head(after)))?;
    (base != tree).then_some((base, tree))
}

type ChangedFiles = (Vec<(String, Option<(u32, u32)>)>, u32);

fn files(session: &GitSession<'_>, base: &str, tree: &str) -> Result<ChangedFiles, GitError> {
    let diff = ["diff-tree", "-r", "-z", "--no-renames", "--no-ext-diff", "--no-textconv"];
    let args: Vec<&str> = diff.into_iter().chain(["--numstat", base, tree]).collect();
    let output = session.require(&args)?;
    let mut files: Vec<_> =
        output.split(|byte| *byte == 0).filter_map(|entry| file(&text(entry))).collect();
    let more = u32::try_from(files.len().saturating_sub(MAX_FILES)).unwrap_or(u32::MAX);
    files.truncate(MAX_FILES);
    Ok((files, more))
}

/// Parses `12\t3\tsrc/main.rs`; a binary file has hyphens instead of numbers.
fn file(entry: &str) -> Option<(String, Option<(u32, u32)>)> {
    let mut parts = entry.splitn(3, '\t');
    let (added, removed, path) = (parts.next()?, parts.next()?, parts.next()?);
    let lines = added.parse().ok().zip(removed.parse().ok());
    Some((path.to_owned(), lines))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_lines_are_read() {
        let table = [
            ("12\t3\tsrc/main.rs", Some(("src/main.rs", Some((12, 3))))),
            ("-\t-\timage.png", Some(("image.png", None))),
            ("1\t0\twith\ttab", Some(("with\ttab", Some((1, 0))))),
            ("", None),
        ];
        for (entry, expected) in table {
            let expected = expected.map(|(path, lines)| (path.to_owned(), lines));
            assert_eq!(file(entry), expected, "{entry}");
        }
    }
}
