//! Finds uncommitted files in a work tree.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use forkhestra_core::event::PathList;

use super::own_index::MAX_FILE_BYTES;
use super::{GitSession, names};
use crate::protected::baseline::{ProtectedBaseline, from, name_of};
use crate::repository::git_program::GitError;
use crate::work_tree::file_content::content;
use crate::work_tree::own_paths::OwnPaths;

/// Uncommitted files with the kind of their change.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct UncommittedFiles(pub(crate) ProtectedBaseline);

impl UncommittedFiles {
    /// Observes the uncommitted files. Names are relative to the working directory of agents.
    pub(crate) fn observe(
        session: &GitSession<'_>,
        directory: &Path,
        own_paths: &OwnPaths,
    ) -> Result<Self, GitError> {
        let status = [
            "status",
            "--porcelain=v2",
            "-z",
            "--untracked-files=all",
            "--ignore-submodules=none",
            "--no-renames",
        ];
        let output = session.require(&status)?;
        let top = &session.repository.top;
        let mut all = ProtectedBaseline::new();
        for (way, name) in names(&output).filter_map(entry) {
            let path = top.join(name);
            if own_paths.covers(&path, top) {
                continue;
            }
            let way = format!("{} {}", String::from_utf8_lossy(way), file_state(&path));
            let known = all.entry(name_of(&from(directory, &path))).or_default();
            // Two paths may have the same displayed name.
            known.push_str(&way);
        }
        Ok(Self(all))
    }

    /// The uncommitted files, except those with the same change before.
    pub(crate) fn since(&self, before: &Self) -> PathList {
        let is_new = |(name, way): &(&String, &String)| before.0.get(*name) != Some(*way);
        PathList::of(self.0.iter().filter(is_new).map(|(name, _)| name.clone()))
    }
}

/// One entry of the status: git's fields, and the path.
pub(super) fn entry(line: &[u8]) -> Option<(&[u8], PathBuf)> {
    let words = match line.first()? {
        b'1' => 8,
        b'u' => 10,
        b'?' => 1,
        _ => return None,
    };
    let mut spaces = line.iter().enumerate().filter(|(_, byte)| **byte == b' ');
    let (end, _) = spaces.nth(words - 1)?;
    let name = &line[end + 1..];
    let name = name.strip_suffix(b"/").unwrap_or(name);
    Some((&line[..end], PathBuf::from(OsStr::from_bytes(name))))
}

fn file_state(path: &Path) -> String {
    match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_file() && metadata.len() > MAX_FILE_BYTES => {
            let (seconds, more) = (metadata.mtime(), metadata.mtime_nsec());
            format!("large {} {seconds}.{more:09}", metadata.len())
        }
        _ => content(path).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_the_status_of_git() {
        let table: [(&[u8], Option<&str>); 5] = [
            (b"1 .M N... 100644 100644 100644 abc def a b.txt", Some("a b.txt")),
            (b"u UU N... 100644 100644 100644 100644 a b c d e", Some("d e")),
            (b"? new file", Some("new file")),
            (b"? nested/", Some("nested")),
            (b"# branch.oid abc", None),
        ];
        for (line, expected) in table {
            let found = entry(line).map(|(_, name)| name);
            assert_eq!(found.as_deref(), expected.map(Path::new));
        }
    }
}
