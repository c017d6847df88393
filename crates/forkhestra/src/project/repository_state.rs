//! What git has of a directory: nothing, an empty repository, or commits.

use std::process::{Command, Stdio};

use forkhestra_engine::FIRST_COMMIT;

use crate::project::project_location::ProjectLocation;

/// What git has of a working directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RepositoryState {
    /// There is no repository around it.
    Absent,
    /// There is a repository without a commit.
    Unborn,
    /// There is a repository with a commit, or git cannot be asked.
    Committed,
}

impl RepositoryState {
    /// Looks at the working directory of a project.
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
        // 1 says that there is no such commit; 128 is any other trouble.
        match head.ok().and_then(|status| status.code()) {
            Some(1) => Self::Unborn,
            _ => Self::Committed,
        }
    }

    /// The commands that lead to a first commit, if there is none.
    pub(crate) const fn first_commit(self) -> Option<&'static str> {
        match self {
            Self::Absent => Some(FIRST_COMMIT),
            Self::Unborn => Some("git add -A && git commit -m Begin"),
            Self::Committed => None,
        }
    }
}
