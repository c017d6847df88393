//! Fingerprints the state of a work tree: by git in a repository, elsewhere by the names, sizes and
//! times of all files.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use forkhestra_core::event::{
    Fingerprint, Observation, PathList, WorkSummary, WorkTreeFingerprints, WorkTreeSnapshot,
};

use crate::fnv_hasher::FnvHasher;
use crate::protected::baseline;
use crate::repository::git_program::{GitError, GitProgram};
use crate::repository::{
    GitRepository, GitSession, ObjectTarget, RepositoryObservation, RepositoryObserver,
    SnapshotStore, TASKS, UncommittedFiles, marker, may_be_in_repository, survey,
    whole_fingerprint,
};
use crate::secret_finder::SecretFinder;
use crate::work_tree::file_tree_hasher::{FileComparison, FileTreeHasher};
use crate::work_tree::own_paths::{OwnPaths, real_path};
use crate::work_tree::query::WorkTreeQuery;

/// The commands that turn a directory into a repository with a first commit.
pub const FIRST_COMMIT: &str = "git init && git add -A && git commit -m Begin";

/// Upper bound for one observation by git or of all files.
const OBSERVATION_TIMEOUT: Duration = Duration::from_secs(30);

/// Upper bound for an observation by git without which a claim cannot be verified.
const VERIFICATION_TIMEOUT: Duration = Duration::from_secs(120);

/// The work tree in which agents work.
#[derive(Debug, Clone)]
pub(crate) struct WorkTree {
    paths: WorkTreePaths,
    git: GitProgram,
    method: FingerprintMethod,
    timeout: Duration,
    /// The repository found last, and the `.git` entry that led to it.
    found: Option<(PathBuf, GitRepository)>,
    observer: RepositoryObserver,
    /// Observes without writing to the repository while that is impossible, so that no snapshots can
    /// be taken.
    fallback: Option<RepositoryObserver>,
    /// `None` if snapshots are turned off.
    snapshots: Option<SnapshotStore>,
    /// The tree of all files at the last observation.
    tree: Option<String>,
    /// Files that are known to be left out of snapshots.
    reported: BTreeSet<PathBuf>,
}

/// The preferred method. A method that once took too long is not tried again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FingerprintMethod {
    Git,
    Files,
    Nothing,
}

/// The paths of a work tree and of our own files.
#[derive(Debug, Clone)]
pub(crate) struct WorkTreePaths {
    /// The working directory of agents.
    pub(crate) directory: PathBuf,
    /// For temporary files.
    pub(crate) scratch: PathBuf,
    /// For files that outlive this process.
    pub(crate) persistent_directory: PathBuf,
    /// Paths that are not work of agents, even inside the work tree.
    pub(crate) own_paths: OwnPaths,
}

/// The result of observing a work tree.
#[derive(Debug, Default)]
pub(crate) struct WorkTreeObservation {
    /// The fingerprint of its state, if it could be determined.
    pub(crate) tree: Option<Fingerprint>,
    pub(crate) signals: Option<WorkTreeFingerprints>,
    pub(crate) uncommitted: Option<PathList>,
    /// The digest of the uncommitted files, if they were written as a baseline.
    pub(crate) uncommitted_digest: Option<String>,
    pub(crate) snapshot: Option<WorkTreeSnapshot>,
    /// Notices for the operator.
    pub(crate) notices: Vec<String>,
}

/// Why the state of a work tree is unknown.
#[derive(Debug, thiserror::Error)]
pub(crate) enum WorkTreeError {
    #[error(transparent)]
    Git(#[from] GitError),
    #[error("{0}")]
    Io(#[from] io::Error),
}

impl WorkTreeError {
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

impl WorkTreePaths {
    /// Resolves real paths, which git reports and directory walks find. `others` are further paths
    /// of ours, such as the directory of the run, that may be inside the work tree but are not work
    /// of agents.
    pub(crate) fn new(directory: &Path, scratch: &Path, kept: &Path, others: &[&Path]) -> Self {
        let directory = real_path(directory);
        let places: Vec<&Path> = others.iter().copied().chain([scratch, kept]).collect();
        let own_paths = OwnPaths::new(&directory, &places);
        Self {
            directory,
            scratch: scratch.to_owned(),
            persistent_directory: kept.to_owned(),
            own_paths,
        }
    }
}

impl WorkTree {
    /// Observes a directory. States of the work tree are saved as snapshots, if they are kept.
    ///
    /// Untracked files with these secrets are not saved.
    pub(crate) fn new(
        paths: WorkTreePaths,
        git: GitProgram,
        snapshots: Option<SnapshotStore>,
        secrets: SecretFinder,
    ) -> Self {
        let objects = match snapshots {
            Some(_) => ObjectTarget::Lasting(secrets),
            None => ObjectTarget::Ours,
        };
        Self {
            observer: RepositoryObserver::new(paths.scratch.clone(), objects),
            paths,
            git,
            method: FingerprintMethod::Git,
            timeout: OBSERVATION_TIMEOUT,
            found: None,
            fallback: None,
            snapshots,
            tree: None,
            reported: BTreeSet::new(),
        }
    }

    /// Whether the directory may be in a repository. This is cheap.
    pub(crate) fn may_be_repository(&self) -> bool {
        may_be_in_repository(&self.git, &self.paths.directory)
    }

    /// Observes the current state of the work tree.
    pub(crate) fn observe(&mut self, query: &WorkTreeQuery) -> WorkTreeObservation {
        let mut seen = WorkTreeObservation::default();
        let uses_git = self.method == FingerprintMethod::Git || query.uncommitted;
        if uses_git && query.needs_repository() && self.may_be_repository() {
            match self.with_git(query, &mut seen) {
                Ok(true) => return seen,
                Ok(false) => {}
                Err(error) if error.is_over() => return WorkTreeObservation::default(),
                Err(error) => {
                    if error.is_too_long() && self.method == FingerprintMethod::Git {
                        self.method = FingerprintMethod::Files;
                    }
                    // A part of an observation could be mistaken for the whole.
                    seen = WorkTreeObservation { notices: seen.notices, ..Default::default() };
                    seen.notices.push(if query.needs_fingerprint() {
                        format!("{error}; names, sizes and times of files are compared instead")
                    } else {
                        format!("the repository cannot be looked at: {error}")
                    });
                    self.observe_files(query.needs_fingerprint(), &mut seen);
                    return seen;
                }
            }
        }
        // Without git, the files themselves are compared.
        self.observe_files(query.needs_fingerprint(), &mut seen);
        if self.method == FingerprintMethod::Git {
            seen.notices.extend(self.without_repository(query));
        }
        seen
    }

    /// A notice with the reason why there is no repository, the consequence for the step, and the
    /// remedy.
    pub(crate) fn without_repository(&self, query: &WorkTreeQuery) -> Option<String> {
        // If the query needs no repository, none was searched for.
        if self.may_be_repository() && !query.needs_repository() {
            return None;
        }
        let lost = query.missing_repository_effect()?;
        let remedy = if self.lacks_git() { "install git" } else { FIRST_COMMIT };
        Some(format!("{}: {lost}; to have them: {remedy}", self.missing_repository_reason()))
    }

    fn lacks_git(&self) -> bool {
        self.may_be_repository() && !self.git.is_installed()
    }

    /// Why there is no repository.
    pub(crate) fn missing_repository_reason(&self) -> String {
        if self.lacks_git() {
            return "git is not installed".to_owned();
        }
        format!("{} is not in a git repository", self.paths.directory.display())
    }

    pub(crate) const fn places(&self) -> &WorkTreePaths {
        &self.paths
    }

    pub(crate) const fn git(&self) -> &GitProgram {
        &self.git
    }

    /// Finds the repository, if there is one.
    pub(crate) fn repository(
        &mut self,
        deadline: Instant,
    ) -> Result<Option<GitRepository>, GitError> {
        let directory = &self.paths.directory;
        // Settings that change later have no effect on a known repository.
        let by = match self.git.has_location_override() {
            true => Some(directory.clone()),
            false => marker(directory),
        };
        let Some(by) = by else { return Ok(None) };
        if let Some((_, found)) = self.found.as_ref().filter(|(known, found)| {
            *known == by && found.top.is_dir() && found.common.join("HEAD").exists()
        }) {
            return Ok(Some(found.clone()));
        }
        let found = GitRepository::find(&self.git, directory, deadline)?;
        self.found = found.clone().map(|found| (by, found));
        Ok(found)
    }

    /// Observes the whole repository.
    pub(crate) fn observe_repository(
        &mut self,
        repository: &GitRepository,
        deadline: Instant,
    ) -> Result<RepositoryObservation, WorkTreeError> {
        let session = GitSession { git: &self.git, repository, deadline };
        let observer = self.fallback.as_mut().unwrap_or(&mut self.observer);
        observer.observe(&session, &self.paths.directory, &self.paths.own_paths)
    }

    /// The observer of the last observation.
    fn last_observer(&self) -> &RepositoryObserver {
        self.fallback.as_ref().unwrap_or(&self.observer)
    }

    /// The variables that make the trees of the last observation visible to git.
    pub(crate) fn variables(
        &self,
        repository: &GitRepository,
        deadline: Instant,
    ) -> Vec<(&'static str, OsString)> {
        self.last_observer().own().variables(&GitSession { git: &self.git, repository, deadline })
    }

    /// Forgets the tree of the last observation. A survey without a later observation then makes
    /// its own.
    pub(crate) fn invalidate_tree(&mut self) {
        self.tree = None;
    }

    /// The work in the repository since a step began, or `None` if there is no repository.
    pub(crate) fn survey(
        &mut self,
        before: &Observation,
    ) -> Result<Option<WorkSummary>, WorkTreeError> {
        let deadline = Instant::now() + self.timeout;
        let Some(repository) = self.repository(deadline)? else { return Ok(None) };
        let session = GitSession { git: &self.git, repository: &repository, deadline };
        let tree = match &self.tree {
            Some(tree) => tree.clone(),
            None => {
                let observer = self.fallback.as_mut().unwrap_or(&mut self.observer);
                observer.observe(&session, &self.paths.directory, &self.paths.own_paths)?.tree
            }
        };
        let variables = self.last_observer().own().variables(&session);
        let directory = &self.paths.directory;
        Ok(Some(survey(&session, before, &tree, &variables, directory)?))
    }

    /// Observes by git; `false` if this is not a repository.
    fn with_git(
        &mut self,
        query: &WorkTreeQuery,
        seen: &mut WorkTreeObservation,
    ) -> Result<bool, WorkTreeError> {
        let timeout = if query.uncommitted { VERIFICATION_TIMEOUT } else { self.timeout };
        let deadline = Instant::now() + timeout.max(self.timeout);
        let Some(repository) = self.repository(deadline)? else { return Ok(false) };
        let git = self.git.clone();
        let session = GitSession { git: &git, repository: &repository, deadline };
        let (directory, own_paths) = (&self.paths.directory, &self.paths.own_paths);
        let mut looked = self.observer.observe(&session, directory, own_paths);
        let refused = looked
            .as_ref()
            .err()
            .filter(|error| matches!(error, WorkTreeError::Git(GitError::Failed(_))));
        if let Some(error) = refused.filter(|_| self.snapshots.is_some()) {
            // Perhaps the repository is not writable. The next observation tries it again.
            seen.notices.push(snapshot_failure_notice(error));
            let scratch = self.paths.scratch.join("temporary");
            let fallback = self.fallback.insert(self.observer.temporary(scratch));
            looked = fallback.observe(&session, directory, own_paths);
        } else {
            self.fallback = None;
        }
        let looked = looked?;
        let snapshots = self.snapshots.as_mut().filter(|_| self.fallback.is_none());
        if let (Some(snapshots), Some(keep)) = (snapshots, &query.keep) {
            let head = looked.signals.head.as_deref();
            match snapshots.store(&session, &looked.tree, head, keep) {
                Ok(snapshot) => seen.snapshot = Some(snapshot),
                Err(GitError::Over) => return Err(GitError::Over.into()),
                Err(error) => seen.notices.push(snapshot_failure_notice(&error.into())),
            }
            match snapshots.back_up(&session) {
                Ok(()) => {}
                Err(GitError::Over) => return Err(GitError::Over.into()),
                Err(error) => seen.notices.push(format!(
                    "the work tree is kept only in the repository, where agents can remove it: {error}"
                )),
            }
            let notices = looked.withheld.notices(&repository.top, &mut self.reported);
            seen.notices.extend(notices);
        }
        if query.uncommitted {
            let WorkTreePaths { directory, own_paths, .. } = &self.paths;
            let variables = self.last_observer().own().variables(&session);
            let now = UncommittedFiles::find(&session, &looked, &variables, directory, own_paths)?;
            let has_commits = looked.signals.head.is_some();
            self.compare_uncommitted(now, query, has_commits, seen)?;
        }
        self.tree = Some(looked.tree);
        seen.tree = Some(whole_fingerprint(&looked.signals));
        seen.signals = Some(looked.signals);
        Ok(true)
    }

    /// Compares the uncommitted files with those that were uncommitted with the same content when the
    /// step began.
    fn compare_uncommitted(
        &self,
        now: UncommittedFiles,
        query: &WorkTreeQuery,
        has_commits: bool,
        seen: &mut WorkTreeObservation,
    ) -> Result<(), WorkTreeError> {
        let kept = &self.paths.persistent_directory;
        let path = kept.join(format!("uncommitted-{}.json", query.step));
        if query.begins {
            match self.git.prepare(|| baseline::write(&path, &now.0)) {
                Ok(digest) => seen.uncommitted_digest = Some(digest),
                Err(GitError::Over) => return Err(GitError::Over.into()),
                Err(error) => seen.notices.push(format!(
                    "what is not committed cannot be written to {}: {error}",
                    path.display()
                )),
            }
            seen.uncommitted = Some(PathList::default());
            return Ok(());
        }
        let digest = query.baselines.uncommitted.as_deref();
        let before = match has_commits {
            true => baseline::read(&path, digest).unwrap_or_else(|error| {
                let path = path.display();
                seen.notices.push(format!(
                    "it is no longer known what was uncommitted when step {} began, so everything \
                     must be committed: {path}: {error}",
                    query.step
                ));
                baseline::ProtectedBaseline::new()
            }),
            // Without a commit nothing could be checked, so everything counts as uncommitted.
            false => baseline::ProtectedBaseline::new(),
        };
        let now = now.by_hash(baseline::hash_of(&before), &self.paths.directory);
        seen.uncommitted = Some(now.since(&UncommittedFiles(before)));
        Ok(())
    }

    fn observe_files(&mut self, compares: bool, seen: &mut WorkTreeObservation) {
        if !compares || self.method == FingerprintMethod::Nothing {
            return;
        }
        match self.with_files() {
            Ok(tree) => seen.tree = Some(tree),
            Err(error) => {
                if error.is_too_long() {
                    self.method = FingerprintMethod::Nothing;
                }
                seen.notices.push(format!("changes of the work tree cannot be seen: {error}"));
            }
        }
    }

    fn with_files(&self) -> Result<Fingerprint, WorkTreeError> {
        let mut hasher = FnvHasher::new();
        let deadline = Instant::now() + self.timeout;
        let WorkTreePaths { directory, own_paths, .. } = &self.paths;
        let by = FileComparison::TimesExcept(&directory.join(TASKS));
        FileTreeHasher::new(&mut hasher, own_paths, deadline, by).directory(directory)?;
        Ok(Fingerprint(hasher.finish()))
    }
}

fn snapshot_failure_notice(error: &WorkTreeError) -> String {
    format!("the work tree is not kept: {error}")
}

pub(crate) mod file_content;
pub(crate) mod file_tree_hasher;
pub(crate) mod observer;
pub(crate) mod own_paths;
pub(crate) mod query;
#[cfg(test)]
mod tests;
pub(crate) mod worker;
