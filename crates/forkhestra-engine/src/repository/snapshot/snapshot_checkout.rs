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

use super::checkout_leftovers::{TreeDirectories, remove_special_files};
use super::snapshot_reader::SnapshotReader;
use super::snapshot_store::{BACKUP_DIRECTORY, identity};
use crate::repository::clean_rooms::{object_format, run_isolated};
use crate::repository::git_program::GitError;
use crate::repository::own_index::{copy_index, quoted};
use crate::repository::worktree_entries::{remove_any, remove_tree};
use crate::repository::{GitSession, names, text};

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
    /// The tree of the snapshot that is there; none before the first one.
    tree: Option<String>,
}

/// The files and the commit of a checkout.
#[derive(Clone, Copy)]
enum CheckoutTarget<'a> {
    /// A commit is made for a tree.
    Tree(&'a CheckoutRequest<'a>),
    Commit {
        tree: &'a str,
        commit: &'a str,
    },
}

impl<'a> CheckoutTarget<'a> {
    const fn tree(self) -> &'a str {
        match self {
            Self::Tree(request) => request.tree,
            Self::Commit { tree, .. } => tree,
        }
    }
}

/// The rules of git that differ between two trees.
struct ChangedRules {
    attributes: bool,
    ignore: bool,
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
            tree: None,
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
        self.fill_with(reader, CheckoutTarget::Tree(request))
    }

    /// Writes the files of a commit, which is checked out then.
    pub(crate) fn fill_with_commit(
        &mut self,
        reader: &SnapshotReader,
        commit: &str,
    ) -> Result<(), GitError> {
        let tree = format!("{commit}^{{tree}}");
        let tree = text(&reader.session().require(&["rev-parse", "--verify", &tree])?);
        self.fill_with(reader, CheckoutTarget::Commit { tree: &tree, commit })
    }

    fn fill_with(
        &mut self,
        reader: &SnapshotReader,
        target: CheckoutTarget<'_>,
    ) -> Result<(), GitError> {
        let session = GitSession { deadline: Instant::now() + TIMEOUT, ..reader.session() };
        // What a command left may be in the way in a form that cannot be replaced.
        let previous = self.tree.take();
        let is_replaced = previous.is_some_and(|previous| {
            self.replace(&session, &previous, target).is_ok_and(|is_replaced| is_replaced)
        });
        if !is_replaced {
            self.create(&session, target.tree())?;
            self.update(&session, target)?;
        }
        self.tree = Some(target.tree().to_owned());
        Ok(())
    }

    /// Removes all files, also ignored ones.
    pub(crate) fn clear(&mut self) -> io::Result<()> {
        self.tree = None;
        remove_any(&self.path)?;
        remove_tree(&self.git_dir)
    }

    /// Creates an empty checkout.
    fn create(&mut self, session: &GitSession<'_>, tree: &str) -> Result<(), GitError> {
        session.git.prepare(|| {
            self.clear()?;
            // The directory around it exists, unless it was removed with its run.
            fs::create_dir(&self.path)
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

    /// Writes the files of another snapshot in place of those that are there, whatever a command did to
    /// them. Returns false if the files have to be written anew.
    fn replace(
        &self,
        session: &GitSession<'_>,
        previous: &str,
        target: CheckoutTarget<'_>,
    ) -> Result<bool, GitError> {
        let rules = self.changed_rules(session, previous, target.tree())?;
        // Other attributes may mean other bytes for the same object, which git would not write.
        if rules.attributes {
            return Ok(false);
        }
        let directories = self.run(session, &["ls-tree", "-r", "-d", "-z", previous])?;
        session.git.prepare(|| {
            remove_special_files(&self.path)?;
            TreeDirectories(&directories).restore(&self.path)
        })?;
        // An attributes file of a command must not decide how files are written.
        self.clean(session)?;
        // A leftover may be ignored by the other rules, but is not by those under which it was made.
        if rules.ignore {
            self.write_files(session, previous)?;
        }
        self.update(session, target)?;
        Ok(true)
    }

    fn changed_rules(
        &self,
        session: &GitSession<'_>,
        from: &str,
        to: &str,
    ) -> Result<ChangedRules, GitError> {
        const ATTRIBUTES: &str = ".gitattributes";
        let patterns = [ATTRIBUTES, ".gitignore"].map(|name| format!(":(glob)**/{name}"));
        let args = ["diff-tree", "-r", "--name-only", "--no-renames", "-z", from, to, "--"];
        let changed =
            self.run(session, &[&args[..], &patterns.each_ref().map(String::as_str)].concat())?;
        let mut rules = ChangedRules { attributes: false, ignore: false };
        for name in names(&changed) {
            match name.ends_with(ATTRIBUTES.as_bytes()) {
                true => rules.attributes = true,
                false => rules.ignore = true,
            }
        }
        Ok(rules)
    }

    fn update(&self, session: &GitSession<'_>, target: CheckoutTarget<'_>) -> Result<(), GitError> {
        self.write_files(session, target.tree())?;
        let commit = match target {
            CheckoutTarget::Tree(request) => self.commit(session, request)?,
            CheckoutTarget::Commit { commit, .. } => commit.to_owned(),
        };
        session.git.prepare(|| self.write_git_directory(session, &commit))
    }

    /// Writes the files of a tree, and removes others by its rules, so that git in the checkout finds
    /// nothing to report.
    fn write_files(&self, session: &GitSession<'_>, tree: &str) -> Result<(), GitError> {
        self.run(session, &["read-tree", "--reset", "-u", tree])?;
        self.clean(session)
    }

    fn clean(&self, session: &GitSession<'_>) -> Result<(), GitError> {
        self.run(session, &["clean", "-ffdq"]).map(drop)
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
