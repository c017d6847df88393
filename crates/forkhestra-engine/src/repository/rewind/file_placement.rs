//! Moves files into a work tree and removes others.

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::RewindError;
use super::staged_files::StagedFiles;
use super::tree_change::{TreeChange, TreeEntryKind};
use super::work_tree_file::{is_absent, metadata_below};
use crate::repository::own_index::{IndexStamp, stamp};

/// The extension of a file that is copied from another file system, until it is complete.
const COPY_EXTENSION: &str = "forkhestra-new";

/// Permissions of files, by their relative paths.
pub(in crate::repository) type FileModes = HashMap<PathBuf, u32>;

/// Metadata of files by their relative paths, to notice changes by other programs; `None` where there
/// was no file.
pub(in crate::repository) type FileStamps = HashMap<PathBuf, Option<IndexStamp>>;

/// A work tree in which files are replaced and removed.
pub(in crate::repository) struct FilePlacement<'a> {
    pub(in crate::repository) top: &'a Path,
    pub(in crate::repository) staged: &'a StagedFiles,
    /// Permissions of files. A file without an entry keeps those of the file that it replaces, apart
    /// from the permission to execute it.
    pub(in crate::repository) modes: &'a FileModes,
    /// The files as they were saved. One that differs is not replaced.
    pub(in crate::repository) stamps: &'a FileStamps,
    /// A directory that stays even if it is empty.
    pub(in crate::repository) working_directory: &'a Path,
    /// The paths that are replaced or removed so far.
    pub(in crate::repository) done: Vec<PathBuf>,
}

impl FilePlacement<'_> {
    /// Makes changes: first removals, then new files. A file is replaced by a single rename.
    pub(in crate::repository) fn place(
        &mut self,
        changes: &[TreeChange],
    ) -> Result<(), RewindError> {
        let mut emptied = BTreeSet::new();
        for change in changes.iter().filter(|change| change.after.is_none()) {
            let path = self.top.join(&change.path);
            self.require_unchanged(&change.path)?;
            if metadata_below(self.top, &change.path)?.is_some() {
                fs::remove_file(&path).map_err(RewindError::file(&path))?;
                self.done.push(change.path.clone());
            }
            let above = change.path.ancestors().skip(1);
            emptied.extend(above.filter(|path| !path.as_os_str().is_empty()).map(Path::to_owned));
        }
        // The deepest directories come last in this order.
        for directory in emptied.iter().rev().map(|directory| self.top.join(directory)) {
            if !self.working_directory.starts_with(&directory) {
                remove_if_empty(&directory)?;
            }
        }
        for change in changes {
            if let Some(entry) = &change.after {
                self.require_unchanged(&change.path)?;
                self.put(&change.path, entry.kind)?;
                self.done.push(change.path.clone());
            }
        }
        Ok(())
    }

    fn require_unchanged(&self, name: &Path) -> Result<(), RewindError> {
        let now = file_stamp(self.top, name);
        match self.stamps.get(name) {
            Some(before) if *before != now => Err(RewindError::ChangedMeanwhile(name.to_owned())),
            _ => Ok(()),
        }
    }

    fn put(&self, name: &Path, kind: TreeEntryKind) -> Result<(), RewindError> {
        let (from, to) = (self.staged.directory.join(name), self.top.join(name));
        let put = || {
            to.parent().map_or(Ok(()), fs::create_dir_all)?;
            let existing = match fs::symlink_metadata(&to) {
                Ok(metadata) if metadata.is_dir() => {
                    remove_empty_directories(&to)?;
                    None
                }
                Ok(metadata) if metadata.is_file() => Some(metadata.permissions().mode() & 0o7777),
                Ok(_) => None,
                Err(error) if is_absent(&error) => None,
                Err(error) => return Err(error),
            };
            if kind != TreeEntryKind::Link {
                let default = fs::metadata(&from)?.permissions().mode() & 0o7777;
                let mode = self.modes.get(name).copied();
                let mode =
                    mode.unwrap_or_else(|| with_execution(existing.unwrap_or(default), kind));
                fs::set_permissions(&from, fs::Permissions::from_mode(mode))?;
            }
            match fs::rename(&from, &to) {
                Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
                    copy(&from, &to, kind)
                }
                renamed => renamed,
            }
        };
        put().map_err(RewindError::file(&to))
    }
}

/// The metadata of the files at the places of changes.
pub(in crate::repository) fn file_stamps(top: &Path, changes: &[TreeChange]) -> FileStamps {
    changes.iter().map(|change| (change.path.clone(), file_stamp(top, &change.path))).collect()
}

fn file_stamp(top: &Path, name: &Path) -> Option<IndexStamp> {
    let metadata = metadata_below(top, name).ok()??;
    (!metadata.is_dir()).then(|| stamp(&metadata))
}

/// A mode with the permission to execute of an entry, which is that of the owner. If it has to
/// change, it changes for everybody who may read.
const fn with_execution(mode: u32, kind: TreeEntryKind) -> u32 {
    match (kind, mode & 0o100 != 0) {
        (TreeEntryKind::Executable, false) => mode | ((mode & 0o444) >> 2),
        (TreeEntryKind::File, true) => mode & !0o111,
        _ => mode,
    }
}

/// Copies from another file system, and then replaces by a rename.
fn copy(from: &Path, to: &Path, kind: TreeEntryKind) -> io::Result<()> {
    let mut name = to.file_name().unwrap_or(OsStr::from_bytes(b"")).to_owned();
    name.push(".");
    name.push(COPY_EXTENSION);
    let new = to.with_file_name(name);
    match kind {
        TreeEntryKind::Link => std::os::unix::fs::symlink(fs::read_link(from)?, &new)?,
        _ => fs::copy(from, &new).map(drop)?,
    }
    fs::rename(&new, to)
}

/// Removes a directory, unless it has entries.
fn remove_if_empty(directory: &Path) -> Result<(), RewindError> {
    match fs::remove_dir(directory) {
        Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty || is_absent(&error) => {
            Ok(())
        }
        removed => removed.map_err(RewindError::file(directory)),
    }
}

/// Removes a directory that has nothing but directories in it.
fn remove_empty_directories(directory: &Path) -> io::Result<()> {
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            remove_empty_directories(&entry.path())?;
        }
    }
    fs::remove_dir(directory)
}

/// The permissions of the regular files that changes replace or remove, each with its path.
pub(in crate::repository) fn current_modes(top: &Path, changes: &[TreeChange]) -> Vec<u8> {
    let mut modes = Vec::new();
    for change in changes.iter().filter(|change| change.before.is_some()) {
        let Ok(Some(metadata)) = metadata_below(top, &change.path) else { continue };
        if metadata.is_file() {
            modes.extend(format!("{:o} ", metadata.permissions().mode() & 0o7777).bytes());
            modes.extend(change.path.as_os_str().as_bytes());
            modes.push(0);
        }
    }
    modes
}

/// Parses what [`current_modes`] wrote.
pub(in crate::repository) fn parse_modes(listed: &[u8]) -> FileModes {
    let mode = |entry: &[u8]| {
        let space = entry.iter().position(|byte| *byte == b' ')?;
        let mode = std::str::from_utf8(&entry[..space]).ok()?;
        let path = PathBuf::from(OsStr::from_bytes(&entry[space + 1..]));
        Some((path, u32::from_str_radix(mode, 8).ok()?))
    };
    listed.split(|byte| *byte == 0).filter_map(mode).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_permission_to_execute_changes_only_if_it_has_to() {
        for (mode, kind, expected) in [
            (0o644, TreeEntryKind::Executable, 0o755),
            (0o600, TreeEntryKind::Executable, 0o700),
            (0o755, TreeEntryKind::File, 0o644),
            (0o640, TreeEntryKind::File, 0o640),
            (0o654, TreeEntryKind::File, 0o654),
            (0o711, TreeEntryKind::Executable, 0o711),
        ] {
            assert_eq!(with_execution(mode, kind), expected, "{mode:o}");
        }
    }

    #[test]
    fn permissions_are_read_back_for_any_name() {
        let modes = parse_modes(b"600 a b\x00755 x\ny\0broken\0");
        let expected = [(PathBuf::from("a b"), 0o600), (PathBuf::from("x\ny"), 0o755)];
        assert_eq!(modes, HashMap::from(expected));
    }
}
