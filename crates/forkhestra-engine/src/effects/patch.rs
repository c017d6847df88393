//! Patches between trees.

use std::ffi::OsString;

use super::EffectsError;
use crate::repository::git_program::GitError;
use crate::repository::{GitSession, text};

/// Independent of the user's settings: complete, without rename detection, and readable by git.
const DIFF: [&str; 15] = [
    "diff-tree",
    "-r",
    "-p",
    "--binary",
    "--full-index",
    "--no-renames",
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--no-relative",
    "--submodule=short",
    "--ignore-submodules=none",
    "--src-prefix=a/",
    "--dst-prefix=b/",
    "--unified=3",
];

/// The patch from one tree to another, or `None` if they are equal.
pub(super) fn diff(
    session: &GitSession<'_>,
    variables: &[(&'static str, OsString)],
    from: &str,
    to: &str,
) -> Result<Option<Vec<u8>>, GitError> {
    if from == to {
        return Ok(None);
    }
    let args: Vec<&str> = DIFF.into_iter().chain([from, to]).collect();
    let patch = session.require_with(variables, &args)?;
    Ok((!patch.is_empty()).then_some(patch))
}

/// Independent of the user's settings: patches are applied unchanged.
pub(super) const APPLY: [&str; 5] =
    ["-c", "apply.ignoreWhitespace=no", "apply", "--whitespace=nowarn", "-p1"];

/// Applies a patch to a tree in the index that the variables name, and returns the resulting tree.
pub(super) fn patched(
    session: &GitSession<'_>,
    variables: &[(&'static str, OsString)],
    from: &str,
    patch: Option<&[u8]>,
) -> Result<String, EffectsError> {
    let Some(patch) = patch else { return Ok(from.to_owned()) };
    session.require_with(variables, &["read-tree", from])?;
    session.send_input(variables, &[&APPLY[..], &["--cached", "-"]].concat(), patch)?;
    Ok(text(&session.require_with(variables, &["write-tree"])?))
}

/// The tree of a commit, or the empty tree.
pub(super) fn tree_of(
    session: &GitSession<'_>,
    commit: Option<&str>,
) -> Result<String, EffectsError> {
    let Some(commit) = commit else {
        return Ok(text(&session.require(&["hash-object", "-t", "tree", "/dev/null"])?));
    };
    let found =
        session.query(&["rev-parse", "--verify", "--quiet", &format!("{commit}^{{tree}}")])?;
    let missing = || EffectsError::DoNotFit(format!("commit {commit} is not in this repository"));
    found.map(|tree| text(&tree)).ok_or_else(missing)
}
