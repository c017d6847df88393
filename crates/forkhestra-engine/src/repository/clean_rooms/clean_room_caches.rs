//! Paths that are kept between clean rooms.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use super::CleanRoomError;
use crate::repository::worktree_entries::{remove_file, remove_tree};

/// Paths that are kept between clean rooms.
#[derive(Debug, Clone)]
pub(super) struct CleanRoomCaches {
    /// The working directory inside the clean room.
    pub(super) work: PathBuf,
    /// Where they are stored between clean rooms.
    pub(super) store: PathBuf,
    /// Their names, relative to the working directory.
    pub(super) names: Vec<PathBuf>,
}

impl CleanRoomCaches {
    /// Moves the kept paths into the clean room, but never over files that are checked out.
    pub(super) fn bring(&self) -> io::Result<()> {
        for name in &self.names {
            let (from, to) = (self.store.join(name), self.work.join(name));
            let is_free = to.symlink_metadata().is_err();
            if is_free && from.symlink_metadata().is_ok() && make_parent(&self.work, &to)? {
                fs::rename(from, to)?;
            }
        }
        Ok(())
    }

    /// Moves the paths that are to be kept out of the clean room.
    pub(super) fn save(&self) -> io::Result<()> {
        for name in &self.names {
            let (from, to) = (self.work.join(name), self.store.join(name));
            if from.symlink_metadata().is_err() || !is_inside(&self.work, &from) {
                continue;
            }
            if to.is_dir() && !to.is_symlink() {
                remove_tree(&to)?;
            } else {
                remove_file(&to)?;
            }
            if make_parent(&self.store, &to)? {
                fs::rename(from, to)?;
            }
        }
        Ok(())
    }
}

/// Creates the parent directory of a path. `false` if a file is in the way or a link leads
/// elsewhere.
pub(in crate::repository) fn make_parent(root: &Path, path: &Path) -> io::Result<bool> {
    fs::create_dir_all(root)?;
    let parent = path.parent().unwrap_or(root);
    let existing = parent.ancestors().find(|place| place.symlink_metadata().is_ok());
    let existing = existing.unwrap_or(root);
    let is_usable = existing.is_dir() && is_inside(root, &existing.join("it"));
    if is_usable {
        fs::create_dir_all(parent)?;
    }
    Ok(is_usable)
}

/// Whether the parent of a path is really below a directory: links may lead elsewhere.
fn is_inside(root: &Path, path: &Path) -> bool {
    let parent = path.parent().and_then(|parent| parent.canonicalize().ok());
    let root = root.canonicalize().ok();
    parent.zip(root).is_some_and(|(parent, root)| parent.starts_with(root))
}

/// A relative path that cannot leave its directory.
pub(in crate::repository) fn relative_inside(name: &str) -> Result<PathBuf, CleanRoomError> {
    let components = Path::new(name).components().filter(|part| *part != Component::CurDir);
    let parts: Option<PathBuf> = components
        .map(|part| match part {
            Component::Normal(part) => Some(part),
            _ => None,
        })
        .collect();
    let is_some = |path: &PathBuf| !path.as_os_str().is_empty();
    parts.filter(is_some).ok_or_else(|| CleanRoomError::NotInside(name.to_owned()))
}
