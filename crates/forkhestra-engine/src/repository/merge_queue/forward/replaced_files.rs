//! The files that a move replaces or removes, kept until it is done.

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use crate::repository::merge_queue::MergeQueueError;
use crate::repository::remove_tree;
use crate::repository::rewind::{FileStamps, TreeChange, file_stamps, metadata_below};
use crate::repository::worktree_entries::remove_file;

/// The files that a move replaces or removes. They are links to the same files, so that an error brings
/// back not only the bytes, but also permissions and times.
#[derive(Debug)]
pub(super) struct ReplacedFiles<'a> {
    top: &'a Path,
    directory: PathBuf,
}

impl<'a> ReplacedFiles<'a> {
    /// Keeps the files at the places of changes. `before` are their stamps when they were compared with
    /// the commit. Returns their stamps from now on, or the path of one that was changed since.
    pub(super) fn keep(
        top: &'a Path,
        pending: &Path,
        changes: &[TreeChange],
        before: &FileStamps,
    ) -> Result<Result<(Self, FileStamps), PathBuf>, MergeQueueError> {
        let replaced = Self { top, directory: pending.join("replaced") };
        for change in changes {
            let path = top.join(&change.path);
            let kept = replaced.directory.join(&change.path);
            let keep = || keep_file(&path, &kept);
            if metadata_below(top, &change.path)?.is_some_and(|metadata| !metadata.is_dir()) {
                keep().map_err(MergeQueueError::file(&path))?;
            }
        }
        // A link changes the time of the last change of its file, and nothing else.
        let after = file_stamps(top, changes);
        let content = |stamps: &FileStamps, path: &PathBuf| {
            let stamp = stamps.get(path).copied().flatten();
            stamp.map(|(device, file, size, seconds, more, ..)| (device, file, size, seconds, more))
        };
        let differs =
            |change: &&TreeChange| content(before, &change.path) != content(&after, &change.path);
        match changes.iter().find(differs) {
            Some(change) => Ok(Err(change.path.clone())),
            None => Ok(Ok((replaced, after))),
        }
    }

    /// Brings back the files of these paths.
    pub(super) fn restore(&self, placed: &[PathBuf]) -> Result<(), MergeQueueError> {
        for path in placed {
            self.remove(path).map_err(MergeQueueError::file(&self.top.join(path)))?;
        }
        for path in placed {
            let (kept, place) = (self.directory.join(path), self.top.join(path));
            if kept.symlink_metadata().is_ok() {
                let restore = || {
                    place.parent().map_or(Ok(()), fs::create_dir_all)?;
                    keep_file(&kept, &place)
                };
                restore().map_err(MergeQueueError::file(&place))?;
            }
        }
        Ok(())
    }

    /// Removes a placed file, and the directories that are empty then.
    fn remove(&self, path: &Path) -> io::Result<()> {
        let place = self.top.join(path);
        match place.symlink_metadata() {
            Ok(metadata) if metadata.is_dir() => remove_tree_if_empty(&place)?,
            _ => remove_file(&place)?,
        }
        let above = place.ancestors().skip(1).take_while(|above| *above != self.top);
        for directory in above {
            if fs::remove_dir(directory).is_err() {
                break;
            }
        }
        Ok(())
    }
}

/// Links a file to another place, or copies it to another file system.
fn keep_file(from: &Path, to: &Path) -> io::Result<()> {
    to.parent().map_or(Ok(()), fs::create_dir_all)?;
    let metadata = from.symlink_metadata()?;
    if metadata.is_symlink() {
        return symlink(fs::read_link(from)?, to);
    }
    match fs::hard_link(from, to) {
        Err(error) if error.kind() == io::ErrorKind::CrossesDevices => fs::copy(from, to).map(drop),
        linked => linked,
    }
}

fn remove_tree_if_empty(directory: &Path) -> io::Result<()> {
    match fs::read_dir(directory)?.next() {
        None => remove_tree(directory),
        Some(_) => Ok(()),
    }
}
