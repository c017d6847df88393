//! The paths in which two trees differ.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use crate::repository::git_program::GitError;
use crate::repository::{GitSession, names};

/// A path that two trees have differently.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::repository) struct TreeChange {
    /// Relative to the top of the work tree.
    pub(in crate::repository) path: PathBuf,
    pub(in crate::repository) before: Option<TreeEntry>,
    pub(in crate::repository) after: Option<TreeEntry>,
}

/// An entry of a tree that is no directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::repository) struct TreeEntry {
    pub(in crate::repository) kind: TreeEntryKind,
    pub(in crate::repository) object: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::repository) enum TreeEntryKind {
    File,
    Executable,
    Link,
    /// A repository of its own, such as a submodule.
    Repository,
}

impl TreeChange {
    /// The differences between two trees.
    pub(in crate::repository) fn list(
        session: &GitSession<'_>,
        from: &str,
        to: &str,
    ) -> Result<Vec<Self>, GitError> {
        let diff = ["diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames"];
        let args = [&diff[..], &["--no-ext-diff", "--no-textconv", from, to]].concat();
        Ok(parse(&session.require(&args)?))
    }

    /// The object before the change.
    pub(in crate::repository) fn object(&self) -> Option<&String> {
        self.before.as_ref().map(|entry| &entry.object)
    }

    /// Whether one of the two is a repository of its own.
    pub(in crate::repository) fn is_about_repository(&self) -> bool {
        let is_repository = |entry: &Option<TreeEntry>| {
            entry.as_ref().is_some_and(|entry| entry.kind == TreeEntryKind::Repository)
        };
        is_repository(&self.before) || is_repository(&self.after)
    }
}

impl TreeEntryKind {
    fn from_mode(mode: &[u8]) -> Option<Self> {
        match mode {
            b"100644" => Some(Self::File),
            b"100755" => Some(Self::Executable),
            b"120000" => Some(Self::Link),
            b"160000" => Some(Self::Repository),
            _ => None,
        }
    }
}

/// Parses `:MODE MODE OBJECT OBJECT STATUS` and the path by turns.
pub(in crate::repository) fn parse(listed: &[u8]) -> Vec<TreeChange> {
    let mut parts = names(listed);
    let mut changes = Vec::new();
    while let (Some(fields), Some(path)) = (parts.next(), parts.next()) {
        let fields = fields.strip_prefix(b":").unwrap_or(fields);
        let fields: Vec<&[u8]> = fields.split(|byte| *byte == b' ').collect();
        let [old_mode, new_mode, old, new, ..] = fields.as_slice() else { continue };
        let entry = |mode: &[u8], object: &[u8]| {
            let object = String::from_utf8_lossy(object).into_owned();
            Some(TreeEntry { kind: TreeEntryKind::from_mode(mode)?, object })
        };
        let path = PathBuf::from(OsStr::from_bytes(path));
        let (before, after) = (entry(old_mode, old), entry(new_mode, new));
        changes.push(TreeChange { path, before, after });
    }
    changes
}

/// The paths of changes, each followed by a zero byte.
pub(in crate::repository) fn zero_ended<'a>(
    changes: impl Iterator<Item = &'a TreeChange>,
) -> Vec<u8> {
    changes.flat_map(|change| [change.path.as_os_str().as_bytes(), b"\0"].concat()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_have_both_entries() {
        let listed = b":100644 100755 aa bb M\0a b\0:000000 120000 00 cc A\0new\0\
            :160000 000000 dd 00 D\0sub\0";
        let entry = |kind, object: &str| Some(TreeEntry { kind, object: object.to_owned() });
        let expected = [
            ("a b", entry(TreeEntryKind::File, "aa"), entry(TreeEntryKind::Executable, "bb")),
            ("new", None, entry(TreeEntryKind::Link, "cc")),
            ("sub", entry(TreeEntryKind::Repository, "dd"), None),
        ];
        let expected = expected.map(|(path, before, after)| TreeChange {
            path: PathBuf::from(path),
            before,
            after,
        });
        let changes = parse(listed);
        assert_eq!(changes, expected);
        let about: Vec<bool> = changes.iter().map(TreeChange::is_about_repository).collect();
        assert_eq!(about, [false, false, true]);
    }
}
