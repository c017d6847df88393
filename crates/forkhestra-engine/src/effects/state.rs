//! Reads the state of a repository.

use std::ffi::OsString;
use std::path::Path;
use std::time::{Duration, Instant};

use forkhestra_core::recording::RecordedState;

use super::EffectsError;
use crate::repository::git_program::GitError;
use crate::repository::{GitRepository, GitSession, copy_index, text};
use crate::work_tree::WorkTree;

/// The time limit of git for one state, one capture or one replay.
pub(super) const TIMEOUT: Duration = Duration::from_secs(600);

/// The maximum of kept names of omitted files.
const MAX_NAMES: usize = 20;

/// Environment variables for git.
pub(super) type GitVariables = Vec<(&'static str, OsString)>;

/// A repository and its current state.
pub(super) struct ObservedRepository {
    pub(super) state: RecordedState,
    pub(super) repository: GitRepository,
    /// Variables that make git use our own index and its objects.
    pub(super) variables: GitVariables,
}

/// The current state of the repository of a work tree, or `None` if it is in none.
pub(crate) fn state_of(tree: &mut WorkTree) -> Result<Option<RecordedState>, EffectsError> {
    Ok(observe_repository(tree, Instant::now() + TIMEOUT)?.map(|seen| seen.state))
}

pub(super) fn observe_repository(
    tree: &mut WorkTree,
    deadline: Instant,
) -> Result<Option<ObservedRepository>, EffectsError> {
    if !tree.may_be_repository() {
        return Ok(None);
    }
    let Some(repository) = tree.repository(deadline)? else { return Ok(None) };
    let looked = tree.observe_repository(&repository, deadline)?;
    let variables = tree.variables(&repository, deadline);
    let session = GitSession { git: tree.git(), repository: &repository, deadline };
    let branch = session.query(&["symbolic-ref", "--quiet", "HEAD"])?;
    let name = |path: &Path| {
        path.strip_prefix(&repository.top).unwrap_or(path).to_string_lossy().into_owned()
    };
    let state = RecordedState {
        head: looked.signals.head,
        branch: branch.map(|output| text(&output)),
        index: index(&session, &variables, &tree.places().scratch)?,
        tree: looked.tree,
        left_out: looked.left_out.iter().map(|path| name(path)).take(MAX_NAMES).collect(),
    };
    Ok(Some(ObservedRepository { state, repository, variables }))
}

/// The tree of the user's index, or `None` if it has conflicts. `git write-tree` changes the index,
/// so it gets a copy.
fn index(
    session: &GitSession<'_>,
    variables: &GitVariables,
    scratch: &Path,
) -> Result<Option<String>, EffectsError> {
    let copy = scratch.join("index-of-user");
    session.git.prepare(|| copy_index(&session.repository.index, &copy))?;
    match session.require_with(&with_index(variables, &copy), &["write-tree"]) {
        Ok(tree) => Ok(Some(text(&tree))),
        Err(GitError::Failed(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The same variables with another index.
pub(super) fn with_index(variables: &[(&'static str, OsString)], index: &Path) -> GitVariables {
    let others = variables.iter().filter(|(name, _)| *name != "GIT_INDEX_FILE").cloned();
    others.chain([("GIT_INDEX_FILE", index.into())]).collect()
}
