//! Compares files of the work tree with two commits.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::repository::merge_queue::MergeQueueError;
use crate::repository::rewind::{
    TreeChange, TreeEntry, TreeEntryKind, metadata_below, quoted_line,
};
use crate::repository::{GitSession, text};

/// The entries of trees that a file can be taken for. With conversion of line ends these can be several.
type FileEntries = HashMap<PathBuf, Vec<TreeEntry>>;

/// Changes between two commits, compared with the work tree. The index is not asked: marks in it can hide
/// changes.
#[derive(Debug, Default)]
pub(super) struct ComparedFiles {
    /// Changes of files that have the content of the first commit. Those that have the content of the
    /// second one are left out.
    pub(super) changes: Vec<TreeChange>,
    /// Files that have another content.
    pub(super) edited: BTreeSet<PathBuf>,
}

impl ComparedFiles {
    pub(super) fn of(
        session: &GitSession<'_>,
        changes: Vec<TreeChange>,
    ) -> Result<Self, MergeQueueError> {
        let entries = file_entries(session, &changes)?;
        let mut compared = Self::default();
        for change in changes {
            let found = entries.get(&change.path).map(Vec::as_slice).unwrap_or_default();
            let has = |wanted: &Option<TreeEntry>| match wanted {
                Some(entry) => found.contains(entry),
                None => found.is_empty() && is_absent(&session.repository.top, &change.path),
            };
            // Without an entry before, nothing is there.
            if change.before.is_some() && has(&change.after) {
                continue;
            }
            if change.before.is_none() || has(&change.before) {
                compared.changes.push(change);
            } else {
                compared.edited.insert(change.path);
            }
        }
        Ok(compared)
    }
}

fn is_absent(top: &Path, path: &Path) -> bool {
    matches!(metadata_below(top, path), Ok(None))
}

fn file_entries(
    session: &GitSession<'_>,
    changes: &[TreeChange],
) -> Result<FileEntries, MergeQueueError> {
    const CONVERTED: &[&str] = &["hash-object", "--stdin-paths"];
    const EXACT: &[&str] = &["hash-object", "--no-filters", "--stdin-paths"];
    let top = &session.repository.top;
    let mut entries = FileEntries::new();
    let mut files = Vec::new();
    for change in changes.iter().filter(|change| change.before.is_some()) {
        let Some(metadata) = metadata_below(top, &change.path)? else { continue };
        if metadata.is_file() {
            let is_executable = metadata.permissions().mode() & 0o100 != 0;
            let kind = if is_executable { TreeEntryKind::Executable } else { TreeEntryKind::File };
            files.push((change, kind));
        } else if metadata.is_symlink() {
            let path = top.join(&change.path);
            let target = fs::read_link(&path).map_err(MergeQueueError::file(&path))?;
            let target = target.as_os_str().as_bytes();
            let object = text(&session.send_input(&[], &["hash-object", "--stdin"], target)?);
            let entry = TreeEntry { kind: TreeEntryKind::Link, object };
            entries.insert(change.path.clone(), vec![entry]);
        }
    }
    // Only a file that is neither has to be read again.
    for hash in [CONVERTED, EXACT] {
        if files.is_empty() {
            break;
        }
        let paths: Vec<u8> =
            files.iter().flat_map(|(change, _)| quoted_line(&change.path)).collect();
        let objects = text(&session.send_input(&[], hash, &paths)?);
        for ((change, kind), object) in files.iter().zip(objects.lines()) {
            let entry = TreeEntry { kind: *kind, object: object.to_owned() };
            entries.entry(change.path.clone()).or_default().push(entry);
        }
        files.retain(|(change, _)| {
            let found = entries.get(&change.path).map(Vec::as_slice).unwrap_or_default();
            let mut wanted = change.before.iter().chain(&change.after);
            !wanted.any(|entry| found.contains(entry))
        });
    }
    Ok(entries)
}
