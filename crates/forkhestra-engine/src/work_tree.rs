//! Tells one state of a work tree from another.
//!
//! In a git repository that is HEAD and the tree that a commit of everything would have. The tree is
//! made with an index and a place for objects of our own, so that nothing in the repository changes.
//! Elsewhere it is the names, sizes and times of all files.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use forkhestra_core::event::Fingerprint;

use crate::git::{Git, GitError};
use crate::hash::Hasher;
use crate::process::Children;

/// Our own files, which are no work.
const OUR_STATE: &str = ".agent-state";
/// Where tasks are kept, which git may have been told to ignore.
const TASKS: &str = "forge/tasks";

/// A directory in which agents work.
#[derive(Debug, Clone)]
pub(crate) struct WorkTree {
    directory: PathBuf,
    scratch: PathBuf,
    git: Git,
}

/// Why the state of a work tree is not known.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unknown {
    #[error(transparent)]
    Git(#[from] GitError),
    #[error("{0}")]
    Io(#[from] io::Error),
}

impl WorkTree {
    pub(crate) fn new(
        directory: PathBuf,
        scratch: PathBuf,
        environment: &[(OsString, OsString)],
        children: Arc<Children>,
    ) -> Self {
        let git = Git::new(environment, children);
        Self { directory, scratch, git }
    }

    /// The state of the work tree now.
    pub(crate) fn fingerprint(&mut self) -> Result<Fingerprint, Unknown> {
        let mut hasher = Hasher::new();
        match self.git_state()? {
            Some(state) => {
                hasher.update(state.as_bytes());
                let tasks = self.directory.join(TASKS);
                if tasks.is_dir() {
                    hash_files(&tasks, &mut hasher)?;
                }
            }
            None => hash_files(&self.directory, &mut hasher)?,
        }
        Ok(Fingerprint(hasher.finish()))
    }

    /// HEAD and the tree, if this is a git repository.
    fn git_state(&self) -> Result<Option<String>, Unknown> {
        let places =
            ["rev-parse", "--show-toplevel", "--git-path", "index", "--git-path", "objects"];
        let Some(places) = self.git.answer(&self.directory, &places, &[])? else { return Ok(None) };
        let mut lines = places.lines().map(|line| self.directory.join(line));
        let (Some(top), Some(index), Some(objects)) = (lines.next(), lines.next(), lines.next())
        else {
            return Ok(None);
        };
        // A repository without a commit has no HEAD yet.
        let head = ["rev-parse", "--quiet", "--verify", "HEAD"];
        let head = self.git.answer(&top, &head, &[])?.unwrap_or_default();
        let tree = self.tree(&top, &index, &objects)?;
        Ok(Some(format!("{head}{tree}")))
    }

    /// The tree that a commit of everything would have.
    fn tree(&self, top: &Path, index: &Path, objects: &Path) -> Result<String, Unknown> {
        let (own_index, own_objects) = (self.scratch.join("index"), self.scratch.join("objects"));
        fs::create_dir_all(&own_objects)?;
        // The real index knows which files have not changed; without it all would be read.
        match fs::copy(index, &own_index) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let _ = fs::remove_file(&own_index);
            }
            copied => {
                copied?;
            }
        }
        let places: [(&str, &Path); 3] = [
            ("GIT_INDEX_FILE", &own_index),
            ("GIT_OBJECT_DIRECTORY", &own_objects),
            ("GIT_ALTERNATE_OBJECT_DIRECTORIES", objects),
        ];
        self.git.demand(top, &["add", "--all"], &places)?;
        Ok(self.git.demand(top, &["write-tree"], &places)?)
    }
}

/// Takes in the names, sizes and times of all files below a directory.
fn hash_files(directory: &Path, hasher: &mut Hasher) -> io::Result<()> {
    let mut entries = fs::read_dir(directory)?.collect::<io::Result<Vec<_>>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries.iter().filter(|entry| entry.file_name() != OUR_STATE) {
        let path = entry.path();
        // Links are not followed, and what vanishes while we look is not there.
        let metadata = match fs::symlink_metadata(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            metadata => metadata?,
        };
        hasher.update(path.as_os_str().as_bytes());
        hasher.update(b"\0");
        if metadata.is_dir() {
            hash_files(&path, hasher)?;
        } else {
            hasher.update(&metadata.size().to_le_bytes());
            hasher.update(&metadata.mtime().to_le_bytes());
            hasher.update(&metadata.mtime_nsec().to_le_bytes());
        }
    }
    Ok(())
}
