//! Queries and commands of git for a work tree.

mod clean_rooms;
pub(crate) mod git_program;
pub(crate) mod index_lock;
mod lane;
mod lfs_pointer;
mod merge_queue;
mod nested_indexes;
mod own_index;
mod repository_observer;
mod repository_reader;
mod rewind;
mod snapshot;
mod uncommitted_files;
mod untracked_files;
mod work_survey;
mod worktree_entries;

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::repository::git_program::{
    GitCompletion, GitError, GitOutputStart, GitProgram, GitQuery,
};

use crate::repository::git_program::config_overrides::{ConfigOverrides, RepositoryConfig};
use crate::work_tree::own_paths::real_path;

pub(crate) use clean_rooms::{CleanRoomError, CleanRoomRequest, CleanRooms, PreparedCleanRoom};
pub use lane::{
    FilledFiles, LANE_VARIABLE, LANES_VARIABLE, LackingEntry, LaneBranch, LaneClone, LaneContents,
    LaneError, LaneFilling, LaneGaps, LaneMove, LaneObstacle, LanePorts, LaneRequest, LaneSource,
    MeasuredSize, NewLane, PORT_VARIABLE, PORTS_PER_LANE, SubmoduleGap, WORKTREE_INCLUDE_FILE,
    lane_variables,
};
pub use merge_queue::{
    CommitPerson, ConflictedPath, EntryMerge, FetchedLane, ForwardOutcome, ForwardRequest,
    HeldReason, IntegrationRef, IntegrationRefError, IntegrationRoom, LandedEntry, LandingMessage,
    LandingSignature, LaneCommits, LaneToFetch, MergeEntry, MergeQueueError, MergedBatch,
    OverlayContent, OverlayFile, ParkedCommit, PathOrigin, QueueLocation, QueueRepository,
    RefUpdate,
};
#[cfg(test)]
pub(crate) use own_index::MAX_FILE_BYTES;
pub(crate) use own_index::copy_index;
pub(crate) use repository_observer::{
    ObjectTarget, RepositoryObservation, RepositoryObserver, TASKS, whole_fingerprint,
};
pub use repository_reader::{RepositoryChanges, RepositoryReader};
pub use rewind::{
    ExpectedState, FileEffect, HeadRelation, HeadState, RecordedTarget, RewindError, RewindLabel,
    RewindLocation, RewindProgress, RewindRecord, RewindRecords, RewindScope, RewindSurvey,
    RewindTarget, UndoRecord, UndoSurvey, WorkTreeRewinder, pending_rewind,
};
pub use snapshot::{
    ChangedLines, CheckoutRequest, DiffPager, DiffText, MissingFiles, SnapshotClone,
    SnapshotCloneError, SnapshotCloneRequest, SnapshotDiff, SnapshotLocation, SnapshotReadError,
    SnapshotReader, copy_snapshot_refs, forget_snapshots,
};
pub(crate) use snapshot::{SnapshotCheckout, SnapshotNumbers, SnapshotRequest, SnapshotStore};
pub(crate) use uncommitted_files::UncommittedFiles;
pub(crate) use work_survey::survey;
pub(crate) use worktree_entries::{remove_tree, room_repository};

/// A repository with a work tree.
#[derive(Debug, Clone)]
pub(crate) struct GitRepository {
    /// The top directory of its work tree.
    pub(crate) top: PathBuf,
    /// The directory of git for this work tree.
    pub(crate) git_dir: PathBuf,
    /// The directory that all its work trees share.
    pub(crate) common: PathBuf,
    /// The user's index.
    pub(crate) index: PathBuf,
    pub(crate) objects: PathBuf,
    /// Variables that lead git to it, if git does not find it by itself.
    leading: Vec<(&'static str, OsString)>,
    /// Replacements for its settings that name commands.
    overrides: ConfigOverrides,
}

/// A git program, a repository and a deadline for a sequence of commands.
#[derive(Clone, Copy)]
pub(crate) struct GitSession<'a> {
    pub(crate) git: &'a GitProgram,
    pub(crate) repository: &'a GitRepository,
    pub(crate) deadline: Instant,
}

/// Whether a directory may be in a repository. Only git can confirm it, but a `false` saves the
/// call.
pub(crate) fn may_be_in_repository(git: &GitProgram, directory: &Path) -> bool {
    git.has_location_override() || marker(directory).is_some()
}

/// The `.git` entry of a directory or of its closest ancestor that has one.
pub(crate) fn marker(directory: &Path) -> Option<PathBuf> {
    directory.ancestors().map(|place| place.join(".git")).find(|path| path.exists())
}

impl GitRepository {
    /// Finds the repository of a directory, or `None` if it is in none.
    pub(crate) fn find(
        git: &GitProgram,
        directory: &Path,
        deadline: Instant,
    ) -> Result<Option<Self>, GitError> {
        let Some(mut found) = Self::find_with(git, directory, Vec::new(), deadline)? else {
            return Ok(None);
        };
        if !git.has_location_override() {
            refuse_other_work_tree(&found, directory)?;
        }
        // A setting of the repository that an agent changes later leads git to no other work tree.
        // Inherited variables may be relative to the directory, but not all commands run there.
        found.leading = leading(&found.git_dir, &found.top);
        Ok(Some(found))
    }

    /// Finds the repository at a directory inside another one, or `None` if there is none.
    pub(crate) fn find_nested(
        git: &GitProgram,
        top: &Path,
        deadline: Instant,
    ) -> Result<Option<Self>, GitError> {
        let leading = leading(&top.join(".git"), top);
        Self::find_with(git, top, leading, deadline)
    }

    fn find_with(
        git: &GitProgram,
        directory: &Path,
        leading: Vec<(&'static str, OsString)>,
        deadline: Instant,
    ) -> Result<Option<Self>, GitError> {
        let wanted: [&[&str]; 5] = [
            &["--show-toplevel"],
            &["--absolute-git-dir"],
            &["--git-common-dir"],
            &["--git-path", "index"],
            &["--git-path", "objects"],
        ];
        let ask = |args: &[&str]| {
            let args: Vec<&OsStr> =
                std::iter::once(&"rev-parse").chain(args).map(OsStr::new).collect();
            let (args, variables, settings) = (&args, &leading[..], &[]);
            git.query(&GitQuery { directory, args, variables, settings, input: &[], deadline })
        };
        let Some(output) = ask(&wanted.concat())? else { return Ok(None) };
        let mut lines: Vec<Vec<u8>> =
            without_end(&output).split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
        if lines.len() != wanted.len() {
            // A path contains a line break.
            lines.clear();
            for one in wanted {
                let Some(output) = ask(one)? else { return Ok(None) };
                lines.push(without_end(&output).to_vec());
            }
        }
        let mut places = lines.iter().map(|line| directory.join(OsStr::from_bytes(line)));
        let mut next = || places.next().unwrap_or_default();
        let (top, git_dir, common, index, objects) = (next(), next(), next(), next(), next());
        let overrides = ConfigOverrides::default();
        Ok(Some(Self { top, git_dir, common, index, objects, leading, overrides }))
    }
}

impl<'a> GitSession<'a> {
    /// The output of git, or `None` if it exits with a failure.
    pub(crate) fn query(&self, args: &[&str]) -> Result<Option<Vec<u8>>, GitError> {
        self.with(&[], &[], |question| self.git.query(question), args)
    }

    /// The output of git; a failure is an error.
    pub(crate) fn require(&self, args: &[impl AsRef<OsStr>]) -> Result<Vec<u8>, GitError> {
        self.require_with(&[], args)
    }

    /// The output of git with further variables.
    pub(crate) fn require_with(
        &self,
        variables: &[(&'static str, OsString)],
        args: &[impl AsRef<OsStr>],
    ) -> Result<Vec<u8>, GitError> {
        self.with(variables, &[], |question| self.git.require(question), args)
    }

    /// The first `max_bytes` of the output of git.
    pub(crate) fn require_start(
        &self,
        args: &[impl AsRef<OsStr>],
        max_bytes: usize,
    ) -> Result<GitOutputStart, GitError> {
        self.with(&[], &[], |question| self.git.require_start(question, max_bytes), args)
    }

    /// Runs a git command that may succeed in part.
    pub(crate) fn attempt_with(
        &self,
        variables: &[(&'static str, OsString)],
        args: &[&OsStr],
    ) -> Result<GitCompletion, GitError> {
        self.with(variables, &[], |question| self.git.attempt(question), args)
    }

    /// Runs git with standard input.
    pub(crate) fn send_input(
        &self,
        variables: &[(&'static str, OsString)],
        args: &[impl AsRef<OsStr>],
        input: &[u8],
    ) -> Result<Vec<u8>, GitError> {
        self.with(variables, input, |question| self.git.require(question), args)
    }

    /// Runs git with standard input. It selects lines, and exits with 1 if it selects none.
    pub(crate) fn filter_input(
        &self,
        variables: &[(&'static str, OsString)],
        args: &[impl AsRef<OsStr>],
        input: &[u8],
    ) -> Result<Vec<u8>, GitError> {
        let output = self.with(variables, input, |question| self.git.query(question), args)?;
        Ok(output.unwrap_or_default())
    }

    /// The commit that is checked out, or `None` before the first one.
    pub(crate) fn head(&self) -> Result<Option<String>, GitError> {
        Ok(self
            .query(&["rev-parse", "--quiet", "--verify", "HEAD^{commit}"])?
            .map(|output| text(&output)))
    }

    /// The settings of the repository that matter to us.
    pub(crate) fn config(&self) -> Result<RepositoryConfig, GitError> {
        self.repository.overrides.read(self)
    }

    fn with<T>(
        &self,
        variables: &[(&'static str, OsString)],
        input: &[u8],
        ask: impl FnOnce(&GitQuery<'_>) -> Result<T, GitError>,
        args: &[impl AsRef<OsStr>],
    ) -> Result<T, GitError> {
        let args: Vec<&OsStr> = args.iter().map(AsRef::as_ref).collect();
        let is_replaced = |name: &str| variables.iter().any(|(other, _)| *other == name);
        let leading = self.repository.leading.iter().filter(|(name, _)| !is_replaced(name));
        let variables: Vec<(&'static str, OsString)> = leading.chain(variables).cloned().collect();
        let directory = &self.repository.top;
        let settings = self.config()?.settings;
        let (args, variables, settings) = (&args, &variables, &settings);
        ask(&GitQuery { directory, args, variables, settings, input, deadline: self.deadline })
    }
}

/// Refuses a repository whose settings lead git to other files than those of a directory.
fn refuse_other_work_tree(found: &GitRepository, directory: &Path) -> Result<(), GitError> {
    let GitRepository { top, git_dir, .. } = found;
    let is_above = real_path(directory).starts_with(real_path(top));
    let entry = top.join(".git");
    let leads_here = entry.is_file() || real_path(&entry) == real_path(git_dir);
    if is_above && entry.exists() && leads_here {
        return Ok(());
    }
    Err(GitError::Failed(format!(
        "is led to the work tree {} by the setting core.worktree: unset it, or name directory and work tree \
         in GIT_DIR and GIT_WORK_TREE",
        top.display()
    )))
}

fn leading(git_dir: &Path, top: &Path) -> Vec<(&'static str, OsString)> {
    vec![("GIT_DIR", git_dir.into()), ("GIT_WORK_TREE", top.into())]
}

/// One line of git's output.
pub(crate) fn text(output: &[u8]) -> String {
    String::from_utf8_lossy(without_end(output)).into_owned()
}

fn without_end(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\n").unwrap_or(line)
}

/// Splits names that are separated by zero bytes.
pub(crate) fn names(output: &[u8]) -> impl Iterator<Item = &[u8]> {
    output.split(|byte| *byte == 0).filter(|name| !name.is_empty())
}

/// Parses bytes as each output of git that is read here, for the fuzz targets.
pub(crate) fn parse_any_git_output(output: &[u8]) {
    own_index::links(output);
    work_survey::numbers(&text(output));
    uncommitted_files::changes(output);
    uncommitted_files::filtered(output);
}

#[cfg(test)]
mod tests;
