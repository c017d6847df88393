//! Moves lanes to other commits.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::LaneClone;
use super::filtered_files::{ShelvedContent, fill_filtered};
use super::lane_error::LaneError;
use super::lane_source::LaneSource;
use super::lane_submodules::move_submodules;
use super::new_lane::LaneGaps;
use super::shared_clone::SharedClone;
use crate::repository::git_program::GitError;
use crate::repository::rewind::{HeadState, operation_under_way};
use crate::repository::{GitSession, names, text};

/// What became of a lane that was to be moved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LaneMove {
    /// It is at the commit, on its branch. What was not committed is as before.
    Moved(LaneGaps),
    /// Nothing was changed.
    Blocked(LaneObstacle),
}

/// What stands against moving a lane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LaneObstacle {
    /// It has this many commits that the other commit has not.
    Unlanded(u32),
    /// A merge, a rebase or another operation is not finished, or another git process is at work; in
    /// words.
    Operation(String),
    /// Files that are not committed and would be overwritten, relative to the top directory.
    Files(BTreeSet<PathBuf>),
}

impl LaneClone {
    /// Moves the lane to a commit that has everything of it. Files that are not committed stay as they
    /// are; if one of them would be overwritten, nothing happens.
    pub fn move_to(&self, source: &LaneSource, commit: &str) -> Result<LaneMove, LaneError> {
        let session = self.session();
        let target = self.require_commit(commit)?;
        let head = HeadState::read(&session)?;
        let Some(old) = head.commit.clone() else {
            return Err(self.without_commit());
        };
        if let Some(operation) = operation_under_way(&session)? {
            return Ok(LaneMove::Blocked(LaneObstacle::Operation(operation)));
        }
        let unlanded = self.count_unlanded(&target)?;
        if unlanded > 0 {
            return Ok(LaneMove::Blocked(LaneObstacle::Unlanded(unlanded)));
        }
        let changed = changed_files(&session, &old, &target)?;
        if let Some(files) = self.check_out(&target, &changed)? {
            return Ok(LaneMove::Blocked(LaneObstacle::Files(files)));
        }
        let filtered = fill_filtered(&source.session(), &session, Some(&changed))?;
        let mut gaps = LaneGaps { filtered, ..<_>::default() };
        let clone = SharedClone {
            source: source.session(),
            directory: self.directory(),
            commit: &target,
            branch: None,
            is_cancelled: &|| false,
        };
        move_submodules(&clone, &session, &old, &mut gaps)?;
        Ok(LaneMove::Moved(gaps))
    }

    /// The full id of a commit that the lane can read.
    pub(super) fn require_commit(&self, commit: &str) -> Result<String, LaneError> {
        let id = format!("{commit}^{{commit}}");
        let found = self.session().query(&["rev-parse", "--quiet", "--verify", &id])?;
        found.map(|id| text(&id)).ok_or_else(|| LaneError::UnknownCommit(commit.to_owned()))
    }

    /// How many commits of `HEAD` and of the branch of the lane another commit does not have.
    fn count_unlanded(&self, commit: &str) -> Result<u32, LaneError> {
        let session = self.session();
        let without = format!("^{commit}");
        let mut args = vec!["rev-list", "--count", "HEAD", &without];
        if let Some(branch) = &self.branch
            && session.query(&["rev-parse", "--quiet", "--verify", branch])?.is_some()
        {
            args.push(branch);
        }
        args.push("--");
        let count = text(&session.require(&args)?);
        count.parse().map_err(|_| LaneError::Git(format!("git rev-list counted `{count}`")))
    }

    /// Checks a commit out on the branch of the lane. Returns the files that are in the way.
    fn check_out(
        &self,
        target: &str,
        changed: &BTreeSet<PathBuf>,
    ) -> Result<Option<BTreeSet<PathBuf>>, LaneError> {
        let session = self.session();
        let shelved = ShelvedContent::shelve(&session, changed)?;
        match check_out(&session, self.branch.as_deref(), target) {
            Ok(()) => shelved.discard().map(|()| None),
            Err(error) => {
                shelved.restore(&session)?;
                let files = files_in_the_way(&session, changed)?;
                match (error, files.is_empty()) {
                    (GitError::Failed(_), false) => Ok(Some(files)),
                    (error, _) => Err(LaneError::from(error).with_disk(self.directory())),
                }
            }
        }
    }
}

/// Checks a commit out, and resets the branch to it if there is one. Files that are not committed stay,
/// also ignored ones, or the command fails.
pub(super) fn check_out(
    session: &GitSession<'_>,
    branch: Option<&str>,
    target: &str,
) -> Result<(), GitError> {
    let mut args = vec!["checkout", "--quiet", "--no-overwrite-ignore", "--no-recurse-submodules"];
    match branch {
        Some(branch) => {
            let name = branch.strip_prefix("refs/heads/").unwrap_or(branch);
            args.extend(["--no-track", "-B", name, target, "--"]);
        }
        None => args.extend(["--detach", target, "--"]),
    }
    session.require(&args).map(drop)
}

pub(super) fn changed_files(
    session: &GitSession<'_>,
    old: &str,
    new: &str,
) -> Result<BTreeSet<PathBuf>, GitError> {
    let diff = ["diff-tree", "-r", "-z", "--no-renames", "--name-only"];
    let args = [&diff[..], &["--no-ext-diff", "--no-textconv", old, new]].concat();
    Ok(paths(&session.require(&args)?))
}

/// The files that are not committed and that stand where another commit has a change.
fn files_in_the_way(
    session: &GitSession<'_>,
    changed: &BTreeSet<PathBuf>,
) -> Result<BTreeSet<PathBuf>, GitError> {
    let diff = ["diff-index", "--name-only", "--no-ext-diff", "--no-renames", "-z", "HEAD", "--"];
    let mut files = paths(&session.require(&diff)?);
    // Ignored files as well.
    files.extend(paths(&session.require(&["ls-files", "--others", "-z"])?));
    let around: BTreeSet<&Path> =
        changed.iter().flat_map(|path| path.ancestors().skip(1)).collect();
    // A file may stand where a directory belongs, and the other way round.
    files.retain(|path| {
        around.contains(path.as_path()) || path.ancestors().any(|place| changed.contains(place))
    });
    Ok(files)
}

fn paths(listed: &[u8]) -> BTreeSet<PathBuf> {
    let name =
        |name: &[u8]| PathBuf::from(OsStr::from_bytes(name.strip_suffix(b"/").unwrap_or(name)));
    names(listed).map(name).collect()
}
