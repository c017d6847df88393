//! What commands leave in a checkout that git would neither replace nor remove.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::repository::names;
use crate::repository::worktree_entries::{remove_any, remove_tree};

/// Directories of a tree, as `git ls-tree -r -d -z` lists them.
pub(super) struct TreeDirectories<'a>(pub(super) &'a [u8]);

impl TreeDirectories<'_> {
    /// Removes what is in place of a directory of the tree, such as a link to it: git would find the
    /// same files through the link. Empties the directories of submodules.
    pub(super) fn restore(&self, checkout: &Path) -> io::Result<()> {
        for line in names(self.0) {
            let Some(tab) = line.iter().position(|byte| *byte == b'\t') else { continue };
            let path = checkout.join(OsStr::from_bytes(&line[tab + 1..]));
            let Ok(found) = fs::symlink_metadata(&path) else { continue };
            if !found.is_dir() {
                remove_any(&path)?;
            } else if line.starts_with(b"160000 ") {
                remove_tree(&path)?;
                fs::create_dir(&path)?;
            }
        }
        Ok(())
    }
}

/// Removes sockets, pipes and devices, which git does not see, and gives directories the permissions
/// that git needs. Links are not followed.
pub(super) fn remove_special_files(checkout: &Path) -> io::Result<()> {
    let mut directories = vec![checkout.to_owned()];
    while let Some(directory) = directories.pop() {
        make_accessible(&directory)?;
        for entry in fs::read_dir(&directory)? {
            let entry = entry?;
            let kind = entry.file_type()?;
            if kind.is_dir() {
                directories.push(entry.path());
            } else if !kind.is_file() && !kind.is_symlink() {
                fs::remove_file(entry.path())?;
            }
        }
    }
    Ok(())
}

fn make_accessible(directory: &PathBuf) -> io::Result<()> {
    const OWNER: u32 = 0o700;
    let mut permissions = fs::symlink_metadata(directory)?.permissions();
    if permissions.mode() & OWNER == OWNER {
        return Ok(());
    }
    permissions.set_mode(permissions.mode() | OWNER);
    fs::set_permissions(directory, permissions)
}
