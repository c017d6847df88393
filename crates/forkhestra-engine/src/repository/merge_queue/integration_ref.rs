//! The integration ref of a run: the branch-like ref that only forkhestra moves, and that has everything
//! that has landed.

use super::{MergeQueueError, QueueRepository};
use crate::repository::git_program::GitError;
use crate::repository::index_lock::remove_locks_below;
use crate::repository::snapshot::REF_NAMESPACE;

/// The name of the integration ref below the namespace of the run.
pub(in crate::repository) const INTEGRATION: &str = "integration";

/// The integration ref of a run, `refs/forkhestra/RUN/integration`.
#[derive(Debug, Clone, Copy)]
pub struct IntegrationRef<'a> {
    queue: &'a QueueRepository,
}

/// What became of a request to move the integration ref.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefUpdate {
    Moved,
    /// The ref was at the wanted commit already, as after a crash.
    AlreadyThere,
}

/// Why the integration ref was not moved.
#[derive(Debug, thiserror::Error)]
pub enum IntegrationRefError {
    #[error(
        "the integration ref {name} was moved by somebody else: it should be at {}, and is at {}",
        shown(.expected),
        shown(.found)
    )]
    Moved { name: String, expected: Option<String>, found: Option<String> },
    /// The ref only moves forward, since nothing that has landed may be lost.
    #[error("the integration ref {name} cannot be moved to {to}, which does not contain {from}")]
    NotDescendant { name: String, from: String, to: String },
    #[error(transparent)]
    Queue(#[from] MergeQueueError),
}

impl From<GitError> for IntegrationRefError {
    fn from(error: GitError) -> Self {
        Self::Queue(error.into())
    }
}

fn shown(commit: &Option<String>) -> &str {
    commit.as_deref().unwrap_or("no commit")
}

impl QueueRepository {
    /// The integration ref of the run.
    pub const fn integration_ref(&self) -> IntegrationRef<'_> {
        IntegrationRef { queue: self }
    }

    /// Removes locks of refs of the run that killed git processes left. Nothing else locks these refs.
    pub fn remove_ref_locks(&self) -> Result<(), MergeQueueError> {
        let refs = self.reader.without_backup.common.join(self.reference(""));
        remove_locks_below(&refs).map_err(MergeQueueError::file(&refs))
    }

    /// The full name of a ref of the run.
    pub(super) fn reference(&self, name: &str) -> String {
        format!("{REF_NAMESPACE}/{}/{name}", self.run)
    }
}

impl IntegrationRef<'_> {
    /// The full name.
    pub fn name(self) -> String {
        self.queue.reference(INTEGRATION)
    }

    /// The commit, or `None` if the ref does not exist.
    pub fn read(self) -> Result<Option<String>, MergeQueueError> {
        Ok(self.queue.commit_of(&self.name())?)
    }

    /// Creates the ref at a commit.
    pub fn create(self, commit: &str) -> Result<RefUpdate, IntegrationRefError> {
        let unknown = || MergeQueueError::NoCommit(commit.to_owned());
        let commit = self.queue.commit_of(commit)?.ok_or_else(unknown)?;
        self.update(None, &commit)
    }

    /// Moves the ref from one commit to another that contains it, unless somebody else has moved it.
    pub fn advance(self, from: &str, to: &str) -> Result<RefUpdate, IntegrationRefError> {
        if !self.queue.contains(to, from)? {
            let (from, to) = (from.to_owned(), to.to_owned());
            return Err(IntegrationRefError::NotDescendant { name: self.name(), from, to });
        }
        self.update(Some(from), to)
    }

    /// Compares and swaps. An empty old value means that the ref must not exist.
    fn update(self, from: Option<&str>, to: &str) -> Result<RefUpdate, IntegrationRefError> {
        let name = self.name();
        let old = from.unwrap_or_default();
        let args = ["update-ref", "--no-deref", &name, to, old];
        let Err(error) = self.queue.session().require(&args) else { return Ok(RefUpdate::Moved) };
        let found = self.read()?;
        if found.as_deref() == Some(to) {
            return Ok(RefUpdate::AlreadyThere);
        }
        if found.as_deref() == from {
            return Err(error.into());
        }
        Err(IntegrationRefError::Moved { name, expected: from.map(str::to_owned), found })
    }
}
