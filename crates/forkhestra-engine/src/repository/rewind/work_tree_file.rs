//! Files of the work tree: their metadata, and comparisons of their content with entries of trees.

use std::ffi::OsStr;
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use super::RewindError;
use super::tree_change::{TreeEntry, TreeEntryKind};
use crate::repository::{GitSession, text};

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
pub(in crate::repository) fn metadata_below(
    top: &Path,
    name: &Path,
) -> Result<Option<Metadata>, RewindError> {
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
