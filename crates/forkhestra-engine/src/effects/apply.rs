//! Makes recorded changes again in another work tree.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use forkhestra_core::recording::{RecordedCommit, RecordedEffects, RecordedState};

use super::EffectsError;
use super::commit_object::CommitObject;
use super::patch::{APPLY, diff, patched, tree_of};
use super::state::{GitVariables, ObservedRepository, TIMEOUT, observe_repository, with_index};
use crate::process::ChildProcesses;
use crate::repository::git_program::GitProgram;
use crate::repository::index_lock::wait_for_lock;
use crate::repository::{GitRepository, GitSession, names, text};
use crate::secret_finder::SecretFinder;
use crate::work_tree::{WorkTree, WorkTreePaths};

/// The maximum of differing files that an error names.
const MAX_FILES: usize = 5;

/// How long a replay waits for another git process that has the index or the branch locked.
const LOCK_TIMEOUT: Duration = Duration::from_secs(5);

/// The work tree in which recorded changes are made again.
#[derive(Debug, Clone, Copy)]
pub struct ReplayTarget<'a> {
    /// The working directory, inside a repository.
    pub directory: &'a Path,
    /// Directories of forkhestra inside the work tree. They are not compared.
    pub own_paths: &'a [&'a Path],
    /// The environment for git.
    pub environment: &'a [(OsString, OsString)],
    /// Whether an earlier attempt was interrupted. Some or all of the changes may have been made
    /// already.
    pub is_retry: bool,
}

/// Reads a file that the recorded effects name.
pub type ReadFile<'a> = &'a dyn Fn(&str) -> Result<Vec<u8>, String>;

/// Checks that the work tree has the recorded files. Changes nothing.
pub fn check(effects: &RecordedEffects, target: ReplayTarget<'_>) -> Result<(), EffectsError> {
    ReplayRepository::open(target)?.done(effects).map(drop)
}

/// Makes recorded changes: files, then the index, then the branch.
///
/// The work tree must have the files that it had when the changes were recorded. Nothing is changed
/// before all commits and trees are built and git has checked the patch of the files. If another git
/// process has the index or the branch locked, this waits for a short time. Then it puts the files
/// and the index back, and returns an error that names the lock file. If this is interrupted, a
/// second call with `is_retry` makes the rest.
pub fn apply(
    effects: &RecordedEffects,
    read_file: ReadFile<'_>,
    target: ReplayTarget<'_>,
) -> Result<(), EffectsError> {
    apply_within(LOCK_TIMEOUT, effects, read_file, target)
}

pub(super) fn apply_within(
    lock_timeout: Duration,
    effects: &RecordedEffects,
    read_file: ReadFile<'_>,
    target: ReplayTarget<'_>,
) -> Result<(), EffectsError> {
    let replay = ReplayRepository::open(target)?;
    let done = replay.done(effects)?;
    if done.files && done.branch {
        return Ok(());
    }
    let built = replay.build(effects, read_file)?;
    let session = replay.session();
    let patch = match done.files {
        true => None,
        false => diff(&session, &replay.variables, &replay.now.tree, &effects.end.tree)?,
    };
    if built.index.is_some() {
        wait_for_lock(&replay.repository.index, lock_timeout).map_err(EffectsError::Locked)?;
    }
    replay.apply_to_files(patch.as_deref(), &[])?;
    replay.move_index(&built, lock_timeout).or_else(|error| {
        let put_back = replay.apply_to_files(patch.as_deref(), &["--reverse"]);
        put_back
            .map_err(|why| EffectsError::Git(format!("{error}; the files stay changed: {why}")))?;
        Err(error)
    })
}

/// A repository in which changes are made again.
struct ReplayRepository<'a> {
    target: ReplayTarget<'a>,
    git: GitProgram,
    repository: GitRepository,
    deadline: Instant,
    /// Variables that make git use our own index and objects, which hold the current work tree.
    variables: GitVariables,
    scratch: ScratchDir,
    now: RecordedState,
}

/// The changes that an earlier attempt has made.
struct DoneChanges {
    files: bool,
    branch: bool,
}

/// The new targets of the branch and the index; `None` if unchanged.
struct BuiltObjects {
    head: Option<String>,
    index: Option<String>,
}

impl<'a> ReplayRepository<'a> {
    fn open(target: ReplayTarget<'a>) -> Result<Self, EffectsError> {
        let deadline = Instant::now() + TIMEOUT;
        let none = || EffectsError::NoRepository(target.directory.to_owned());
        let git = GitProgram::new(target.environment, Arc::new(ChildProcesses::default()));
        let repository = GitRepository::find(&git, target.directory, deadline)?.ok_or_else(none)?;
        let scratch = ScratchDir::create(&repository)?;
        let places = WorkTreePaths::new(
            target.directory,
            &scratch.0,
            &scratch.0.join("kept"),
            target.own_paths,
        );
        let mut tree = WorkTree::new(places, git.clone(), None, SecretFinder::default());
        let ObservedRepository { state, repository, variables } =
            observe_repository(&mut tree, deadline)?.ok_or_else(none)?;
        Ok(Self { target, git, repository, deadline, variables, scratch, now: state })
    }

    fn session(&self) -> GitSession<'_> {
        GitSession { git: &self.git, repository: &self.repository, deadline: self.deadline }
    }

    /// Applies a patch to the files of the work tree.
    fn apply_to_files(&self, patch: Option<&[u8]>, options: &[&str]) -> Result<(), EffectsError> {
        let Some(patch) = patch else { return Ok(()) };
        self.session().send_input(&[], &[&APPLY[..], options, &["-"]].concat(), patch)?;
        Ok(())
    }

    /// Replaces the index and moves the branch. If the branch cannot be moved, the index is put back.
    fn move_index(&self, built: &BuiltObjects, lock_timeout: Duration) -> Result<(), EffectsError> {
        let session = self.session();
        if let Some(index) = &built.index {
            session.require(&["read-tree", "--reset", index])?;
        }
        let Some(head) = built.head.as_ref().filter(|head| self.now.head.as_ref() != Some(*head))
        else {
            return Ok(());
        };
        let old = self.now.head.clone().unwrap_or_else(|| "0".repeat(head.len()));
        let wait = format!("core.filesRefLockTimeout={}", lock_timeout.as_millis());
        let update = ["-c", &wait, "update-ref", "-m", "forkhestra: replay", "HEAD", head, &old];
        let moved = session.require(&update).map_err(|error| match self.branch_lock() {
            // Another cause may fail the update while an unrelated lock exists.
            Some(lock) if error.to_string().contains(&*lock.to_string_lossy()) => {
                EffectsError::Locked(lock)
            }
            _ => error.into(),
        });
        if let (Err(_), Some(index)) = (&moved, &self.now.index) {
            let variables = with_index(&self.variables, &self.repository.index);
            session.require_with(&variables, &["read-tree", "--reset", index])?;
        }
        moved.map(drop)
    }

    /// The lock file of the branch, if it exists.
    fn branch_lock(&self) -> Option<PathBuf> {
        let GitRepository { index, common, .. } = &self.repository;
        let branch = self.now.branch.iter().map(|branch| common.join(format!("{branch}.lock")));
        let head = index.with_file_name("HEAD.lock");
        branch.chain([head]).find(|lock| lock.exists())
    }

    /// Compares the work tree with the recorded one.
    fn done(&self, effects: &RecordedEffects) -> Result<DoneChanges, EffectsError> {
        let RecordedEffects { start, end, .. } = effects;
        let now = &self.now;
        if self.target.is_retry && now.tree == end.tree {
            let here = || tree_of(&self.session(), now.head.as_deref());
            let branch = match &effects.commits[..] {
                _ if !effects.moves_head || now.head == end.head => true,
                // In another history the commits have other hashes.
                [.., last] if now.head != start.head => here()? == last.tree,
                _ => false,
            };
            return Ok(DoneChanges { files: true, branch });
        }
        if now.tree == start.tree {
            return Ok(DoneChanges { files: false, branch: false });
        }
        let list =
            ["diff-tree", "-r", "-z", "--no-ext-diff", "--name-only", &start.tree, &now.tree];
        // If the recorded tree is not in this repository, no files can be named.
        let listed = self.session().require_with(&self.variables, &list).unwrap_or_default();
        let mut files: Vec<String> =
            names(&listed).map(|name| String::from_utf8_lossy(name).into_owned()).collect();
        let more = files.len().saturating_sub(MAX_FILES);
        files.truncate(MAX_FILES);
        let (expected, found) = (start.tree.clone(), now.tree.clone());
        Err(EffectsError::OtherTree { expected, found, files, more })
    }

    /// Builds all commits and trees. No branch, index or file refers to them yet.
    fn build(
        &self,
        effects: &RecordedEffects,
        read_file: ReadFile<'_>,
    ) -> Result<BuiltObjects, EffectsError> {
        let RecordedEffects { start, end, .. } = effects;
        let mut built = BuiltObjects { head: None, index: None };
        let mut base = start.tree.clone();
        if effects.moves_head {
            let ids = self.commits(effects, read_file)?;
            let head = end.head.as_ref().map(|id| ids.get(id).unwrap_or(id).clone());
            base = tree_of(&self.session(), head.as_deref())?;
            self.check_staged(start, end)?;
            let expected = end.index.as_deref();
            let staged = read(read_file, effects.staged.as_deref())?;
            built.index =
                Some(self.patched("what was staged", &[], &base, staged.as_deref(), expected)?);
            built.head = head;
        }
        let (what, rest) = ("what was not committed", read(read_file, effects.rest.as_deref())?);
        self.patched(what, &self.variables, &base, rest.as_deref(), Some(&end.tree))?;
        Ok(built)
    }

    /// Creates all commits, and returns their new hashes by the recorded ones.
    fn commits(
        &self,
        effects: &RecordedEffects,
        read_file: ReadFile<'_>,
    ) -> Result<HashMap<String, String>, EffectsError> {
        let mut ids = HashMap::new();
        match (&effects.start.head, &self.now.head) {
            (Some(recorded), Some(here)) => drop(ids.insert(recorded.clone(), here.clone())),
            (None, None) => {}
            (Some(_), None) => return Err(mismatch("this repository has no commit")),
            (None, Some(_)) => return Err(mismatch("the recorded repository had no commit")),
        }
        for commit in &effects.commits {
            let RecordedCommit { id, tree, object, patch, .. } = commit;
            let parents: Vec<String> =
                commit.parents.iter().map(|id| ids.get(id).unwrap_or(id).clone()).collect();
            let base = tree_of(&self.session(), parents.first().map(String::as_str))?;
            let patch = read(read_file, patch.as_deref())?;
            self.patched(&format!("commit {id}"), &[], &base, patch.as_deref(), Some(tree))?;
            let object = read_file(object).map_err(EffectsError::DoNotFit)?;
            let unknown = || mismatch(&format!("commit {id} cannot be parsed"));
            let parsed = CommitObject::parse(&object).ok_or_else(unknown)?;
            let mut args = vec!["-c", "i18n.commitEncoding=UTF-8", "commit-tree", tree];
            args.extend(parents.iter().flat_map(|parent| ["-p", parent]));
            let made = self.session().send_input(&parsed.variables(), &args, parsed.message)?;
            ids.insert(id.clone(), text(&made));
        }
        Ok(ids)
    }

    /// Applies a patch to a tree, and checks that the result is the recorded one.
    fn patched(
        &self,
        what: &str,
        variables: &[(&'static str, OsString)],
        base: &str,
        patch: Option<&[u8]>,
        expected: Option<&str>,
    ) -> Result<String, EffectsError> {
        let variables = with_index(variables, &self.scratch.0.join("index-to-build"));
        let tree = patched(&self.session(), &variables, base, patch)?;
        match expected.filter(|expected| *expected != tree) {
            None => Ok(tree),
            Some(expected) => {
                Err(mismatch(&format!("{what} comes to tree {tree} here, and was {expected}")))
            }
        }
    }

    /// The index is replaced, so its content must be recorded, committed or in the work tree.
    fn check_staged(&self, start: &RecordedState, end: &RecordedState) -> Result<(), EffectsError> {
        let RecordedState { index, head, tree, .. } = &self.now;
        let committed = tree_of(&self.session(), head.as_deref())?;
        let kept = [start.index.as_ref(), end.index.as_ref(), Some(&committed), Some(tree)];
        if kept.contains(&index.as_ref()) {
            return Ok(());
        }
        Err(mismatch("what is staged here was not when they were recorded, and would be lost"))
    }
}

/// A directory for temporary files beside the user's index, outside of the work tree.
struct ScratchDir(PathBuf);

impl ScratchDir {
    fn create(repository: &GitRepository) -> io::Result<Self> {
        let beside = repository.index.parent().unwrap_or(&repository.common);
        let path = beside.join(format!("forkhestra-effects-{}", std::process::id()));
        // A killed process with the same id may have left one.
        let _ = fs::remove_dir_all(&path);
        fs::create_dir(&path)?;
        Ok(Self(path))
    }
}

impl Drop for ScratchDir {
    fn drop(&mut self) {
        // A later process with the same id removes it otherwise.
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn read(read_file: ReadFile<'_>, name: Option<&str>) -> Result<Option<Vec<u8>>, EffectsError> {
    name.map(read_file).transpose().map_err(EffectsError::DoNotFit)
}

fn mismatch(why: &str) -> EffectsError {
    EffectsError::DoNotFit(why.to_owned())
}
