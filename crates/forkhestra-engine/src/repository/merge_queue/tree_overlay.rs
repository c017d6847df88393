//! Files that are put into the tree of a landing.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use super::{MergeQueueError, QueueRepository};
use crate::repository::rewind::quoted_line;
use crate::repository::{remove_tree, text};

/// A file that is put into the tree of a landing, or removed from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OverlayFile {
    /// Relative to the top.
    pub path: PathBuf,
    pub content: OverlayContent,
}

/// What a path has in the tree of a landing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OverlayContent {
    File {
        bytes: Vec<u8>,
        is_executable: bool,
    },
    /// Nothing: it is removed if it is there.
    Removed,
}

impl QueueRepository {
    /// Whether a commit has a directory, by its path relative to the top.
    pub fn has_directory(&self, commit: &str, path: &Path) -> Result<bool, MergeQueueError> {
        let name = format!("{commit}:{}", path.display());
        let args = ["rev-parse", "--quiet", "--verify", "--end-of-options", &name];
        Ok(self.session().query(&args)?.is_some())
    }

    /// A tree with other content at some paths.
    pub(super) fn overlay(
        &self,
        tree: &str,
        files: &[OverlayFile],
    ) -> Result<String, MergeQueueError> {
        if files.is_empty() {
            return Ok(tree.to_owned());
        }
        if let Some(file) = files.iter().find(|file| !is_inside(&file.path)) {
            return Err(MergeQueueError::OverlayPath(file.path.clone()));
        }
        let directory = self.scratch.join("overlay");
        let made = self.overlay_in(&directory, tree, files);
        remove_tree(&directory).map_err(MergeQueueError::file(&directory))?;
        made
    }

    fn overlay_in(
        &self,
        directory: &Path,
        tree: &str,
        files: &[OverlayFile],
    ) -> Result<String, MergeQueueError> {
        let session = self.session();
        let failed = || MergeQueueError::file(directory);
        let create = || remove_tree(directory).and_then(|()| fs::create_dir_all(directory));
        create().map_err(failed())?;
        let mut paths = Vec::new();
        for (number, file) in files.iter().enumerate() {
            if let OverlayContent::File { bytes, .. } = &file.content {
                let path = directory.join(number.to_string());
                fs::write(&path, bytes).map_err(MergeQueueError::file(&path))?;
                paths.extend(quoted_line(&path));
            }
        }
        let objects = match paths.is_empty() {
            true => String::new(),
            false => {
                let args = ["hash-object", "-w", "--no-filters", "--stdin-paths"];
                text(&session.send_input(&[], &args, &paths)?)
            }
        };
        let variables: [(&'static str, OsString); 1] =
            [("GIT_INDEX_FILE", directory.join("index").into())];
        session.require_with(&variables, &["read-tree", "--no-sparse-checkout", tree])?;
        let entries = index_entries(files, objects.lines(), tree.len());
        let args = ["update-index", "--add", "--replace", "-z", "--index-info"];
        session.send_input(&variables, &args, &entries)?;
        Ok(text(&session.require_with(&variables, &["write-tree"])?))
    }
}

/// Lines for `git update-index --index-info`. Removals come first, so that a directory can take the place
/// of a file.
fn index_entries<'a>(
    files: &[OverlayFile],
    mut objects: impl Iterator<Item = &'a str>,
    id_length: usize,
) -> Vec<u8> {
    let (mut removed, mut added) = (Vec::new(), Vec::new());
    for file in files {
        let (entries, mode, object) = match &file.content {
            OverlayContent::Removed => (&mut removed, "0", "0".repeat(id_length)),
            OverlayContent::File { is_executable, .. } => {
                let mode = if *is_executable { "100755" } else { "100644" };
                (&mut added, mode, objects.next().unwrap_or_default().to_owned())
            }
        };
        entries.extend(format!("{mode} {object} 0\t").into_bytes());
        entries.extend(file.path.as_os_str().as_bytes().iter().chain([&0]));
    }
    [removed, added].concat()
}

/// Whether a path is inside the repository and not one of git.
fn is_inside(path: &Path) -> bool {
    let is_plain = |part: Component<'_>| match part {
        Component::Normal(name) => !name.eq_ignore_ascii_case(".git"),
        _ => false,
    };
    let text = path.as_os_str().as_bytes();
    !text.is_empty() && !text.contains(&0) && path.components().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_inside_the_repository() {
        for path in ["a", "forge/tasks/TASK-1.md", "a b/\n", ".gitignore", ".github/x"] {
            assert!(is_inside(Path::new(path)), "{path}");
        }
        for path in ["", "/a", "../a", "a/../b", "./a", ".git", ".git/config", "a/.GIT/hooks/x"] {
            assert!(!is_inside(Path::new(path)), "{path}");
        }
    }
}
