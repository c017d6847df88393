//! Paths that a rewind does not change although the two trees differ there.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::RewindError;
use super::tree_change::{TreeChange, zero_ended};
use crate::repository::uncommitted_files::filtered;
use crate::repository::{GitSession, names};

/// The name of files with names that git ignores.
const IGNORE_FILE: &str = ".gitignore";

/// Files with a filter: it is unknown whether a snapshot has them as they are in the work tree or as
/// they are committed, and we run no filters.
pub(in crate::repository) fn filtered_paths(
    session: &GitSession<'_>,
    changes: &[TreeChange],
) -> Result<HashSet<PathBuf>, RewindError> {
    if changes.is_empty() || !session.config()?.has_filters {
        return Ok(HashSet::new());
    }
    let args = ["check-attr", "--stdin", "-z", "filter"];
    let listed = session.send_input(&[], &args, &zero_ended(changes.iter()))?;
    Ok(filtered(&listed).into_iter().collect())
}

/// Files that would be removed, and that git ignores by the rules of the target. They may have been
/// there: snapshots have no ignored files.
pub(super) fn ignored_at_target(
    session: &GitSession<'_>,
    scratch: &Path,
    target: &str,
    changes: &[TreeChange],
) -> Result<HashSet<PathBuf>, RewindError> {
    let has_other_rules =
        changes.iter().any(|change| change.path.file_name() == Some(OsStr::new(IGNORE_FILE)));
    let removed: Vec<&TreeChange> = changes.iter().filter(|it| it.after.is_none()).collect();
    if !has_other_rules || removed.is_empty() {
        return Ok(HashSet::new());
    }
    let rules = scratch.join("rules");
    fs::create_dir_all(&rules).map_err(RewindError::file(&rules))?;
    let variables: [(&'static str, OsString); 2] = [
        ("GIT_INDEX_FILE", scratch.join("rules-index").into()),
        ("GIT_WORK_TREE", rules.clone().into()),
    ];
    session.require_with(&variables, &["read-tree", "--no-sparse-checkout", target])?;
    let all = session.require_with(&variables, &["ls-files", "-z"])?;
    let is_rule = |name: &&[u8]| {
        Path::new(OsStr::from_bytes(name)).file_name() == Some(OsStr::new(IGNORE_FILE))
    };
    let files: Vec<u8> = names(&all).filter(is_rule).flat_map(|it| [it, b"\0"].concat()).collect();
    if !files.is_empty() {
        let args = ["checkout-index", "--force", "-z", "--stdin"];
        session.send_input(&variables, &args, &files)?;
    }
    let args = ["check-ignore", "--no-index", "-z", "--stdin"];
    let ignored = session.filter_input(&variables, &args, &zero_ended(removed.into_iter()))?;
    Ok(names(&ignored).map(|name| PathBuf::from(OsStr::from_bytes(name))).collect())
}
