//! The user's repository, as the merge queue of a run uses it.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::MergeQueueError;
use crate::process::ChildProcesses;
use crate::repository::git_program::{GitCompletion, GitError, GitProgram, GitQuery};
use crate::repository::snapshot::{SnapshotLocation, SnapshotReader};
use crate::repository::{GitSession, text};
use crate::work_tree::own_paths::{OwnPaths, real_path};

/// Upper bound for one operation of the queue.
const TIMEOUT: Duration = Duration::from_secs(600);

/// The first version of git that merges without a work tree.
const MERGES_TREES: (u32, u32) = (2, 38);

/// The first version of git that reads attributes from a tree. Older ones ignore the variable.
const READS_ATTRIBUTES: (u32, u32) = (2, 41);

/// Where the merge queue of a run works.
#[derive(Debug, Clone, Copy)]
pub struct QueueLocation<'a> {
    /// The run and the user's work tree.
    pub snapshots: SnapshotLocation<'a>,
    /// Paths of forkhestra, which are never touched.
    pub own_paths: &'a [&'a Path],
    /// A directory for temporary files.
    pub scratch: &'a Path,
}

/// The user's repository, as the merge queue of a run uses it. One thread at a time uses it: the only
/// state besides the repository are temporary files.
#[derive(Debug)]
pub struct QueueRepository {
    pub(super) reader: SnapshotReader,
    /// Git for merges, which run programs of the user.
    merging: GitProgram,
    reads_attributes: bool,
    pub(super) run: String,
    /// The working directory of the run.
    pub(super) directory: PathBuf,
    pub(super) own_paths: OwnPaths,
    pub(super) scratch: PathBuf,
    pub(super) persistent_directory: PathBuf,
}

impl QueueRepository {
    /// Finds the repository of a run.
    pub fn open(location: QueueLocation<'_>) -> Result<Self, MergeQueueError> {
        Self::open_among(location, Arc::default())
    }

    /// Finds the repository of a run, in a process that reaps its children itself.
    pub fn open_among(
        location: QueueLocation<'_>,
        children: Arc<ChildProcesses>,
    ) -> Result<Self, MergeQueueError> {
        let git = GitProgram::new(location.snapshots.environment, children);
        Self::open_with(location, git)
    }

    /// Finds the repository of a run, for a git program that exists already.
    pub(crate) fn open_with(
        location: QueueLocation<'_>,
        git: GitProgram,
    ) -> Result<Self, MergeQueueError> {
        let QueueLocation { snapshots, own_paths, scratch } = location;
        let reader = SnapshotReader::open_with(snapshots, git)?;
        let directory = real_path(snapshots.directory);
        let persistent = snapshots.persistent_directory;
        let places: Vec<&Path> = own_paths.iter().copied().chain([scratch, persistent]).collect();
        let mut queue = Self {
            merging: reader.git.without_secrets(),
            reads_attributes: true,
            run: snapshots.run.as_str().to_owned(),
            own_paths: OwnPaths::new(&directory, &places),
            directory,
            scratch: real_path(scratch),
            persistent_directory: persistent.to_owned(),
            reader,
        };
        queue.check_version()?;
        Ok(queue)
    }

    fn check_version(&mut self) -> Result<(), MergeQueueError> {
        let shown = text(&self.session().require(&["version"])?);
        let version = shown.strip_prefix("git version ").unwrap_or(&shown);
        let known = parse_version(version);
        if known.is_some_and(|known| known < MERGES_TREES) {
            return Err(MergeQueueError::OldGit(version.to_owned()));
        }
        self.reads_attributes = known.is_none_or(|known| known >= READS_ATTRIBUTES);
        Ok(())
    }

    /// The top directory of the user's work tree.
    pub fn top(&self) -> &Path {
        self.reader.top()
    }

    pub(super) fn session(&self) -> GitSession<'_> {
        // The queue writes objects, which must not depend on the backup of snapshots.
        let repository = &self.reader.without_backup;
        GitSession { git: &self.reader.git, repository, deadline: Instant::now() + TIMEOUT }
    }

    /// Runs a merge with the attributes of a commit. Programs of the user that it starts, such as merge
    /// drivers, get no secrets. They run in an empty directory: their temporary files are not seen in
    /// the work tree, and a program that an agent commits is not found.
    pub(super) fn merge_command(
        &self,
        attributes: &str,
        args: &[&str],
    ) -> Result<(GitCompletion, Vec<u8>), MergeQueueError> {
        let session = self.session();
        let repository = session.repository;
        let empty = match self.reads_attributes {
            true => self.scratch.join("merge"),
            // An older git reads the attributes of the work tree.
            false => repository.top.clone(),
        };
        let create = || fs::create_dir_all(&empty);
        session.git.prepare(create).map_err(MergeQueueError::from)?;
        let mut variables: Vec<(&'static str, OsString)> = vec![
            ("GIT_DIR", repository.git_dir.clone().into()),
            ("GIT_WORK_TREE", empty.clone().into()),
        ];
        variables.push(("GIT_ATTR_SOURCE", attributes.into()));
        let args: Vec<&OsStr> = args.iter().map(OsStr::new).collect();
        Ok(self.merging.require_part(&GitQuery {
            directory: &empty,
            args: &args,
            variables: &variables,
            settings: &session.config()?.settings,
            input: &[],
            deadline: session.deadline,
        })?)
    }

    /// The commit that a name or an id leads to.
    pub(super) fn commit_of(&self, name: &str) -> Result<Option<String>, GitError> {
        let commit = format!("{name}^{{commit}}");
        let found = self.session().query(&[
            "rev-parse",
            "--quiet",
            "--verify",
            "--end-of-options",
            &commit,
        ])?;
        Ok(found.map(|found| text(&found)))
    }

    /// One of the best common ancestors of two commits, if they have any.
    pub(super) fn merge_base(&self, one: &str, other: &str) -> Result<Option<String>, GitError> {
        let base = self.session().query(&["merge-base", one, other])?;
        Ok(base.map(|base| text(&base)))
    }

    /// Whether a commit is contained in another one.
    pub(in crate::repository) fn contains(
        &self,
        commit: &str,
        ancestor: &str,
    ) -> Result<bool, GitError> {
        let args = ["merge-base", "--is-ancestor", ancestor, commit];
        Ok(self.session().query(&args)?.is_some())
    }
}

/// The first two numbers of a version such as `2.47.3`.
fn parse_version(version: &str) -> Option<(u32, u32)> {
    let mut numbers = version.split('.').map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_by_their_first_two_numbers() {
        for (text, expected) in [
            ("2.47.3", Some((2, 47))),
            ("2.39.5 (Apple Git-154)", Some((2, 39))),
            ("2.38", Some((2, 38))),
            ("3.0.0.rc1", Some((3, 0))),
            ("unknown", None),
        ] {
            assert_eq!(parse_version(text), expected, "{text}");
        }
        assert!((2, 9) < MERGES_TREES && (3, 0) > READS_ATTRIBUTES);
    }
}
