//! Changes between two trees, classified by what a rewind does with them. A change is not possible where
//! the work tree has a file that is not in the tree of the current state.

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::RewindError;
use super::tree_change::TreeChange;
use super::work_tree_file::{has_content, metadata_below};
use crate::repository::GitSession;
use crate::work_tree::own_paths::OwnPaths;

/// Changes, classified by what a rewind does with them.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::repository) struct ClassifiedChanges {
    /// Changes that are made.
    pub(in crate::repository) made: Vec<TreeChange>,
    /// Paths that the rewind does not change: submodules, and files that are not in snapshots.
    pub(in crate::repository) unchanged: Vec<PathBuf>,
    /// Paths with files that must not be replaced: they are not in the tree of the current state.
    pub(in crate::repository) obstacles: BTreeSet<PathBuf>,
}

/// What is known about the work tree.
pub(in crate::repository) struct KnownPaths<'a> {
    /// Absolute paths that are not in the tree of the current state.
    pub(in crate::repository) left_out: &'a BTreeSet<PathBuf>,
    /// Relative paths that a sparse checkout leaves out.
    pub(in crate::repository) sparse: &'a HashSet<PathBuf>,
    /// Relative paths that the rewind does not change although the trees differ there.
    pub(in crate::repository) unchanged: &'a HashSet<PathBuf>,
    /// Paths of forkhestra.
    pub(in crate::repository) own_paths: &'a OwnPaths,
}

impl ClassifiedChanges {
    pub(in crate::repository) fn of(
        session: &GitSession<'_>,
        changes: Vec<TreeChange>,
        known: &KnownPaths<'_>,
    ) -> Result<Self, RewindError> {
        let top = &session.repository.top;
        let mut classified = Self::default();
        let mut candidates = Vec::new();
        for change in changes {
            let path = top.join(&change.path);
            let is_sparse = known.sparse.contains(&change.path);
            if is_sparse && metadata_below(top, &change.path)?.is_none() {
                continue;
            }
            if known.own_paths.covers(&path, top) {
                continue;
            }
            let above = change.path.ancestors().skip(1);
            let mut above = above.filter(|path| !path.as_os_str().is_empty());
            let is_unchanged =
                known.left_out.contains(&path) || known.unchanged.contains(&change.path);
            if change.is_about_repository() || is_unchanged {
                classified.unchanged.push(change.path);
            } else if let Some(place) =
                above.find(|above| known.left_out.contains(&top.join(above)))
            {
                classified.obstacles.insert(place.to_owned());
            } else {
                candidates.push(change);
            }
        }
        // Only these may be removed: their content is in the tree of the current state.
        let removable = candidates.iter().filter(|change| change.before.is_some());
        let removable: HashSet<PathBuf> = removable.map(|change| change.path.clone()).collect();
        for change in candidates {
            match state_of_path(session, &change, &removable)? {
                PathState::Free => classified.made.push(change),
                PathState::Same => {}
                PathState::Blocked(path) => {
                    classified.obstacles.insert(path);
                }
            }
        }
        Ok(classified)
    }
}

/// What is at the place of a change.
enum PathState {
    /// Nothing, or what the tree of the current state has.
    Free,
    /// A file that git does not know, with the content of the target.
    Same,
    /// Something else.
    Blocked(PathBuf),
}

fn state_of_path(
    session: &GitSession<'_>,
    change: &TreeChange,
    removable: &HashSet<PathBuf>,
) -> Result<PathState, RewindError> {
    let top = &session.repository.top;
    let Some(entry) = &change.after else {
        let is_known = change.before.is_some();
        let is_free = is_known || metadata_below(top, &change.path)?.is_none();
        let blocked = || PathState::Blocked(change.path.clone());
        return Ok(if is_free { PathState::Free } else { blocked() });
    };
    let above = change.path.ancestors().skip(1).filter(|path| !path.as_os_str().is_empty());
    for ancestor in above {
        let blocks = metadata_below(top, ancestor)?.is_some_and(|metadata| !metadata.is_dir());
        if blocks && !removable.contains(ancestor) {
            return Ok(PathState::Blocked(ancestor.to_owned()));
        }
    }
    let Some(metadata) = metadata_below(top, &change.path)? else { return Ok(PathState::Free) };
    if metadata.is_dir() {
        let unknown = unknown_file(top, &change.path, removable)?;
        return Ok(unknown.map_or(PathState::Free, PathState::Blocked));
    }
    if change.before.is_some() {
        return Ok(PathState::Free);
    }
    match has_content(session, &change.path, entry)? {
        true => Ok(PathState::Same),
        false => Ok(PathState::Blocked(change.path.clone())),
    }
}

/// A file in a directory that must not be removed.
fn unknown_file(
    top: &Path,
    directory: &Path,
    removable: &HashSet<PathBuf>,
) -> Result<Option<PathBuf>, RewindError> {
    let path = top.join(directory);
    for entry in fs::read_dir(&path).map_err(RewindError::file(&path))? {
        let entry = entry.map_err(RewindError::file(&path))?;
        let below = directory.join(entry.file_name());
        let is_directory = entry.file_type().map_err(RewindError::file(&path))?.is_dir();
        let unknown = match is_directory {
            true => unknown_file(top, &below, removable)?,
            false => (!removable.contains(&below)).then_some(below),
        };
        if unknown.is_some() {
            return Ok(unknown);
        }
    }
    Ok(None)
}
