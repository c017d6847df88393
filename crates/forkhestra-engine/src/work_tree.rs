//! Tells one state of a work tree from another, with whatever can: git where there is a repository,
//! and else the names, sizes and times of all files.

use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use forkhestra_core::event::Fingerprint;

use crate::files::Files;
use crate::git::{Git, GitError};
use crate::hash::Hasher;
use crate::repository::Repository;

/// Nobody waits longer for git, nor for a look at all files.
const PATIENCE: Duration = Duration::from_secs(30);

/// A directory in which agents work.
#[derive(Debug, Clone)]
pub(crate) struct WorkTree {
    places: Places,
    git: Git,
    means: Means,
    patience: Duration,
    /// What went wrong is told once.
    told_of_git: bool,
    told_of_files: bool,
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
    /// Where the run is kept, which may be inside the work tree, but is no work.
    pub(crate) state: PathBuf,
}

/// What a look at a work tree shows.
#[derive(Debug)]
pub(crate) struct Seen {
    /// Its state, if anything can tell.
    pub(crate) tree: Option<Fingerprint>,
    /// What a person should know.
    pub(crate) notice: Option<String>,
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
}

impl Places {
    /// Real paths, which are what git says and what we come upon.
    pub(crate) fn new(directory: PathBuf, scratch: PathBuf, state: PathBuf) -> Self {
        let real = |path: PathBuf| path.canonicalize().unwrap_or(path);
        Self { directory: real(directory), scratch, state: real(state) }
    }
}

impl WorkTree {
    pub(crate) const fn new(places: Places, git: Git) -> Self {
        let (means, patience) = (Means::Git, PATIENCE);
        Self { places, git, means, patience, told_of_git: false, told_of_files: false }
    }

    /// The state of the work tree now.
    pub(crate) fn look(&mut self) -> Seen {
        let mut notice = None;
        if self.means == Means::Git {
            match self.with_git() {
                Ok(Some(tree)) => return Seen { tree: Some(tree), notice },
                Ok(None) => {}
                Err(error) => {
                    if error.is_too_long() {
                        self.means = Means::Files;
                    }
                    let told = std::mem::replace(&mut self.told_of_git, true);
                    let files = "names, sizes and times of files are compared instead";
                    notice = (!told).then(|| format!("{error}; {files}"));
                }
            }
        }
        if self.means == Means::Nothing {
            return Seen { tree: None, notice };
        }
        match self.with_files() {
            Ok(tree) => Seen { tree: Some(tree), notice },
            Err(error) => {
                if error.is_too_long() {
                    self.means = Means::Nothing;
                }
                let told = std::mem::replace(&mut self.told_of_files, true);
                let why = || format!("changes of the work tree cannot be seen: {error}");
                Seen { tree: None, notice: (!told).then(why) }
            }
        }
    }

    /// Starts nothing more.
    pub(crate) fn stop(&self) {
        self.git.stop();
    }

    /// What git says, if this is a repository.
    fn with_git(&self) -> Result<Option<Fingerprint>, Unknown> {
        let mut hasher = Hasher::new();
        let deadline = Instant::now() + self.patience;
        let repository = Repository { git: &self.git, places: &self.places, deadline };
        let is_there = repository.take_in(&mut hasher)?;
        Ok(is_there.then(|| Fingerprint(hasher.finish())))
    }

    fn with_files(&self) -> Result<Fingerprint, Unknown> {
        let mut hasher = Hasher::new();
        let deadline = Instant::now() + self.patience;
        let mut files = Files { hasher: &mut hasher, state: &self.places.state, deadline };
        files.directory(&self.places.directory)?;
        Ok(Fingerprint(hasher.finish()))
    }
}

#[cfg(test)]
mod tests;
