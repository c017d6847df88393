//! The submodules of a lane: those that are initialised in the user's work tree. Their objects are read
//! there, so that nothing is fetched.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::filtered_files::fill_filtered;
use super::lane_error::{LaneError, file};
use super::lane_move::{changed_files, check_out};
use super::new_lane::{LaneGaps, SubmoduleGap, populate};
use super::shared_clone::SharedClone;
use crate::repository::git_program::GitError;
use crate::repository::own_index::refuse_special_file;
use crate::repository::worktree_entries::remove_tree;
use crate::repository::{GitRepository, GitSession, names};
use crate::work_tree::own_paths::real_path;

/// What stands before the commit of a submodule in a line of `git ls-tree`.
const SUBMODULE: &[u8] = b"160000 commit ";

/// Makes clones of the submodules of a clone. Those that cannot be made are empty directories.
pub(super) fn add_submodules(
    clone: &SharedClone<'_>,
    session: &GitSession<'_>,
    gaps: &mut LaneGaps,
) -> Result<(), LaneError> {
    for (path, commit) in submodules(session, clone.commit)? {
        add_submodule(clone, session, &path, &commit, gaps)?;
    }
    Ok(())
}

fn add_submodule(
    clone: &SharedClone<'_>,
    session: &GitSession<'_>,
    path: &Path,
    commit: &str,
    gaps: &mut LaneGaps,
) -> Result<(), LaneError> {
    let directory = clone.directory.join(path);
    // A sparse checkout leaves out submodules as well.
    let is_wanted = directory.is_dir();
    let Some(repository) = initialised(&clone.source, path)?.filter(|_| is_wanted) else {
        return Ok(());
    };
    let source = GitSession { repository: &repository, ..clone.source };
    let (directory, branch, is_cancelled) = (directory.as_path(), None, clone.is_cancelled);
    let made = SharedClone { source, directory, commit, branch, is_cancelled };
    match has_commit(&source, commit).and_then(|()| populate(&made)) {
        Ok(inner) => gaps.add_below(path, inner),
        Err(LaneError::Git(why)) => {
            remove_tree(directory).map_err(file(directory))?;
            fs::create_dir(directory).map_err(file(directory))?;
            gaps.submodules.push(SubmoduleGap { path: path.to_owned(), why });
            return Ok(());
        }
        Err(error) => return Err(error),
    }
    // In its usual place, the repository survives a checkout that removes the submodule. One that
    // `.gitmodules` does not name cannot be moved there; git finds it in either place.
    let absorb = ["submodule", "--quiet", "absorbgitdirs", "--"].map(OsStr::new);
    let args: Vec<&OsStr> = absorb.into_iter().chain([path.as_os_str()]).collect();
    session.filter_input(&[], &args, &[])?;
    Ok(())
}

/// Brings the submodules of a lane from their commits in an old commit to those in the new one, which is
/// checked out. Submodules with commits of their own stay as they are.
pub(super) fn move_submodules(
    clone: &SharedClone<'_>,
    session: &GitSession<'_>,
    old: &str,
    gaps: &mut LaneGaps,
) -> Result<(), LaneError> {
    let before: BTreeMap<PathBuf, String> = submodules(session, old)?.into_iter().collect();
    for (path, commit) in submodules(session, clone.commit)? {
        let Some(repository) = initialised(session, &path)? else {
            if is_empty(&session.repository.top.join(&path)) {
                add_submodule(clone, session, &path, &commit, gaps)?;
            }
            continue;
        };
        if before.get(&path) == Some(&commit) {
            continue;
        }
        if !is_inside(&repository, session.repository) {
            let why = "its directory of git is outside of the lane".to_owned();
            gaps.submodules.push(SubmoduleGap { path, why });
            continue;
        }
        let inner = GitSession { repository: &repository, ..*session };
        if let Err(why) = move_submodule(clone, &inner, &path, &commit, gaps)? {
            gaps.submodules.push(SubmoduleGap { path, why });
        }
    }
    Ok(())
}

/// Moves one submodule, or returns why it stays.
fn move_submodule(
    clone: &SharedClone<'_>,
    inner: &GitSession<'_>,
    path: &Path,
    commit: &str,
    gaps: &mut LaneGaps,
) -> Result<Result<(), String>, LaneError> {
    let Some(head) = inner.head()? else {
        return Ok(Err("it has no commit".to_owned()));
    };
    if head == commit {
        return Ok(Ok(()));
    }
    if let Err(error) = has_commit(inner, commit) {
        return Ok(Err(error.to_string()));
    }
    if inner.query(&["merge-base", "--is-ancestor", &head, commit])?.is_none() {
        return Ok(Err(format!("it has commits that {commit} does not have")));
    }
    match check_out(inner, None, commit) {
        Ok(()) => {}
        Err(GitError::Failed(why)) => return Ok(Err(format!("git {why}"))),
        Err(error) => return Err(error.into()),
    }
    let Some(source) = initialised(&clone.source, path)? else { return Ok(Ok(())) };
    let source = GitSession { repository: &source, ..clone.source };
    let directory = inner.repository.top.as_path();
    let moved = SharedClone { source, directory, commit, ..*clone };
    let changed = changed_files(inner, &head, commit)?;
    let filtered = fill_filtered(&source, inner, Some(&changed))?;
    let mut below = LaneGaps { filtered, ..<_>::default() };
    move_submodules(&moved, inner, &head, &mut below)?;
    gaps.add_below(path, below);
    Ok(Ok(()))
}

/// Whether a submodule is stored in the repository around it. An agent may have led it to that of the
/// user's work tree.
fn is_inside(submodule: &GitRepository, around: &GitRepository) -> bool {
    let common = real_path(&submodule.common);
    [&around.common, &around.top].into_iter().any(|place| common.starts_with(real_path(place)))
}

fn is_empty(directory: &Path) -> bool {
    fs::read_dir(directory).is_ok_and(|mut entries| entries.next().is_none())
}

/// The submodules of a commit, each with its own commit.
pub(super) fn submodules(
    session: &GitSession<'_>,
    commit: &str,
) -> Result<Vec<(PathBuf, String)>, GitError> {
    let listed = session.require(&["ls-tree", "-r", "-z", "--full-tree", commit])?;
    let submodule = |line: &[u8]| {
        let rest = line.strip_prefix(SUBMODULE)?;
        let tab = rest.iter().position(|byte| *byte == b'\t')?;
        let path = PathBuf::from(OsStr::from_bytes(&rest[tab + 1..]));
        Some((path, String::from_utf8_lossy(&rest[..tab]).into_owned()))
    };
    Ok(names(&listed).filter_map(submodule).collect())
}

/// The repository of a submodule, if it is initialised in a work tree.
pub(super) fn initialised(
    session: &GitSession<'_>,
    path: &Path,
) -> Result<Option<GitRepository>, LaneError> {
    let top = session.repository.top.join(path);
    let is_directory = fs::symlink_metadata(&top).is_ok_and(|found| found.is_dir());
    if !is_directory || !top.join(".git").exists() {
        return Ok(None);
    }
    for name in [".git/HEAD", ".git/config"] {
        refuse_special_file(&top.join(name)).map_err(file(&top.join(name)))?;
    }
    Ok(GitRepository::find_nested(session.git, &top, session.deadline)?)
}

fn has_commit(session: &GitSession<'_>, commit: &str) -> Result<(), LaneError> {
    let found = session.query(&["cat-file", "-e", &format!("{commit}^{{commit}}")])?;
    let missing = || {
        LaneError::Git(format!("the submodule of the work tree does not have its commit {commit}"))
    };
    found.map(drop).ok_or_else(missing)
}
