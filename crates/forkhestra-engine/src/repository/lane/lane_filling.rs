//! Files of the user's work tree that no commit has and that a lane gets nevertheless: ignored files that
//! patterns name, and directories of the lane that was there before.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use super::LaneClone;
use super::lane_error::{LaneError, file};
use super::lane_source::LaneSource;
use crate::repository::clean_rooms::{make_parent, relative_inside};
use crate::repository::git_program::GitError;
use crate::repository::worktree_entries::remove_any;
use crate::repository::{GitSession, names};

/// The file that names ignored files for every copy of a work tree, in the syntax of `.gitignore`.
pub const WORKTREE_INCLUDE_FILE: &str = ".worktreeinclude";

/// A request to fill a lane.
#[derive(Clone, Copy)]
pub struct LaneFilling<'a> {
    /// Patterns in the syntax of `.gitignore` for ignored files to copy, besides those of
    /// [`WORKTREE_INCLUDE_FILE`].
    pub copy: &'a [String],
    /// Paths that are moved from the previous lane of the same number.
    pub keep: &'a [String],
    /// The directory of that lane.
    pub previous: Option<&'a Path>,
    /// Whether the lane is not wanted any more.
    pub is_cancelled: &'a dyn Fn() -> bool,
}

/// What came into a lane.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FilledFiles {
    pub copied: u64,
    /// Paths that were moved from the previous lane.
    pub kept: Vec<PathBuf>,
    /// Pipes, sockets and devices, which cannot be copied.
    pub skipped: Vec<PathBuf>,
}

impl LaneClone {
    /// Moves and copies files into the lane. What is there already stays as it is, so that an interrupted
    /// filling can be repeated.
    pub fn fill(
        &self,
        source: &LaneSource,
        filling: LaneFilling<'_>,
    ) -> Result<FilledFiles, LaneError> {
        let top = self.directory();
        let filled = self.keep(filling).and_then(|kept| {
            let mut copies =
                FileCopies { from: source.top(), to: top, filling, done: <_>::default() };
            copies.done.kept = kept;
            for path in named_files(&source.session(), filling.copy, Listing::Files)? {
                copies.copy(&path)?;
            }
            Ok(copies.done)
        });
        filled.map_err(|error| error.with_disk(top))
    }

    /// Moves paths from the previous lane, but never over files that are there.
    fn keep(&self, filling: LaneFilling<'_>) -> Result<Vec<PathBuf>, LaneError> {
        let paths = filling
            .keep
            .iter()
            .map(|name| relative_inside(name).map_err(|_| LaneError::NotInside(name.clone())));
        let paths: Vec<PathBuf> = paths.collect::<Result<_, _>>()?;
        let Some(previous) = filling.previous else { return Ok(Vec::new()) };
        let mut kept = Vec::new();
        for path in paths {
            let (from, to) = (previous.join(&path), self.directory().join(&path));
            let is_possible = from.symlink_metadata().is_ok() && to.symlink_metadata().is_err();
            if is_possible && make_parent(self.directory(), &to).map_err(file(&to))? {
                fs::rename(&from, &to).map_err(file(&from))?;
                kept.push(path);
            }
        }
        Ok(kept)
    }
}

/// How ignored files are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Listing {
    Files,
    /// A directory of which everything is named stands for what is in it.
    Directories,
}

/// The ignored files that patterns name. A repository of its own is a directory in any case.
pub(super) fn named_files(
    session: &GitSession<'_>,
    patterns: &[String],
    listing: Listing,
) -> Result<BTreeSet<PathBuf>, GitError> {
    let include = session.repository.top.join(WORKTREE_INCLUDE_FILE);
    let has_include = include.is_file();
    if patterns.is_empty() && !has_include {
        return Ok(BTreeSet::new());
    }
    let mut args: Vec<String> =
        ["ls-files", "--others", "--ignored", "-z"].map(str::to_owned).to_vec();
    if has_include {
        args.push(format!("--exclude-from={WORKTREE_INCLUDE_FILE}"));
    }
    args.extend(patterns.iter().map(|pattern| format!("--exclude={pattern}")));
    if listing == Listing::Directories {
        args.push("--directory".to_owned());
    }
    let named = session.require(&args)?;
    if named.is_empty() {
        return Ok(BTreeSet::new());
    }
    // Only what git ignores is copied: other files are to be committed.
    let ignored = session.filter_input(&[], &["check-ignore", "--stdin", "-z"], &named)?;
    Ok(names(&ignored).map(|name| PathBuf::from(OsStr::from_bytes(name))).collect())
}

/// Copies of files between two work trees.
struct FileCopies<'a> {
    from: &'a Path,
    to: &'a Path,
    filling: LaneFilling<'a>,
    done: FilledFiles,
}

impl FileCopies<'_> {
    fn copy(&mut self, path: &Path) -> Result<(), LaneError> {
        if (self.filling.is_cancelled)() {
            return Err(LaneError::Cancelled);
        }
        let (from, to) = (self.from.join(path), self.to.join(path));
        if to.symlink_metadata().is_ok_and(|found| !found.is_dir()) {
            return Ok(());
        }
        let metadata = match fs::symlink_metadata(&from) {
            // It was removed since git listed it.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            metadata => metadata.map_err(file(&from))?,
        };
        if metadata.is_dir() {
            return self.copy_directory(path);
        }
        if !metadata.is_file() && !metadata.is_symlink() {
            self.done.skipped.push(path.to_owned());
            return Ok(());
        }
        self.make_parents(path)?;
        // Another name until it is complete.
        let part = to.with_added_extension("incomplete-copy");
        remove_any(&part).map_err(file(&part))?;
        let copied = match metadata.is_symlink() {
            true => fs::read_link(&from).and_then(|target| symlink(target, &part)),
            false => fs::copy(&from, &part).map(drop),
        };
        if let Err(error) = copied.and_then(|()| fs::rename(&part, &to)) {
            // Less space is left than it needs.
            let _ = remove_any(&part);
            return Err(file(&from)(error));
        }
        self.done.copied += 1;
        Ok(())
    }

    /// Copies a repository of its own.
    fn copy_directory(&mut self, path: &Path) -> Result<(), LaneError> {
        let from = self.from.join(path);
        for entry in fs::read_dir(&from).map_err(file(&from))? {
            let name = entry.map_err(file(&from))?.file_name();
            self.copy(&path.join(name))?;
        }
        Ok(())
    }

    /// Creates the directories around a file with the permissions that they have in the user's work tree.
    fn make_parents(&self, path: &Path) -> Result<(), LaneError> {
        let parent = path.parent().unwrap_or(Path::new(""));
        let above: Vec<&Path> = parent.ancestors().collect();
        for place in above.into_iter().rev().filter(|place| !place.as_os_str().is_empty()) {
            let (from, to) = (self.from.join(place), self.to.join(place));
            match fs::symlink_metadata(&to) {
                Ok(found) if found.is_dir() => continue,
                Ok(_) => return Err(file(&to)(io::ErrorKind::NotADirectory.into())),
                Err(_) => fs::create_dir(&to).map_err(file(&to))?,
            }
            let mode = fs::metadata(&from).map_err(file(&from))?.permissions().mode();
            let writable = fs::Permissions::from_mode(mode | 0o700);
            fs::set_permissions(&to, writable).map_err(file(&to))?;
        }
        Ok(())
    }
}
