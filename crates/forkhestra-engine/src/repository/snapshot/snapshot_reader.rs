//! Reads the snapshots of a run after it ran.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use forkhestra_core::event::WorkTreeSnapshot;
use forkhestra_core::id::RunId;

use super::snapshot_store::{BACKUP_DIRECTORY, REF_NAMESPACE};
use crate::process::ChildProcesses;
use crate::repository::git_program::{GitError, GitProgram};
use crate::repository::own_index::quoted;
use crate::repository::work_survey::numbers;
use crate::repository::{GitRepository, GitSession, may_be_in_repository, text};
use crate::work_tree::own_paths::real_path;

/// Upper bound for one question.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Where the snapshots of a run are.
#[derive(Debug, Clone, Copy)]
pub struct SnapshotLocation<'a> {
    pub run: &'a RunId,
    /// The working directory of the run.
    pub directory: &'a Path,
    /// The directory of the run for files that outlive its process.
    pub persistent_directory: &'a Path,
    /// The environment for git.
    pub environment: &'a [(OsString, OsString)],
}

/// Reads the snapshots of a run from the repository of its work tree. A snapshot that is gone from
/// there is read from its backup.
#[derive(Debug)]
pub struct SnapshotReader {
    pub(crate) git: GitProgram,
    pub(crate) repository: GitRepository,
    /// The same repository without the objects of the backup, for what is written: it must not depend
    /// on them.
    pub(crate) without_backup: GitRepository,
    /// The directory with the refs of the backup.
    backup_refs: PathBuf,
}

/// How much two trees differ.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ChangedLines {
    pub files: u32,
    pub added: u32,
    pub removed: u32,
}

/// Why a snapshot cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotReadError {
    #[error("git is not installed")]
    NoGit,
    #[error("{} does not exist any more", .0.display())]
    NoDirectory(PathBuf),
    #[error("{} is not in a git repository any more", .0.display())]
    NoRepository(PathBuf),
    #[error("snapshot @{0} is gone: both its commit and its backup are missing")]
    Gone(u32),
    #[error("{0}")]
    Git(String),
}

impl From<GitError> for SnapshotReadError {
    fn from(error: GitError) -> Self {
        Self::Git(error.to_string())
    }
}

impl SnapshotReader {
    /// Finds the repository of a run.
    pub fn open(location: SnapshotLocation<'_>) -> Result<Self, SnapshotReadError> {
        let git = GitProgram::new(location.environment, Arc::new(ChildProcesses::default()));
        Self::open_with(location, git)
    }

    /// Finds the repository of a run, for a git program that exists already.
    pub(crate) fn open_with(
        location: SnapshotLocation<'_>,
        git: GitProgram,
    ) -> Result<Self, SnapshotReadError> {
        let SnapshotLocation { run, directory, persistent_directory, environment: _ } = location;
        if !directory.is_dir() {
            return Err(SnapshotReadError::NoDirectory(directory.to_owned()));
        }
        let directory = real_path(directory);
        if !git.is_installed() {
            return Err(SnapshotReadError::NoGit);
        }
        let missing = || SnapshotReadError::NoRepository(directory.clone());
        if !may_be_in_repository(&git, &directory) {
            return Err(missing());
        }
        let found = GitRepository::find(&git, &directory, Instant::now() + TIMEOUT)?;
        let mut repository = found.ok_or_else(missing)?;
        let without_backup = repository.clone();
        let backup = persistent_directory.join(BACKUP_DIRECTORY);
        let objects = backup.join("objects");
        if objects.is_dir() {
            repository.leading.push(("GIT_ALTERNATE_OBJECT_DIRECTORIES", quoted(&objects)));
        }
        let backup_refs = backup.join(REF_NAMESPACE).join(run.as_str());
        Ok(Self { git, repository, without_backup, backup_refs })
    }

    /// The top directory of the work tree.
    pub fn top(&self) -> &Path {
        &self.repository.top
    }

    /// The tree of a snapshot.
    pub fn tree(&self, snapshot: &WorkTreeSnapshot) -> Result<String, SnapshotReadError> {
        let tree = self.trees(&[snapshot])?.pop().flatten();
        tree.ok_or(SnapshotReadError::Gone(snapshot.number))
    }

    /// The trees of snapshots, in this order; none for a snapshot that is gone. The commits are those
    /// of the journal, since an agent can point refs at other ones.
    pub fn trees(
        &self,
        snapshots: &[&WorkTreeSnapshot],
    ) -> Result<Vec<Option<String>>, SnapshotReadError> {
        let commits = snapshots.iter().map(|snapshot| format!("{}^{{tree}}", snapshot.commit));
        let mut trees = self.existing_trees(commits)?;
        let gone = trees.iter().zip(snapshots).filter(|(tree, _)| tree.is_none());
        let backups: Vec<(u32, String)> = gone
            .filter_map(|(_, snapshot)| Some((snapshot.number, self.backup_tree(snapshot.number)?)))
            .collect();
        let found = self.existing_trees(backups.iter().map(|(_, tree)| tree.clone()))?;
        let numbers = backups.iter().map(|(number, _)| *number);
        let backups: HashMap<u32, String> =
            numbers.zip(found).filter_map(|(number, tree)| Some((number, tree?))).collect();
        for (tree, snapshot) in trees.iter_mut().zip(snapshots) {
            if tree.is_none() {
                *tree = backups.get(&snapshot.number).cloned();
            }
        }
        Ok(trees)
    }

    /// The files of a tree, as git lists them.
    pub(crate) fn files(&self, tree: &str) -> Result<Vec<u8>, SnapshotReadError> {
        Ok(self.session().require(&["ls-tree", "-r", "-z", "--full-tree", tree])?)
    }

    /// How much each of these pairs of trees differs.
    pub fn changed_lines(
        &self,
        pairs: &[(&str, &str)],
    ) -> Result<Vec<ChangedLines>, SnapshotReadError> {
        let different = pairs.iter().filter(|(from, to)| from != to);
        let input: String = different.map(|(from, to)| format!("{from} {to}\n")).collect();
        if input.is_empty() {
            return Ok(vec![ChangedLines::default(); pairs.len()]);
        }
        let args = ["diff-tree", "--stdin", "-r", "--no-renames", "--no-ext-diff", "--no-textconv"];
        let args = [&args[..], &["--shortstat"]].concat();
        let output = self.session().send_input(&[], &args, input.as_bytes())?;
        let known = short_statistics(&text(&output));
        let of_pair = |(from, to): &(&str, &str)| {
            known.get(&format!("{from} {to}")).copied().unwrap_or_default()
        };
        Ok(pairs.iter().map(of_pair).collect())
    }

    pub(crate) fn session(&self) -> GitSession<'_> {
        let deadline = Instant::now() + TIMEOUT;
        GitSession { git: &self.git, repository: &self.repository, deadline }
    }

    /// The tree in the backup of a snapshot.
    fn backup_tree(&self, number: u32) -> Option<String> {
        let tree = fs::read_to_string(self.backup_refs.join(number.to_string())).ok()?;
        let tree = tree.trim();
        let is_id = !tree.is_empty() && tree.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_id.then(|| tree.to_owned())
    }

    /// The trees that these names lead to, as far as they exist.
    fn existing_trees(
        &self,
        names: impl Iterator<Item = String>,
    ) -> Result<Vec<Option<String>>, SnapshotReadError> {
        let input: String = names.map(|name| name + "\n").collect();
        if input.is_empty() {
            return Ok(Vec::new());
        }
        let args = ["cat-file", "--batch-check=%(objectname) %(objecttype)"];
        let output = self.session().send_input(&[], &args, input.as_bytes())?;
        let tree = |line: &str| line.strip_suffix(" tree").map(str::to_owned);
        Ok(text(&output).lines().map(tree).collect())
    }
}

/// Parses a line with two trees, and then ` 2 files changed, 3 insertions(+), 1 deletion(-)`, by
/// turns. Trees without a difference have no second line.
fn short_statistics(output: &str) -> HashMap<String, ChangedLines> {
    let mut statistics = HashMap::new();
    let mut trees = "";
    for line in output.lines() {
        if !line.starts_with(' ') {
            trees = line;
            continue;
        }
        let (files, added, removed) = numbers(line);
        let changed = ChangedLines { files, added, removed };
        statistics.insert(trees.to_owned(), changed);
    }
    statistics
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statistics_are_read_for_each_pair_of_trees() {
        let output = "a b\n 2 files changed, 3 insertions(+), 1 deletion(-)\na c\nb c\n 1 file changed, 7 deletions(-)\n";
        let changed = |files, added, removed| ChangedLines { files, added, removed };
        let expected = [("a b", changed(2, 3, 1)), ("b c", changed(1, 0, 7))];
        let expected = expected.map(|(trees, changed)| (trees.to_owned(), changed));
        assert_eq!(short_statistics(output), HashMap::from(expected));
    }
}
