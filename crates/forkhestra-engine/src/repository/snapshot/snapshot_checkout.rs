//! A directory that has the files of one snapshot at a time, for commands that test it.
//!
//! Our git works with a git directory beside the checkout. The checkout has another one for the commands
//! in it, which is written anew for each snapshot: what commands do to it never reaches our git.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::snapshot_reader::SnapshotReader;
use super::snapshot_store::{BACKUP_DIRECTORY, identity};
use crate::repository::clean_rooms::{object_format, run_isolated};
use crate::repository::git_program::GitError;
use crate::repository::own_index::{copy_index, quoted};
use crate::repository::worktree_entries::{remove_file, remove_tree};
use crate::repository::{GitSession, text};

/// Upper bound for one command of git. The first one writes all files.
const TIMEOUT: Duration = Duration::from_secs(600);

/// A request for the files of a snapshot.
#[derive(Debug, Clone, Copy)]
pub struct CheckoutRequest<'a> {
    pub tree: &'a str,
    /// The commit that was checked out. It becomes the parent of the checkout's commit, if it exists.
    pub head: Option<&'a str>,
    /// The message of the checkout's commit.
    pub message: &'a str,
}

/// A directory that has the files of one snapshot at a time. Only files that differ from those of the
/// snapshot before are written. Ignored files stay.
#[derive(Debug)]
pub(crate) struct SnapshotCheckout {
    path: PathBuf,
    /// The directory of our git.
    git_dir: PathBuf,
    /// The directories with the objects of snapshots.
    objects: Vec<PathBuf>,
    is_filled: bool,
}

impl SnapshotCheckout {
    /// A checkout in a directory of our own. It is empty until the first snapshot.
    pub(crate) fn new(
        directory: &Path,
        reader: &SnapshotReader,
        persistent_directory: &Path,
    ) -> Self {
        let backup = persistent_directory.join(BACKUP_DIRECTORY).join("objects");
        let objects = [reader.repository.objects.clone(), backup];
        Self {
            path: directory.join("checkout"),
            git_dir: directory.join("checkout.git"),
            objects: objects.into_iter().filter(|path| path.is_dir()).collect(),
            is_filled: false,
        }
    }

    /// The directory with the files.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The directories that git in the checkout reads.
    pub(crate) fn objects(&self) -> Vec<PathBuf> {
        [self.git_dir.clone()].into_iter().chain(self.objects.iter().cloned()).collect()
    }

    /// Writes the files of a snapshot.
    pub(crate) fn fill(
        &mut self,
        reader: &SnapshotReader,
        request: &CheckoutRequest<'_>,
    ) -> Result<(), GitError> {
        let session = GitSession { deadline: Instant::now() + TIMEOUT, ..reader.session() };
        // What a command left may be in the way, such as a directory without write permission.
        if self.is_filled && self.update(&session, request).is_ok() {
            return Ok(());
        }
        self.create(&session, request.tree)?;
        self.update(&session, request)?;
        self.is_filled = true;
        Ok(())
    }

    /// Removes all files, also ignored ones.
    pub(crate) fn clear(&mut self) -> io::Result<()> {
        self.is_filled = false;
        remove_any(&self.path)?;
        remove_tree(&self.git_dir)
    }

    /// Creates an empty checkout.
    fn create(&mut self, session: &GitSession<'_>, tree: &str) -> Result<(), GitError> {
        session.git.prepare(|| {
            self.clear()?;
            fs::create_dir_all(&self.path)
        })?;
        let init = ["init", "--quiet", "--bare", "--template=", object_format(tree)];
        let mut args: Vec<&OsStr> = init.iter().map(OsStr::new).collect();
        args.push(self.git_dir.as_os_str());
        run_isolated(session, &self.path, &[], &args)?;
        session.git.prepare(|| {
            write_alternates(&self.git_dir, &self.objects)?;
            copy_if_file(&session.repository.common, &self.git_dir, "info/exclude")
        })
    }

    fn update(
        &self,
        session: &GitSession<'_>,
        request: &CheckoutRequest<'_>,
    ) -> Result<(), GitError> {
        self.run(session, &["read-tree", "--reset", "-u", request.tree])?;
        // By the rules of this snapshot, so that git in the checkout finds nothing to report.
        self.run(session, &["clean", "-ffdq"])?;
        let commit = self.commit(session, request)?;
        session.git.prepare(|| self.write_git_directory(session, &commit))
    }

    /// Creates the commit of the checkout. Without its parent it has no history.
    fn commit(
        &self,
        session: &GitSession<'_>,
        request: &CheckoutRequest<'_>,
    ) -> Result<String, GitError> {
        let commit = ["commit-tree", "-m", request.message];
        let with_parent = request.head.map(|head| {
            let args = [&commit[..], &["-p", head, request.tree]].concat();
            self.run(session, &args)
        });
        let made = match with_parent {
            Some(Ok(made)) => made,
            _ => self.run(session, &[&commit[..], &[request.tree]].concat())?,
        };
        Ok(text(&made))
    }

    /// Replaces git's directory in the checkout, which commands may have changed.
    fn write_git_directory(&self, session: &GitSession<'_>, commit: &str) -> io::Result<()> {
        let git = self.path.join(".git");
        remove_any(&git)?;
        fs::create_dir_all(git.join("refs"))?;
        let own = [self.git_dir.join("objects")];
        let objects: Vec<PathBuf> = own.into_iter().chain(self.objects.iter().cloned()).collect();
        write_alternates(&git, &objects)?;
        copy_if_file(&session.repository.common, &git, "info/exclude")?;
        copy_if_file(&session.repository.common, &git, "shallow")?;
        let (version, format) = match commit.len() {
            64 => (1, "[extensions]\n\tobjectFormat = sha256\n"),
            _ => (0, ""),
        };
        let core = format!("[core]\n\trepositoryformatversion = {version}\n\tbare = false\n");
        fs::write(git.join("config"), core + format)?;
        fs::write(git.join("HEAD"), format!("{commit}\n"))?;
        copy_index(&self.git_dir.join("index"), &git.join("index"))
    }

    fn run(&self, session: &GitSession<'_>, args: &[&str]) -> Result<Vec<u8>, GitError> {
        let mut variables: Vec<(&'static str, OsString)> = identity().into();
        variables.push(("GIT_DIR", self.git_dir.clone().into()));
        variables.push(("GIT_WORK_TREE", self.path.clone().into()));
        let args: Vec<&OsStr> = args.iter().map(OsStr::new).collect();
        run_isolated(session, &self.path, &variables, &args)
    }
}

/// Lets a repository read the objects of others.
fn write_alternates(git: &Path, objects: &[PathBuf]) -> io::Result<()> {
    let mut lines = Vec::new();
    for path in objects {
        lines.extend(quoted(path).as_bytes());
        lines.push(b'\n');
    }
    fs::create_dir_all(git.join("objects/info"))?;
    fs::write(git.join("objects/info/alternates"), lines)
}

/// Copies a regular file of one git directory to another one, if it exists.
fn copy_if_file(from: &Path, to: &Path, name: &str) -> io::Result<()> {
    let (from, to) = (from.join(name), to.join(name));
    if !fs::symlink_metadata(&from).is_ok_and(|metadata| metadata.is_file()) {
        return Ok(());
    }
    to.parent().map_or(Ok(()), fs::create_dir_all)?;
    fs::copy(from, to).map(drop)
}

/// Removes a directory, a file or a link.
fn remove_any(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_dir() => remove_tree(path),
        _ => remove_file(path),
    }
}
