//! Tells one state of a work tree from another, with whatever can: git where there is a repository,
//! and else the names, sizes and times of all files.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use forkhestra_core::event::{Fingerprint, Paths, Sight, Signals, Snapshot, Work};

use crate::files::{By, Files};
use crate::git::{Git, GitError};
use crate::hash::Hasher;
use crate::ours::{Ours, real};
use crate::remembered;
use crate::repository::{
    Looked, Looks, Objects, Repository, Session, Snapshots, TASKS, Uncommitted, marker,
    may_be_in_one, survey, whole,
};
use crate::wanted::Wanted;

/// The commands that make a repository of a directory, with a first commit.
pub const FIRST_COMMIT: &str = "git init && git add -A && git commit -m Begin";

/// Nobody waits longer for git, nor for a look at all files.
const PATIENCE: Duration = Duration::from_secs(30);

/// A directory in which agents work.
#[derive(Debug, Clone)]
pub(crate) struct WorkTree {
    places: Places,
    git: Git,
    means: Means,
    patience: Duration,
    /// The repository that was found last, and by what.
    found: Option<(PathBuf, Repository)>,
    looks: Looks,
    /// None if no work tree is kept, or none can be.
    snapshots: Option<Snapshots>,
    /// The tree of all files when they were last looked at.
    tree: Option<String>,
}

/// What is tried first. Whatever once takes too long is not tried again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Means {
    Git,
    Files,
    Nothing,
}

/// Where everything is.
#[derive(Debug, Clone)]
pub(crate) struct Places {
    /// Where agents work.
    pub(crate) directory: PathBuf,
    /// For files of our own.
    pub(crate) scratch: PathBuf,
    /// For files of our own that outlive this process.
    pub(crate) kept: PathBuf,
    /// What is no work of agents, even inside the work tree.
    pub(crate) ours: Ours,
}

/// What a look at a work tree shows.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// Its state, if anything can tell.
    pub(crate) tree: Option<Fingerprint>,
    pub(crate) signals: Option<Signals>,
    pub(crate) uncommitted: Option<Paths>,
    pub(crate) snapshot: Option<Snapshot>,
    /// What a person should know, each once.
    pub(crate) notices: Vec<String>,
}

/// Why the state of a work tree is not known.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unknown {
    #[error(transparent)]
    Git(#[from] GitError),
    #[error("{0}")]
    Io(#[from] io::Error),
}

impl Unknown {
    fn is_too_long(&self) -> bool {
        match self {
            Self::Git(error) => matches!(error, GitError::TooLong),
            Self::Io(error) => error.kind() == io::ErrorKind::TimedOut,
        }
    }

    pub(crate) fn is_over(&self) -> bool {
        matches!(self, Self::Git(GitError::Over))
    }
}

impl Places {
    /// Real paths, which are what git says and what we come upon. Other places, such as where the run is
    /// kept, may be inside the work tree, but are no work.
    pub(crate) fn new(directory: &Path, scratch: &Path, kept: &Path, others: &[&Path]) -> Self {
        let directory = real(directory);
        let places: Vec<&Path> = others.iter().copied().chain([scratch, kept]).collect();
        let ours = Ours::new(&directory, &places);
        Self { directory, scratch: scratch.to_owned(), kept: kept.to_owned(), ours }
    }
}

impl WorkTree {
    /// Looks at a directory, and keeps the states of its work tree as those of a run, if there is one.
    pub(crate) fn new(places: Places, git: Git, run: Option<String>) -> Self {
        let objects = if run.is_some() { Objects::Lasting } else { Objects::Ours };
        Self {
            looks: Looks::new(places.scratch.clone(), objects),
            places,
            git,
            means: Means::Git,
            patience: PATIENCE,
            found: None,
            snapshots: run.map(Snapshots::new),
            tree: None,
        }
    }

    /// Whether the directory may be in a repository, which takes hardly any time to tell.
    pub(crate) fn may_be_repository(&self) -> bool {
        may_be_in_one(&self.git, &self.places.directory)
    }

    /// The state of the work tree now.
    pub(crate) fn look(&mut self, wanted: &Wanted) -> Seen {
        let mut seen = Seen::default();
        if self.means == Means::Git && wanted.is_about_repository() && self.may_be_repository() {
            match self.with_git(wanted, &mut seen) {
                Ok(true) => return seen,
                Ok(false) => {}
                Err(error) if error.is_over() => return Seen::default(),
                Err(error) => {
                    if error.is_too_long() {
                        self.means = Means::Files;
                    }
                    seen.notices.push(if wanted.compares() {
                        format!("{error}; names, sizes and times of files are compared instead")
                    } else {
                        format!("the repository cannot be looked at: {error}")
                    });
                    self.look_at_files(wanted.compares(), &mut seen);
                    return seen;
                }
            }
        }
        // Without git there are the files themselves.
        self.look_at_files(wanted.compares(), &mut seen);
        if self.means == Means::Git {
            seen.notices.extend(self.without_repository(wanted));
        }
        seen
    }

    /// Why there is no repository, what the step loses by that, and how to get it.
    pub(crate) fn without_repository(&self, wanted: &Wanted) -> Option<String> {
        // A repository that nothing was asked about has not been looked for.
        if self.may_be_repository() && !wanted.is_about_repository() {
            return None;
        }
        let lost = wanted.lost_without_repository()?;
        let remedy = if self.lacks_git() { "install git" } else { FIRST_COMMIT };
        Some(format!("{}: {lost}; to have them: {remedy}", self.outside()))
    }

    fn lacks_git(&self) -> bool {
        self.may_be_repository() && !self.git.is_installed()
    }

    /// Why there is no repository.
    pub(crate) fn outside(&self) -> String {
        if self.lacks_git() {
            return "git is not installed".to_owned();
        }
        format!("{} is not in a git repository", self.places.directory.display())
    }

    pub(crate) const fn places(&self) -> &Places {
        &self.places
    }

    pub(crate) const fn git(&self) -> &Git {
        &self.git
    }

    /// Finds the repository, if there is one.
    pub(crate) fn repository(&mut self, deadline: Instant) -> Result<Option<Repository>, GitError> {
        let directory = &self.places.directory;
        if self.git.is_led() {
            return Repository::find(&self.git, directory, deadline);
        }
        let Some(by) = marker(directory) else { return Ok(None) };
        if let Some((_, found)) = self.found.as_ref().filter(|(known, found)| {
            *known == by && found.top.is_dir() && found.common.join("HEAD").exists()
        }) {
            return Ok(Some(found.clone()));
        }
        let found = Repository::find(&self.git, directory, deadline)?;
        self.found = found.clone().map(|found| (by, found));
        Ok(found)
    }

    /// Sees everything in the repository.
    pub(crate) fn look_around(
        &mut self,
        repository: &Repository,
        deadline: Instant,
    ) -> Result<Looked, Unknown> {
        let session = Session { git: &self.git, repository, deadline };
        self.looks.look(&session, &self.places.directory, &self.places.ours)
    }

    /// What leads git to the trees of the last look.
    pub(crate) fn variables(
        &self,
        repository: &Repository,
        deadline: Instant,
    ) -> Vec<(&'static str, OsString)> {
        self.looks.own().variables(&Session { git: &self.git, repository, deadline })
    }

    /// Forgets the files of the last look. A survey without a later look then looks by itself.
    pub(crate) fn forget_tree(&mut self) {
        self.tree = None;
    }

    /// What was made of the repository since a step began; none if there is none any more.
    pub(crate) fn survey(&mut self, before: &Sight) -> Result<Option<Work>, Unknown> {
        let deadline = Instant::now() + self.patience;
        let Some(repository) = self.repository(deadline)? else { return Ok(None) };
        let session = Session { git: &self.git, repository: &repository, deadline };
        let tree = match &self.tree {
            Some(tree) => tree.clone(),
            None => self.looks.look(&session, &self.places.directory, &self.places.ours)?.tree,
        };
        let variables = self.looks.own().variables(&session);
        let directory = &self.places.directory;
        Ok(Some(survey(&session, before, &tree, &variables, directory)?))
    }

    /// Sees what git says; false if this is no repository.
    fn with_git(&mut self, wanted: &Wanted, seen: &mut Seen) -> Result<bool, Unknown> {
        let deadline = Instant::now() + self.patience;
        let Some(repository) = self.repository(deadline)? else { return Ok(false) };
        let git = self.git.clone();
        let session = Session { git: &git, repository: &repository, deadline };
        let (directory, ours) = (&self.places.directory, &self.places.ours);
        let mut looked = self.looks.look(&session, directory, ours);
        let refused = looked
            .as_ref()
            .err()
            .filter(|error| matches!(error, Unknown::Git(GitError::Failed(_))));
        if let Some(error) = refused.filter(|_| self.snapshots.is_some()) {
            // Perhaps nothing can be written to the repository.
            seen.notices.push(not_kept(error));
            self.snapshots = None;
            self.looks = Looks::new(self.places.scratch.clone(), Objects::Ours);
            looked = self.looks.look(&session, directory, ours);
        }
        let looked = looked?;
        if let (Some(snapshots), Some(keep)) = (&mut self.snapshots, &wanted.keep) {
            let head = looked.signals.head.as_deref();
            match snapshots.keep(&session, &looked.tree, head, keep) {
                Ok(snapshot) => seen.snapshot = Some(snapshot),
                Err(GitError::Over) => return Err(GitError::Over.into()),
                Err(error) => seen.notices.push(not_kept(&error.into())),
            }
        }
        if wanted.uncommitted {
            let has_commits = looked.signals.head.is_some();
            seen.uncommitted =
                Some(self.uncommitted(&session, wanted, has_commits, &mut seen.notices)?);
        }
        self.tree = Some(looked.tree);
        seen.tree = Some(whole(&looked.signals));
        seen.signals = Some(looked.signals);
        Ok(true)
    }

    /// What is not committed, other than in the way in which it was not when the step began.
    fn uncommitted(
        &self,
        session: &Session<'_>,
        wanted: &Wanted,
        has_commits: bool,
        notices: &mut Vec<String>,
    ) -> Result<Paths, Unknown> {
        let Places { directory, ours, kept, .. } = &self.places;
        let now = Uncommitted::look(session, directory, ours)?;
        let path = kept.join(format!("uncommitted-{}.json", wanted.step));
        if wanted.begins {
            match self.git.prepare(|| remembered::write(&path, &now.0)) {
                Ok(()) => {}
                Err(GitError::Over) => return Err(GitError::Over.into()),
                Err(error) => notices.push(format!(
                    "what is not committed cannot be written to {}: {error}",
                    path.display()
                )),
            }
            return Ok(Paths::default());
        }
        // Without a commit there is nothing that could be checked.
        if !has_commits {
            return Ok(now.since(&Uncommitted::default()));
        }
        let before = remembered::read(&path).unwrap_or_else(|error| {
            let path = path.display();
            notices.push(format!(
                "it is no longer known what was uncommitted when step {} began, so everything must \
                 be committed: {path}: {error}",
                wanted.step
            ));
            remembered::Remembered::new()
        });
        Ok(now.since(&Uncommitted(before)))
    }

    fn look_at_files(&mut self, compares: bool, seen: &mut Seen) {
        if !compares || self.means == Means::Nothing {
            return;
        }
        match self.with_files() {
            Ok(tree) => seen.tree = Some(tree),
            Err(error) => {
                if error.is_too_long() {
                    self.means = Means::Nothing;
                }
                seen.notices.push(format!("changes of the work tree cannot be seen: {error}"));
            }
        }
    }

    fn with_files(&self) -> Result<Fingerprint, Unknown> {
        let mut hasher = Hasher::new();
        let deadline = Instant::now() + self.patience;
        let Places { directory, ours, .. } = &self.places;
        let by = By::TimesExcept(&directory.join(TASKS));
        Files { hasher: &mut hasher, ours, deadline, by }.directory(directory)?;
        Ok(Fingerprint(hasher.finish()))
    }
}

fn not_kept(error: &Unknown) -> String {
    format!("the work tree is not kept: {error}")
}

#[cfg(test)]
mod tests;
