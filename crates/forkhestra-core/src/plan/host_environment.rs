//! The [`HostEnvironment`] trait: queries of a plan about the host, so that the core stays pure.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::agent::plan_agent::EnvVars;
use crate::config::Backend;

/// Answers queries about the host that the run would use.
///
/// Paths are as the user wrote them; relative ones start at the working directory.
pub trait HostEnvironment {
    /// Finds a program: on PATH by a bare name, in the file system by anything with a slash.
    fn locate(&self, program: &str) -> ProgramLocation;

    /// The executable of an agent program, by name or path: usually its own name.
    fn agent_program(&self, backend: Backend) -> String {
        backend.program().to_owned()
    }

    /// The models that an agent program's own settings files name, for a profile or in general,
    /// those of the project first. The variables are those of its config entry.
    fn settings_models(
        &self,
        _backend: Backend,
        _env: &EnvVars,
        _profile: Option<&str>,
    ) -> Vec<String> {
        Vec::new()
    }

    /// The state of a file that an agent or a check will read.
    fn file(&self, path: &str) -> FileState;

    /// Whether git ignores a file and does not track it, so that it is a build product.
    fn is_ignored(&self, _path: &str) -> bool {
        false
    }

    /// The state of a file whose text is a prompt.
    fn prompt_file(&self, path: &str) -> FileState;

    /// The program that replays recordings: forkhestra itself, usually by its path.
    fn player(&self) -> String {
        "forkhestra".to_owned()
    }

    /// The steps of the recorded run in a directory, or why there is none.
    fn recording(&self, _directory: &str) -> Result<Vec<RecordedStep>, String> {
        Err("recordings cannot be read here".to_owned())
    }

    /// The task database that agents started here would use, if there is one.
    fn task_database(&self) -> Option<String>;
}

/// A step of a recorded run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedStep {
    /// One-based.
    pub number: usize,
    pub agent: String,
    /// The agent program whose stream was recorded; none for any other program.
    pub backend: Option<Backend>,
}

/// Whether a program can be started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ProgramLocation {
    /// The path of the program.
    Found(String),
    Missing(NotRunnableReason),
}

/// Why a program cannot be started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NotRunnableReason {
    NotOnPath,
    NoSuchFile,
    /// It is a directory or something else that cannot be executed.
    NotAFile,
    /// It has no execute permission.
    NotExecutable,
    /// Its existence cannot be determined.
    OutOfReach,
}

impl fmt::Display for NotRunnableReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotOnPath => "is not installed (not found on PATH)",
            Self::NoSuchFile => "does not exist",
            Self::NotAFile => "is not a file",
            Self::NotExecutable => "is not executable",
            Self::OutOfReach => "is out of reach (permission denied)",
        })
    }
}

/// The state of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileState {
    Readable,
    Missing,
    Directory,
    /// It exists but cannot be used, for this reason.
    Unusable(String),
}
