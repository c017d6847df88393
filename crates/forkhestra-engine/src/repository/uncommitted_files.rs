//! Finds uncommitted files in a work tree: those that differ from the commit. Git's index does not
//! decide it, since marks in it can hide changes.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use forkhestra_core::event::PathList;

use super::lfs_pointer::LfsPointer;
use super::own_index::MAX_FILE_BYTES;
use super::{GitSession, RepositoryObservation, names, text};
use crate::protected::baseline::{ProtectedBaseline, from, name_of};
use crate::repository::git_program::GitError;
use crate::work_tree::file_content::{ContentHash, content_by};
use crate::work_tree::own_paths::OwnPaths;

/// Uncommitted files with what is committed instead and their state.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct UncommittedFiles(pub(crate) ProtectedBaseline);

/// Mode and object of a file in the commit.
type CommittedState = (String, String);

impl UncommittedFiles {
    /// Compares an observation with the commit. The variables make its tree visible to git. Names are
    /// relative to the working directory of agents.
    pub(crate) fn find(
        session: &GitSession<'_>,
        seen: &RepositoryObservation,
        variables: &[(&'static str, OsString)],
        directory: &Path,
        own_paths: &OwnPaths,
    ) -> Result<Self, GitError> {
        let head = match &seen.signals.head {
            Some(head) => format!("{head}^{{tree}}"),
            None => text(&session.require(&["hash-object", "-t", "tree", "/dev/null"])?),
        };
        let diff = ["diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames"];
        let args = [&diff[..], &["--no-ext-diff", "--no-textconv", &head, &seen.tree]].concat();
        let listed = session.require_with(variables, &args)?;
        let top = &session.repository.top;
        let mut changed = changes(&listed);
        changed.retain(|path, _| !own_paths.covers(&top.join(path), top));
        remove_filtered(session, &mut changed)?;
        let others = seen.uncommitted.iter().filter_map(|path| path.strip_prefix(top).ok());
        for path in others {
            changed.entry(path.to_owned()).or_default();
        }
        let mut all = ProtectedBaseline::new();
        for (path, (mode, object)) in changed {
            let path = top.join(path);
            let way = format!("{mode} {object} {}", file_state(&path, ContentHash::Sha256));
            // Two paths may have the same displayed name.
            all.entry(name_of(&from(directory, &path))).or_default().push_str(&way);
        }
        Ok(Self(all))
    }

    /// The same files with states of this hash.
    pub(crate) fn by_hash(self, hash: ContentHash, directory: &Path) -> Self {
        if hash == ContentHash::Sha256 {
            return self;
        }
        let by_hash = |(name, way): (String, String)| {
            let committed: Vec<&str> = way.splitn(3, ' ').take(2).collect();
            let way =
                format!("{} {}", committed.join(" "), file_state(&directory.join(&name), hash));
            (name, way)
        };
        Self(self.0.into_iter().map(by_hash).collect())
    }

    /// The uncommitted files, except those that were uncommitted before in the same way.
    pub(crate) fn since(&self, before: &Self) -> PathList {
        let is_new = |(name, way): &(&String, &String)| {
            !before.0.get(*name).is_some_and(|before| is_same(before, way))
        };
        PathList::of(self.0.iter().filter(is_new).map(|(name, _)| name.clone()))
    }
}

/// Whether two states are equal. Older versions wrote the fields of `git status` before the state of
/// the file.
fn is_same(before: &str, now: &str) -> bool {
    let is_old = ["1 ", "u ", "? "].iter().any(|kind| before.starts_with(kind));
    let state = now.splitn(3, ' ').nth(2).unwrap_or_default();
    before == now || (is_old && before.ends_with(&format!(" {state}")))
}

/// Parses `:MODE MODE OBJECT OBJECT STATUS` and the path by turns.
pub(super) fn changes(listed: &[u8]) -> BTreeMap<PathBuf, CommittedState> {
    let mut parts = names(listed);
    let mut changes = BTreeMap::new();
    while let (Some(fields), Some(path)) = (parts.next(), parts.next()) {
        let fields = String::from_utf8_lossy(fields);
        let mut words = fields.trim_start_matches(':').split(' ').map(str::to_owned);
        let (mode, object) = (words.next().unwrap_or_default(), words.nth(1).unwrap_or_default());
        changes.insert(PathBuf::from(OsStr::from_bytes(path)), (mode, object));
    }
    changes
}

/// Removes files in Git LFS whose pointers are committed. We run no filters, so that a file of another
/// filter is uncommitted unless it was so, in the same way, when the step began: with a filter of its
/// own an agent could hide any change.
pub(super) fn remove_filtered(
    session: &GitSession<'_>,
    changed: &mut BTreeMap<PathBuf, CommittedState>,
) -> Result<(), GitError> {
    if changed.is_empty() || !session.config()?.has_filters {
        return Ok(());
    }
    let top = &session.repository.top;
    let is_committed = |object: &str| object.bytes().any(|byte| byte != b'0');
    let input = changed.iter().filter(|(path, (_, object))| {
        is_committed(object) && fs::symlink_metadata(top.join(path)).is_ok_and(|it| it.is_file())
    });
    let input: Vec<u8> =
        input.flat_map(|(path, _)| [path.as_os_str().as_bytes(), b"\0"].concat()).collect();
    if input.is_empty() {
        return Ok(());
    }
    let args = ["check-attr", "--stdin", "-z", "filter"];
    let filtered = filtered(&session.send_input(&[], &args, &input)?);
    for path in filtered {
        let Some((_, object)) = changed.get(&path) else { continue };
        let committed = session.require(&["cat-file", "blob", object])?;
        let pointer = LfsPointer::parse(&committed);
        if pointer.is_some_and(|pointer| pointer.describes(&top.join(&path))) {
            changed.remove(&path);
        }
    }
    Ok(())
}

/// The paths with a filter, from a list of path, attribute and value by turns.
pub(super) fn filtered(listed: &[u8]) -> BTreeSet<PathBuf> {
    let mut parts = names(listed);
    let mut filtered = BTreeSet::new();
    while let (Some(path), Some(_), Some(value)) = (parts.next(), parts.next(), parts.next()) {
        if !matches!(value, b"unspecified" | b"unset" | b"set") {
            filtered.insert(PathBuf::from(OsStr::from_bytes(path)));
        }
    }
    filtered
}

fn file_state(path: &Path, hash: ContentHash) -> String {
    match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_file() && metadata.len() > MAX_FILE_BYTES => {
            let (seconds, more) = (metadata.mtime(), metadata.mtime_nsec());
            format!("large {} {seconds}.{more:09}", metadata.len())
        }
        _ => content_by(path, hash).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_of_trees_have_the_committed_state() {
        let listed = b":100644 100755 aa bb M\0a b\0:000000 100644 00 cc A\0new\0";
        let state = |mode: &str, object: &str| (mode.to_owned(), object.to_owned());
        let expected = [
            (PathBuf::from("a b"), state("100644", "aa")),
            (PathBuf::from("new"), state("000000", "00")),
        ];
        assert_eq!(changes(listed), BTreeMap::from(expected));
    }

    #[test]
    fn states_of_older_versions_are_compared_by_the_file() {
        let now = "100644 aa file 3 0123";
        for (before, expected) in [
            (now, true),
            ("100644 bb file 3 0123", false),
            ("1 .M N... 100644 100644 100644 aa aa file 3 0123", true),
            ("? file 3 0123", true),
            ("? file 3 0124", false),
        ] {
            assert_eq!(is_same(before, now), expected, "{before}");
        }
    }

    #[test]
    fn states_of_older_versions_are_compared_by_their_hash() {
        let directory = tempfile::tempdir().expect("there is room");
        let older = "d228cb696f1a8caf78912b704e4a8964";
        let all = |way: &str| UncommittedFiles([("a".to_owned(), way.to_owned())].into());
        for before in [format!("? file 1 {older}"), format!("000000 00 file 1 {older}")] {
            for (text, changed) in [("a", 0), ("b", 1)] {
                fs::write(directory.path().join("a"), text).expect("it is ours");
                let state = file_state(&directory.path().join("a"), ContentHash::Sha256);
                let now = all(&format!("000000 00 {state}"));
                let now = now.by_hash(ContentHash::Fnv, directory.path());
                assert_eq!(now.since(&all(&before)).listed.len(), changed, "{before}: {text}");
            }
        }
    }

    #[test]
    fn only_a_named_filter_counts() {
        let listed = b"a\0filter\0lfs\0b\0filter\0unspecified\0c\0filter\0unset\0";
        assert_eq!(filtered(listed), BTreeSet::from([PathBuf::from("a")]));
    }
}
