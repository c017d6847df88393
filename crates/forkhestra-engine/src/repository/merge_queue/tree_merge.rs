//! Merges two commits into a tree, without a work tree.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use super::{MergeQueueError, QueueRepository};
use crate::repository::git_program::GitCompletion;

/// The result of a merge.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct TreeMerge {
    pub(super) tree: String,
    /// The paths in conflict, each with the kinds of its conflicts in the words of git. Empty if the
    /// merge is clean.
    pub(super) conflicts: BTreeMap<PathBuf, BTreeSet<String>>,
}

impl QueueRepository {
    /// Merges a commit into another one. Attributes are those of the first, with the programs that the
    /// user's settings name for them.
    pub(super) fn merge_trees(
        &self,
        ours: &str,
        theirs: &str,
    ) -> Result<TreeMerge, MergeQueueError> {
        let args = ["merge-tree", "--write-tree", "-z", "--messages", ours, theirs];
        let (completion, output) = self.merge_command(ours, &args)?;
        let unreadable = || MergeQueueError::Git("git merge-tree has another output".to_owned());
        let mut merge = TreeMerge::parse(&output).ok_or_else(unreadable)?;
        match completion {
            GitCompletion::All => merge.conflicts.clear(),
            GitCompletion::Partial if merge.conflicts.is_empty() => return Err(unreadable()),
            GitCompletion::Partial => {}
        }
        Ok(merge)
    }
}

impl TreeMerge {
    /// Parses the tree, then `MODE OBJECT STAGE\tPATH` for each path in conflict, then an empty part, and
    /// then messages: a number, that many paths, the kind and the text.
    fn parse(output: &[u8]) -> Option<Self> {
        let path = |name: &[u8]| PathBuf::from(OsStr::from_bytes(name));
        let mut parts = output.split(|byte| *byte == 0);
        let mut merge = Self { tree: id(parts.next()?)?, ..Self::default() };
        for part in parts.by_ref().take_while(|part| !part.is_empty()) {
            let tab = part.iter().position(|byte| *byte == b'\t')?;
            merge.conflicts.entry(path(&part[tab + 1..])).or_default();
        }
        while let Some(number) = parts.next().filter(|number| !number.is_empty()) {
            let number: usize = std::str::from_utf8(number).ok()?.parse().ok()?;
            let paths: Vec<&[u8]> = parts.by_ref().take(number).collect();
            let (kind, _text) = (parts.next()?, parts.next()?);
            let Some(kind) = conflict_kind(kind) else { continue };
            for name in paths {
                merge.conflicts.entry(path(name)).or_default().insert(kind.clone());
            }
        }
        Some(merge)
    }
}

/// The words in `CONFLICT (modify/delete)`, or none if a message is about something else.
fn conflict_kind(kind: &[u8]) -> Option<String> {
    let kind = String::from_utf8_lossy(kind);
    let words = kind.strip_prefix("CONFLICT (")?;
    Some(words.strip_suffix(')').unwrap_or(words).to_owned())
}

fn id(bytes: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(bytes).ok()?.trim();
    let is_id = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_id.then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conflicts_have_the_kinds_of_their_messages() {
        let output =
            b"aa\x00100644 bb 1\ta b\x00100644 cc 2\ta b\0\x001\0a b\0Auto-merging\0text\0\
            1\0a b\0CONFLICT (contents)\0text\n\x002\0c\0d\0CONFLICT (rename/delete)\0text\0";
        let merge = TreeMerge::parse(output).expect("it is complete");
        let kinds = |kind: &str| BTreeSet::from([kind.to_owned()]);
        let expected = [
            ("a b", kinds("contents")),
            ("c", kinds("rename/delete")),
            ("d", kinds("rename/delete")),
        ];
        let conflicts = expected.map(|(path, kinds)| (PathBuf::from(path), kinds));
        assert_eq!(merge, TreeMerge { tree: "aa".to_owned(), conflicts: conflicts.into() });
    }

    #[test]
    fn other_texts_are_refused() {
        for output in
            [&b""[..], b"\0", b"no tree\0", b"aa\0no tab\0", b"aa\0\0x\0", b"aa\0\x001\0a\0"]
        {
            assert_eq!(TreeMerge::parse(output), None, "{}", String::from_utf8_lossy(output));
        }
        assert!(TreeMerge::parse(b"aa\0").is_some());
    }
}
