//! The repository of which lanes are made.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use forkhestra_core::id::RunId;

use super::lane_error::LaneError;
use crate::process::ChildProcesses;
use crate::repository::git_program::{GitProgram, GitQuery};
use crate::repository::rewind::HeadState;
use crate::repository::snapshot::REF_NAMESPACE;
use crate::repository::{GitRepository, GitSession, text};
use crate::work_tree::own_paths::real_path;

/// Upper bound for one sequence of commands: a large repository is checked out as a whole.
const TIMEOUT: Duration = Duration::from_secs(60 * 60);

/// The first version of git that can merge without a work tree.
const MIN_VERSION: (u32, u32) = (2, 38);

/// The repository of which lanes are made.
#[derive(Debug, Clone)]
pub struct LaneSource {
    pub(super) git: GitProgram,
    pub(super) repository: GitRepository,
}

impl LaneSource {
    /// Finds the repository of a directory.
    pub fn open(directory: &Path, environment: &[(OsString, OsString)]) -> Result<Self, LaneError> {
        Self::with_git(GitProgram::new(environment, Arc::new(ChildProcesses::default())), directory)
    }

    /// Finds the repository of a directory. The git program is that of the run, with which it ends.
    pub(crate) fn with_git(git: GitProgram, directory: &Path) -> Result<Self, LaneError> {
        if !git.is_installed() {
            return Err(LaneError::NoGit);
        }
        if let Some(variable) = git.redirection() {
            return Err(LaneError::LocationOverride(variable));
        }
        let directory = real_path(directory);
        if !directory.is_dir() {
            return Err(LaneError::NoRepository(directory));
        }
        refuse_old(&git, &directory)?;
        let deadline = Instant::now() + TIMEOUT;
        if let Some(repository) = GitRepository::find(&git, &directory, deadline)? {
            return Ok(Self { git, repository });
        }
        match ask(&git, &directory, &["rev-parse", "--is-bare-repository"])?.as_deref() {
            Some("true") => Err(LaneError::Bare(directory)),
            _ => Err(LaneError::NoRepository(directory)),
        }
    }

    /// The top directory of its work tree.
    pub fn top(&self) -> &Path {
        &self.repository.top
    }

    /// What is checked out. A repository without a commit has no lanes.
    pub fn head(&self) -> Result<HeadState, LaneError> {
        let head = HeadState::read(&self.session())?;
        if head.commit.is_none() {
            return Err(LaneError::NoCommit);
        }
        Ok(head)
    }

    /// Points a ref of a run at a commit, so that git keeps its objects for the lanes whatever happens
    /// to the branch. Returns the name of the ref. [`forget_snapshots`](crate::forget_snapshots)
    /// removes it.
    pub fn keep_commit(&self, run: &RunId, name: &str, commit: &str) -> Result<String, LaneError> {
        let name = format!("{REF_NAMESPACE}/{run}/{name}");
        self.session().require(&["update-ref", &name, commit])?;
        Ok(name)
    }

    /// Fails if a commit is not in the repository. Returns its full id.
    pub(super) fn require_commit(&self, commit: &str) -> Result<String, LaneError> {
        let id = format!("{commit}^{{commit}}");
        let args = ["rev-parse", "--quiet", "--verify", &id];
        let found = self.session().query(&args)?;
        found.map(|id| text(&id)).ok_or_else(|| LaneError::UnknownCommit(commit.to_owned()))
    }

    pub(super) fn session(&self) -> GitSession<'_> {
        let (git, repository) = (&self.git, &self.repository);
        GitSession { git, repository, deadline: Instant::now() + TIMEOUT }
    }
}

fn ask(git: &GitProgram, directory: &Path, args: &[&str]) -> Result<Option<String>, LaneError> {
    let args: Vec<&OsStr> = args.iter().map(OsStr::new).collect();
    let deadline = Instant::now() + TIMEOUT;
    let (args, variables, settings, input) = (&args[..], &[], &[], &[]);
    let answer = git.query(&GitQuery { directory, args, variables, settings, input, deadline })?;
    Ok(answer.map(|answer| text(&answer)))
}

fn refuse_old(git: &GitProgram, directory: &Path) -> Result<(), LaneError> {
    let answer = ask(git, directory, &["version"])?.unwrap_or_default();
    let version = answer.strip_prefix("git version ").unwrap_or(&answer);
    let mut numbers = version.split('.').map(|number| number.parse::<u32>().ok());
    let found = numbers.next().flatten().zip(numbers.next().flatten());
    match found {
        Some(found) if found >= MIN_VERSION => Ok(()),
        _ => Err(LaneError::OldGit(version.to_owned())),
    }
}
