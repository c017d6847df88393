//! The state of a repository.

use std::ffi::OsString;
use std::path::Path;
use std::time::{Duration, Instant};

use super::{EffectsError, Mark};
use crate::git::GitError;
use crate::repository::{Repository, Session, copy_index, text};
use crate::work_tree::WorkTree;

/// Nobody waits longer until everything is seen.
pub(super) const PATIENCE: Duration = Duration::from_secs(600);

/// No more names of files are kept of what is not kept itself.
const MOST_NAMES: usize = 20;

/// What leads git somewhere.
pub(super) type Variables = Vec<(&'static str, OsString)>;

/// A repository that was looked at just now.
pub(super) struct Seen {
    pub(super) mark: Mark,
    pub(super) repository: Repository,
    /// What leads git to the index of our own, and to the objects in it.
    pub(super) variables: Variables,
}

/// The state of the repository that a work tree is in now; none if it is in none.
pub(crate) fn mark_with(tree: &mut WorkTree) -> Result<Option<Mark>, EffectsError> {
    Ok(see(tree, Instant::now() + PATIENCE)?.map(|seen| seen.mark))
}

pub(super) fn see(tree: &mut WorkTree, deadline: Instant) -> Result<Option<Seen>, EffectsError> {
    if !tree.may_be_repository() {
        return Ok(None);
    }
    let Some(repository) = tree.repository(deadline)? else { return Ok(None) };
    let looked = tree.look_around(&repository, deadline)?;
    let variables = tree.variables(&repository, deadline);
    let session = Session { git: tree.git(), repository: &repository, deadline };
    let branch = session.ask(&["symbolic-ref", "--quiet", "HEAD"])?;
    let name = |path: &Path| {
        path.strip_prefix(&repository.top).unwrap_or(path).to_string_lossy().into_owned()
    };
    let mark = Mark {
        head: looked.signals.head,
        branch: branch.map(|said| text(&said)),
        index: index(&session, &variables, &tree.places().scratch)?,
        tree: looked.tree,
        left_out: looked.left_out.iter().map(|path| name(path)).take(MOST_NAMES).collect(),
    };
    Ok(Some(Seen { mark, repository, variables }))
}

/// The tree of the user's index; none if it has conflicts. Git would write to an index of which it makes
/// a tree, so it gets a copy.
fn index(
    session: &Session<'_>,
    variables: &Variables,
    scratch: &Path,
) -> Result<Option<String>, EffectsError> {
    let copy = scratch.join("index-of-user");
    session.git.prepare(|| copy_index(&session.repository.index, &copy))?;
    match session.demand_with(&with_index(variables, &copy), &["write-tree"]) {
        Ok(tree) => Ok(Some(text(&tree))),
        Err(GitError::Failed(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The same with another index.
pub(super) fn with_index(variables: &Variables, index: &Path) -> Variables {
    let others = variables.iter().filter(|(name, _)| *name != "GIT_INDEX_FILE").cloned();
    others.chain([("GIT_INDEX_FILE", index.into())]).collect()
}
