//! The submodules of a lane: those that are initialised in the user's work tree. Their objects are read
//! there, so that nothing is fetched.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::lane_error::{LaneError, file};
use super::new_lane::{LaneGaps, SubmoduleGap, populate};
use super::shared_clone::SharedClone;
use crate::repository::git_program::GitError;
use crate::repository::own_index::refuse_special_file;
use crate::repository::worktree_entries::remove_tree;
use crate::repository::{GitRepository, GitSession, names};

/// What stands before the commit of a submodule in a line of `git ls-tree`.
const SUBMODULE: &[u8] = b"160000 commit ";

/// Makes clones of the submodules of a clone. Those that cannot be made are empty directories.
pub(super) fn add_submodules(
    clone: &SharedClone<'_>,
    session: &GitSession<'_>,
    gaps: &mut LaneGaps,
) -> Result<(), LaneError> {
    for (path, commit) in submodules(session, clone.commit)? {
        let directory = clone.directory.join(&path);
        // A sparse checkout leaves out submodules as well.
        let is_wanted = directory.is_dir();
        let Some(repository) = initialised(&clone.source, &path)?.filter(|_| is_wanted) else {
            continue;
        };
        let source = GitSession { repository: &repository, ..clone.source };
        let made = SharedClone {
            source,
            directory: &directory,
            commit: &commit,
            branch: None,
            is_cancelled: clone.is_cancelled,
        };
        let made = has_commit(&source, &commit).and_then(|()| populate(&made));
        match made {
            Ok(inner) => gaps.add_below(&path, inner),
            Err(LaneError::Git(why)) => {
                remove_tree(&directory).map_err(file(&directory))?;
                fs::create_dir(&directory).map_err(file(&directory))?;
                gaps.submodules.push(SubmoduleGap { path, why });
                continue;
            }
            Err(error) => return Err(error),
        }
        // In its usual place, the repository survives a checkout that removes the submodule. One that
        // `.gitmodules` does not name cannot be moved there; git finds it in either place.
        let absorb = ["submodule", "--quiet", "absorbgitdirs", "--"].map(OsStr::new);
        let args: Vec<&OsStr> = absorb.into_iter().chain([path.as_os_str()]).collect();
        session.filter_input(&[], &args, &[])?;
    }
    Ok(())
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
