//! Files in the way of a rewind: what is at a place where the target has a file, and is not in the
//! tree of the current state.

use std::collections::{BTreeSet, HashSet};
use std::ffi::OsStr;
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::RewindError;
use super::tree_change::{TreeChange, TreeEntry, TreeEntryKind};
use crate::repository::{GitSession, text};
use crate::work_tree::own_paths::OwnPaths;

/// Changes divided by what a rewind does with them.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct DividedChanges {
    /// Changes that are made.
    pub(super) made: Vec<TreeChange>,
    /// Files that git does not know, which have the content of the target already.
    pub(super) same: Vec<TreeChange>,
    /// Paths that stay as they are: submodules, and files that are not in snapshots.
    pub(super) left: Vec<PathBuf>,
    /// Paths that are in the way.
    pub(super) obstacles: BTreeSet<PathBuf>,
}

/// What is known about the work tree.
pub(super) struct KnownPaths<'a> {
    /// Absolute paths that are not in the tree of the current state.
    pub(super) left_out: &'a BTreeSet<PathBuf>,
    /// Relative paths that a sparse checkout leaves out.
    pub(super) sparse: &'a HashSet<PathBuf>,
    /// Relative paths that stay although the trees have them.
    pub(super) kept: &'a HashSet<PathBuf>,
    /// Paths of forkhestra.
    pub(super) own_paths: &'a OwnPaths,
}

impl DividedChanges {
    pub(super) fn of(
        session: &GitSession<'_>,
        changes: Vec<TreeChange>,
        known: &KnownPaths<'_>,
    ) -> Result<Self, RewindError> {
        let top = &session.repository.top;
        let mut divided = Self::default();
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
            let stays = known.left_out.contains(&path) || known.kept.contains(&change.path);
            if change.is_about_repository() || stays {
                divided.left.push(change.path);
            } else if let Some(place) =
                above.find(|above| known.left_out.contains(&top.join(above)))
            {
                divided.obstacles.insert(place.to_owned());
            } else {
                candidates.push(change);
            }
        }
        // Only these may be removed: their content is in the tree of the current state.
        let removable = candidates.iter().filter(|change| change.before.is_some());
        let removable: HashSet<PathBuf> = removable.map(|change| change.path.clone()).collect();
        for change in candidates {
            match in_the_way(session, &change, &removable)? {
                PathState::Free => divided.made.push(change),
                PathState::Same => {
                    let before = change.after.clone();
                    divided.same.push(TreeChange { before, ..change });
                }
                PathState::Blocked(path) => {
                    divided.obstacles.insert(path);
                }
            }
        }
        Ok(divided)
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

fn in_the_way(
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

/// Whether a file has the content of an entry, as git would commit it.
pub(super) fn has_content(
    session: &GitSession<'_>,
    path: &Path,
    entry: &TreeEntry,
) -> Result<bool, RewindError> {
    has_object(session, path, entry, &["hash-object", "--"])
}

/// Whether a file has the bytes of an entry.
pub(super) fn has_bytes(
    session: &GitSession<'_>,
    path: &Path,
    entry: &TreeEntry,
) -> Result<bool, RewindError> {
    has_object(session, path, entry, &["hash-object", "--no-filters", "--"])
}

fn has_object(
    session: &GitSession<'_>,
    path: &Path,
    entry: &TreeEntry,
    hash: &[&str],
) -> Result<bool, RewindError> {
    let full = session.repository.top.join(path);
    let Some(metadata) = metadata_below(&session.repository.top, path)? else {
        return Ok(false);
    };
    let hash = match entry.kind {
        TreeEntryKind::Link if metadata.is_symlink() => {
            let target = fs::read_link(&full).map_err(RewindError::file(&full))?;
            let target = target.as_os_str().as_bytes();
            session.send_input(&[], &["hash-object", "--stdin"], target)?
        }
        TreeEntryKind::File | TreeEntryKind::Executable if metadata.is_file() => {
            let is_executable = metadata.permissions().mode() & 0o100 != 0;
            if is_executable != (entry.kind == TreeEntryKind::Executable) {
                return Ok(false);
            }
            let args = hash.iter().map(OsStr::new).chain([full.as_os_str()]);
            session.require(&args.collect::<Vec<_>>())?
        }
        _ => return Ok(false),
    };
    Ok(text(&hash) == entry.object)
}

/// The metadata of a file below a directory; `None` if there is none. A link on the way to it is not
/// followed.
pub(super) fn metadata_below(top: &Path, name: &Path) -> Result<Option<Metadata>, RewindError> {
    let mut parts: Vec<&Path> = name.ancestors().collect();
    parts.pop();
    for part in parts.into_iter().rev() {
        let path = top.join(part);
        match fs::symlink_metadata(&path) {
            Ok(metadata) if part == name => return Ok(Some(metadata)),
            Ok(metadata) if metadata.is_dir() => {}
            Ok(_) => return Ok(None),
            Err(error) if is_absent(&error) => return Ok(None),
            Err(error) => return Err(RewindError::file(&path)(error)),
        }
    }
    Ok(None)
}

/// Whether nothing is at a path.
pub(super) fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}
