//! Keeps snapshots in a repository of our own, so that they outlive their refs in the repository in
//! which agents work: an agent can delete those and prune the objects.
//!
//! The repository has the files that are new since the run began, and the trees on the way to them.
//! What was committed before is not copied. So it is small, and `git show REF:PATH` restores each
//! file that the run can have destroyed. It has no alternates, so no object in it depends on the
//! repository of the agents.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::object_pack::write_pack;
use crate::repository::git_program::GitError;
use crate::repository::{GitSession, text};

/// The file with the tree of the commit that was checked out when the run began.
const BASE_FILE: &str = "base";

/// The backup protects from agents, and not from a power failure. Syncing it takes longer than
/// writing it.
const NO_SYNC: &str = "core.fsync=none";

/// Held while the repository may be created.
static CREATION: Mutex<()> = Mutex::new(());

/// A bare repository with the backup of snapshots.
#[derive(Debug, Clone)]
pub(super) struct SnapshotBackup {
    directory: PathBuf,
    /// The last tree that was copied.
    last: Option<String>,
}

impl SnapshotBackup {
    pub(super) const fn new(directory: PathBuf) -> Self {
        Self { directory, last: None }
    }

    /// Copies a tree whose objects are in the repository of the session. The ref leads to the tree
    /// itself: the commit leads to the whole history.
    pub(super) fn store(
        &mut self,
        session: &GitSession<'_>,
        tree: &str,
        reference: &str,
    ) -> Result<(), GitError> {
        let base = self.base(session, tree)?;
        if base.as_deref() == Some(tree) {
            return Ok(());
        }
        self.copy_objects(session, tree, base.as_deref())?;
        let path = self.directory.join(reference);
        session.git.prepare(|| {
            path.parent().map_or(Ok(()), fs::create_dir_all)?;
            fs::write(&path, format!("{tree}\n"))
        })?;
        self.last = Some(tree.to_owned());
        Ok(())
    }

    /// The tree of the commit that was checked out when the run began; `None` if there was none.
    /// Creates the repository with the first snapshot of the run.
    fn base(&self, session: &GitSession<'_>, tree: &str) -> Result<Option<String>, GitError> {
        // Other lanes may take their first snapshot at the same time.
        let _creation = CREATION.lock().unwrap_or_else(PoisonError::into_inner);
        let file = self.directory.join(BASE_FILE);
        let base = match session.git.prepare(|| fs::read_to_string(&file)) {
            Ok(base) => base,
            Err(GitError::Io(error)) if error.kind() == io::ErrorKind::NotFound => {
                let head = ["rev-parse", "--quiet", "--verify", "HEAD^{tree}"];
                let base = session.query(&head)?.map(|tree| text(&tree)).unwrap_or_default();
                session.git.prepare(|| create_repository(&self.directory, tree, &base))?;
                base
            }
            Err(error) => return Err(error),
        };
        Ok(Some(base).filter(|base| !base.is_empty()))
    }

    /// Writes a pack with all objects of the tree that are not copied yet.
    fn copy_objects(
        &self,
        session: &GitSession<'_>,
        tree: &str,
        base: Option<&str>,
    ) -> Result<(), GitError> {
        let known = base.into_iter().chain(self.last.as_deref());
        let known: String = known.map(|tree| format!("^{tree}\n")).collect();
        match self.pack(session, &format!("{tree}\n{known}")) {
            // An agent may have pruned the known objects.
            Err(GitError::Failed(_)) if !known.is_empty() => {
                self.pack(session, &format!("{tree}\n"))
            }
            result => result,
        }
    }

    fn pack(&self, session: &GitSession<'_>, wanted: &str) -> Result<(), GitError> {
        // Searching for similar objects takes longer than writing them.
        let options = ["-c", NO_SYNC, "pack-objects", "-q", "--revs", "--window=0"];
        write_pack(session, &self.directory.join("objects"), &options, wanted)
    }
}

/// Creates an empty bare repository, without templates and hooks. Its object names are as long as
/// that of the tree. The last file completes it.
fn create_repository(directory: &Path, tree: &str, base: &str) -> io::Result<()> {
    const SHA1_DIGITS: usize = 40;
    let (version, extensions) = match tree.len() {
        ..=SHA1_DIGITS => (0, ""),
        _ => (1, "[extensions]\n\tobjectFormat = sha256\n"),
    };
    fs::create_dir_all(directory.join("objects/pack"))?;
    fs::create_dir_all(directory.join("refs"))?;
    fs::write(directory.join("HEAD"), "ref: refs/heads/none\n")?;
    let config =
        format!("[core]\n\trepositoryformatversion = {version}\n\tbare = true\n{extensions}");
    fs::write(directory.join("config"), config)?;
    fs::write(directory.join(BASE_FILE), base)
}
