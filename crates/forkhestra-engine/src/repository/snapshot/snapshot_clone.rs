//! A repository of its own with the work tree of a snapshot.
//!
//! The objects are copied, so that neither repository can damage the other one. The clone has the
//! branches, tags and remotes of the repository of the run, and none of its settings that name a
//! command. A new branch is at the commit that was checked out; what was not committed is not
//! committed there either.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use forkhestra_core::event::WorkTreeSnapshot;

use super::clone_config;
use super::cloned_refs::ClonedRefs;
use super::missing_files::MissingFiles;
use super::object_pack::write_pack;
use super::snapshot_reader::{SnapshotReadError, SnapshotReader};
use crate::regular_file;
use crate::repository::clean_rooms::{object_format, run_isolated};
use crate::repository::git_program::GitError;
use crate::repository::worktree_entries::remove_tree;
use crate::repository::{GitRepository, GitSession};

/// Upper bound for one command: a large repository is copied as a whole.
const TIMEOUT: Duration = Duration::from_secs(60 * 60);

/// A request for a clone.
#[derive(Clone, Copy)]
pub struct SnapshotCloneRequest<'a> {
    pub snapshot: &'a WorkTreeSnapshot,
    /// The commit that was checked out; none before the first one.
    pub head: Option<&'a str>,
    /// The top directory of the clone. It must be missing or empty.
    pub directory: &'a Path,
    /// The name of the new branch. If a branch of the repository leaves no place for it, it has `-` instead
    /// of `/`.
    pub branch: &'a str,
    /// Whether the clone is not wanted any more.
    pub is_cancelled: &'a dyn Fn() -> bool,
}

/// A clone with the work tree of a snapshot.
#[derive(Debug)]
pub struct SnapshotClone {
    /// What it lacks.
    pub missing: MissingFiles,
    /// Why it has no branches and tags, if it has none.
    pub without_refs: Option<String>,
    /// The name of the branch that is checked out.
    pub branch: String,
    created: CreatedDirectory,
}

/// Why there is no clone. Nothing is left of it.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotCloneError {
    #[error(transparent)]
    Snapshot(#[from] SnapshotReadError),
    #[error("the commit {0}, on which it is based, is gone")]
    NoCommit(String),
    #[error("the repository is a partial clone, which lacks objects")]
    Partial,
    #[error("{0} is set, so that git would not find the new work tree")]
    LocationOverride(&'static str),
    #[error("it is not empty")]
    Occupied,
    #[error("it was interrupted")]
    Cancelled,
    #[error("{0}")]
    Git(String),
    #[error("{}: {error}", .path.display())]
    File { path: PathBuf, error: io::Error },
}

impl From<GitError> for SnapshotCloneError {
    fn from(error: GitError) -> Self {
        Self::Git(error.to_string())
    }
}

impl SnapshotReader {
    /// Fails if there can be no clone with the work tree of a snapshot. Returns the tree.
    pub fn require_clonable(
        &self,
        snapshot: &WorkTreeSnapshot,
        head: Option<&str>,
    ) -> Result<String, SnapshotCloneError> {
        if let Some(variable) = self.git.redirection() {
            return Err(SnapshotCloneError::LocationOverride(variable));
        }
        let session = self.session();
        if session.config()?.is_partial {
            return Err(SnapshotCloneError::Partial);
        }
        let tree = self.tree(snapshot)?;
        if let Some(head) = head
            && session.query(&["cat-file", "-e", &format!("{head}^{{commit}}")])?.is_none()
        {
            return Err(SnapshotCloneError::NoCommit(head.to_owned()));
        }
        Ok(tree)
    }

    /// Makes a clone with the work tree of a snapshot.
    pub fn clone_into(
        &self,
        request: SnapshotCloneRequest<'_>,
    ) -> Result<SnapshotClone, SnapshotCloneError> {
        let tree = self.require_clonable(request.snapshot, request.head)?;
        let created = CreatedDirectory::create(request.directory)?;
        let filled = NewClone { source: self, tree: &tree, request }.fill();
        match filled {
            Ok(FilledClone { missing, without_refs, branch }) => {
                Ok(SnapshotClone { missing, without_refs, branch, created })
            }
            Err(error) => {
                created.remove()?;
                Err(error)
            }
        }
    }
}

impl SnapshotClone {
    /// Removes the clone.
    pub fn remove(&self) -> Result<(), SnapshotCloneError> {
        self.created.remove()
    }
}

/// A clone that is being made.
struct NewClone<'a> {
    source: &'a SnapshotReader,
    tree: &'a str,
    request: SnapshotCloneRequest<'a>,
}

/// What is in a clone.
struct FilledClone {
    missing: MissingFiles,
    without_refs: Option<String>,
    branch: String,
}

impl NewClone<'_> {
    fn fill(&self) -> Result<FilledClone, SnapshotCloneError> {
        self.initialise()?;
        let refs = ClonedRefs::read(&self.source_session())?.direct;
        let branch = self.branch(&refs);
        let without_refs = self.copy_objects(&refs)?;
        let refs = if without_refs.is_none() { refs.as_slice() } else { &[] };
        self.write_git_directory(refs, &branch)?;
        self.check_out()?;
        let session = self.source_session();
        let mut missing = MissingFiles::find(&session, self.tree)?;
        self.in_clone(|clone| Ok(missing.add_filtered(clone, &session)?))?;
        self.stop_if_cancelled()?;
        Ok(FilledClone { missing, without_refs, branch })
    }

    /// The name of the new branch. Git cannot have the branches `a` and `a/b`.
    fn branch(&self, refs: &[(String, String)]) -> String {
        let wanted = self.request.branch;
        let is_beside = |name: &str| {
            let name = name.strip_prefix("refs/heads/");
            name.is_some_and(|name| {
                Path::new(wanted).ancestors().skip(1).any(|it| it == Path::new(name))
            })
        };
        match refs.iter().any(|(_, name)| is_beside(name)) {
            true => wanted.replace('/', "-"),
            false => wanted.to_owned(),
        }
    }

    fn source_session(&self) -> GitSession<'_> {
        GitSession { deadline: Instant::now() + TIMEOUT, ..self.source.session() }
    }

    fn git_directory(&self) -> PathBuf {
        self.request.directory.join(".git")
    }

    fn stop_if_cancelled(&self) -> Result<(), SnapshotCloneError> {
        match (self.request.is_cancelled)() {
            true => Err(SnapshotCloneError::Cancelled),
            false => Ok(()),
        }
    }

    fn initialise(&self) -> Result<(), SnapshotCloneError> {
        let init = ["init", "--quiet", "--template=", object_format(self.tree)].map(OsStr::new);
        let directory = self.request.directory;
        let args: Vec<&OsStr> = init.into_iter().chain([directory.as_os_str()]).collect();
        run_isolated(&self.source_session(), directory, &[], &args)?;
        self.stop_if_cancelled()
    }

    /// Copies the history, and the files of the snapshot. Returns why the refs cannot be copied with
    /// them, if an object is missing.
    fn copy_objects(
        &self,
        refs: &[(String, String)],
    ) -> Result<Option<String>, SnapshotCloneError> {
        let snapshot = [Some(self.tree), self.request.head].into_iter().flatten();
        let snapshot: String = snapshot.map(|object| format!("{object}\n")).collect();
        let objects: String = refs.iter().map(|(object, _)| format!("{object}\n")).collect();
        let failure = match self.pack(&format!("{snapshot}{objects}")) {
            Err(GitError::Failed(why)) if self.lacks_objects(&objects)? => {
                self.pack(&snapshot)?;
                Some(format!("git {why}"))
            }
            result => result.map(|()| None)?,
        };
        self.stop_if_cancelled()?;
        Ok(failure)
    }

    /// Whether an object is missing that these lead to.
    fn lacks_objects(&self, wanted: &str) -> Result<bool, SnapshotCloneError> {
        if wanted.is_empty() {
            return Ok(false);
        }
        let args = ["rev-list", "--objects", "--quiet", "--stdin"];
        match self.source_session().send_input(&[], &args, wanted.as_bytes()) {
            Ok(_) => Ok(false),
            Err(GitError::Failed(_)) => Ok(true),
            Err(error) => Err(error.into()),
        }
    }

    fn pack(&self, wanted: &str) -> Result<(), GitError> {
        let options = ["pack-objects", "-q", "--revs", "--delta-base-offset"];
        write_pack(&self.source_session(), &self.git_directory().join("objects"), &options, wanted)
    }

    fn write_git_directory(
        &self,
        refs: &[(String, String)],
        branch: &str,
    ) -> Result<(), SnapshotCloneError> {
        let git = self.git_directory();
        let common = &self.source.repository.common;
        let settings = clone_config::read(&self.source_session())?;
        let packed: String =
            refs.iter().map(|(object, name)| format!("{object} {name}\n")).collect();
        let branch = format!("refs/heads/{branch}");
        let in_clone = |name: &str| git.join(name);
        let config = fs::read(in_clone("config")).map_err(file(&in_clone("config")))?;
        let mut files = vec![
            ("packed-refs".to_owned(), packed.into_bytes()),
            ("config".to_owned(), [config, settings].concat()),
            ("HEAD".to_owned(), format!("ref: {branch}\n").into_bytes()),
        ];
        files.extend(self.request.head.map(|head| (branch, format!("{head}\n").into_bytes())));
        for name in ["shallow", "info/exclude"] {
            // A file that is no regular one, or cannot be read, is as good as none.
            let content = regular_file::read(&common.join(name)).ok();
            files.extend(content.map(|content| (name.to_owned(), content)));
        }
        for (name, content) in files {
            let path = in_clone(&name);
            path.parent().map_or(Ok(()), fs::create_dir_all).map_err(file(&path))?;
            fs::write(&path, content).map_err(file(&path))?;
        }
        Ok(())
    }

    /// Writes the files of the snapshot. The index is that of the commit, so that the rest is not
    /// committed.
    fn check_out(&self) -> Result<(), SnapshotCloneError> {
        self.in_clone(|clone| {
            clone.require(&["read-tree", "--reset", "-u", self.tree])?;
            self.stop_if_cancelled()?;
            match self.request.head {
                Some(head) => clone.require(&["read-tree", "-m", head])?,
                None => clone.require(&["read-tree", "--empty"])?,
            };
            Ok(())
        })
    }

    fn in_clone<T>(
        &self,
        work: impl FnOnce(&GitSession<'_>) -> Result<T, SnapshotCloneError>,
    ) -> Result<T, SnapshotCloneError> {
        let deadline = Instant::now() + TIMEOUT;
        let git = &self.source.git;
        let found = GitRepository::find_nested(git, self.request.directory, deadline)?;
        let missing = || SnapshotCloneError::Git("git finds no repository there".to_owned());
        let repository = found.ok_or_else(missing)?;
        work(&GitSession { git, repository: &repository, deadline })
    }
}

/// A directory that was missing or empty, and that no other process uses.
#[derive(Debug)]
struct CreatedDirectory {
    path: PathBuf,
    /// The outermost directory that did not exist; none if the directory existed.
    outermost: Option<PathBuf>,
}

impl CreatedDirectory {
    /// Makes a directory, or takes an empty one. Of several processes, one can create `.git` there.
    fn create(path: &Path) -> Result<Self, SnapshotCloneError> {
        let missing = path.ancestors().take_while(|place| place.symlink_metadata().is_err());
        let outermost = missing.last().map(Path::to_owned);
        path.parent().map_or(Ok(()), fs::create_dir_all).map_err(file(path))?;
        let is_new = match fs::create_dir(path) {
            Ok(()) => true,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => false,
            Err(error) => return Err(file(path)(error)),
        };
        if !is_new && fs::read_dir(path).map_err(file(path))?.next().is_some() {
            return Err(SnapshotCloneError::Occupied);
        }
        match fs::create_dir(path.join(".git")) {
            Ok(()) => Ok(Self { path: path.to_owned(), outermost: outermost.filter(|_| is_new) }),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                Err(SnapshotCloneError::Occupied)
            }
            Err(error) => {
                // What another process put there keeps it.
                let _ = is_new.then(|| fs::remove_dir(path));
                Err(file(&path.join(".git"))(error))
            }
        }
    }

    fn remove(&self) -> Result<(), SnapshotCloneError> {
        if let Some(outermost) = &self.outermost {
            remove_tree(&self.path).map_err(file(&self.path))?;
            // Another process may have put something into a directory around it.
            let around = self.path.ancestors().skip(1).take_while(|it| it.starts_with(outermost));
            let _ = around.map(fs::remove_dir).take_while(Result::is_ok).count();
            return Ok(());
        }
        for entry in fs::read_dir(&self.path).map_err(file(&self.path))? {
            let path = entry.map_err(file(&self.path))?.path();
            let removed = match path.is_dir() && !path.is_symlink() {
                true => remove_tree(&path),
                false => fs::remove_file(&path),
            };
            removed.map_err(file(&path))?;
        }
        Ok(())
    }
}

fn file(path: &Path) -> impl Fn(io::Error) -> SnapshotCloneError {
    let path = path.to_owned();
    move |error| SnapshotCloneError::File { path: path.clone(), error }
}
