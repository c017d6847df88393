//! The files of a tree in a directory of their own, from which they are moved into the work tree.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use super::RewindError;
use super::tree_change::{TreeChange, TreeEntry, TreeEntryKind};
use crate::repository::GitSession;
use crate::repository::git_program::GitError;

/// Objects are read in groups of about this size.
const GROUP_BYTES: u64 = 64 * 1024 * 1024;

/// Whether files are converted as a checkout does: line ends, encodings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::repository) enum FileConversion {
    AsCheckout,
    /// The bytes of the objects.
    Exact,
}

/// Files in a directory, at the paths that they have in the work tree.
#[derive(Debug)]
pub(in crate::repository) struct StagedFiles {
    pub(in crate::repository) directory: PathBuf,
}

impl StagedFiles {
    /// Writes the files that changes lead to. `scratch` is a directory of our own.
    pub(in crate::repository) fn write(
        session: &GitSession<'_>,
        scratch: &Path,
        tree: &str,
        changes: &[TreeChange],
        conversion: FileConversion,
    ) -> Result<Self, RewindError> {
        let directory = scratch.join("files");
        fs::create_dir_all(&directory).map_err(RewindError::file(&directory))?;
        let staged = Self { directory };
        let wanted =
            changes.iter().filter_map(|change| Some((&*change.path, change.after.as_ref()?)));
        let wanted: Vec<(&Path, &TreeEntry)> = wanted.collect();
        if wanted.is_empty() {
            return Ok(staged);
        }
        match conversion {
            FileConversion::AsCheckout => staged.check_out(session, scratch, tree, &wanted)?,
            FileConversion::Exact => staged.copy_objects(session, &wanted)?,
        }
        Ok(staged)
    }

    /// Lets git write the files. The attributes are those of the tree: the directory is the work tree
    /// of git, and the index has all files.
    fn check_out(
        &self,
        session: &GitSession<'_>,
        scratch: &Path,
        tree: &str,
        wanted: &[(&Path, &TreeEntry)],
    ) -> Result<(), GitError> {
        let variables: [(&'static str, OsString); 2] = [
            ("GIT_INDEX_FILE", scratch.join("index").into()),
            ("GIT_WORK_TREE", self.directory.clone().into()),
        ];
        session.require_with(&variables, &["read-tree", "--no-sparse-checkout", tree])?;
        let paths: Vec<u8> = wanted
            .iter()
            .flat_map(|(path, _)| [path.as_os_str().as_bytes(), b"\0"].concat())
            .collect();
        let args = ["checkout-index", "--force", "-z", "--stdin"];
        session.send_input(&variables, &args, &paths)?;
        Ok(())
    }

    fn copy_objects(
        &self,
        session: &GitSession<'_>,
        wanted: &[(&Path, &TreeEntry)],
    ) -> Result<(), RewindError> {
        let objects: String =
            wanted.iter().map(|(_, entry)| format!("{}\n", entry.object)).collect();
        let sizes = ["cat-file", "--batch-check=%(objectsize)"];
        let sizes = session.send_input(&[], &sizes, objects.as_bytes())?;
        let sizes: Vec<u64> = String::from_utf8_lossy(&sizes)
            .lines()
            .map(|size| size.parse().unwrap_or_default())
            .collect();
        let mut rest = wanted;
        let mut next = 0;
        while !rest.is_empty() {
            let mut bytes = 0_u64;
            let mut count = 0;
            while count < rest.len() && (count == 0 || bytes < GROUP_BYTES) {
                bytes = bytes.saturating_add(sizes.get(next + count).copied().unwrap_or_default());
                count += 1;
            }
            let (group, later) = rest.split_at(count);
            self.copy_group(session, group)?;
            (rest, next) = (later, next + count);
        }
        Ok(())
    }

    fn copy_group(
        &self,
        session: &GitSession<'_>,
        group: &[(&Path, &TreeEntry)],
    ) -> Result<(), RewindError> {
        let objects: String =
            group.iter().map(|(_, entry)| format!("{}\n", entry.object)).collect();
        let output = session.send_input(&[], &["cat-file", "--batch"], objects.as_bytes())?;
        let mut rest = output.as_slice();
        for (path, entry) in group {
            let (content, later) = next_object(rest)
                .ok_or_else(|| RewindError::Git(format!("git has no object {}", entry.object)))?;
            self.write_file(path, entry.kind, content)?;
            rest = later;
        }
        Ok(())
    }

    fn write_file(
        &self,
        path: &Path,
        kind: TreeEntryKind,
        content: &[u8],
    ) -> Result<(), RewindError> {
        let path = self.directory.join(path);
        let write = || {
            path.parent().map_or(Ok(()), fs::create_dir_all)?;
            match kind {
                TreeEntryKind::Link => symlink(OsStr::from_bytes(content), &path),
                _ => fs::write(&path, content),
            }
        };
        write().map_err(RewindError::file(&path))
    }
}

/// The content of the first object in the output of `cat-file --batch`, and the rest.
fn next_object(output: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = output.iter().position(|byte| *byte == b'\n')?;
    let head = std::str::from_utf8(&output[..end]).ok()?;
    let size: usize = head.split(' ').nth(2)?.parse().ok()?;
    let content = output.get(end + 1..)?;
    Some((content.get(..size)?, content.get(size + 1..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_read_one_after_another() {
        let output = b"aa blob 3\na\nb\nbb blob 0\n\ncc missing\n";
        let (first, rest) = next_object(output).expect("it is complete");
        assert_eq!(first, b"a\nb");
        let (second, rest) = next_object(rest).expect("it is complete");
        assert_eq!((second, rest), (&b""[..], &b"cc missing\n"[..]));
        assert_eq!(next_object(rest), None);
        assert_eq!(next_object(b"aa blob 9\nshort\n"), None);
    }
}
