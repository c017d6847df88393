//! The state of the git repository around a directory: none, empty, or with commits.

use std::process::{Command, Stdio};

use forkhestra_engine::FIRST_COMMIT;

use crate::project::project_location::ProjectLocation;

/// State of the repository around a working directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RepositoryState {
    /// There is no repository.
    Absent,
    /// The repository has no commit.
    Unborn,
    /// The repository has a commit, or git cannot run.
    Committed,
}

impl RepositoryState {
    /// Determines the state for the working directory of a project.
    pub(crate) fn of(project: &ProjectLocation) -> Self {
        if !project.is_in_repository() {
            return Self::Absent;
        }
        let head = Command::new("git")
            .args(["rev-parse", "--quiet", "--verify", "HEAD"])
            .current_dir(&project.working_directory)
            .env("GIT_OPTIONAL_LOCKS", "0")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        // Status 1 means that there is no such commit; 128 is any other error.
        match head.ok().and_then(|status| status.code()) {
            Some(1) => Self::Unborn,
            _ => Self::Committed,
        }
    }

    /// The commands that create a first commit, if there is none.
    pub(crate) const fn first_commit(self) -> Option<&'static str> {
        match self {
            Self::Absent => Some(FIRST_COMMIT),
            Self::Unborn => Some("git add -A && git commit -m Begin"),
            Self::Committed => None,
        }
    }
}
