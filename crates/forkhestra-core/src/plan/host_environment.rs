//! What a plan must know about the world, asked through a trait so that the core stays pure.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::types::EnvVars;
use crate::config::Backend;

/// Answers questions about the machine the run would happen on.
///
/// Paths are as the user wrote them; relative ones are meant from the working directory.
pub trait HostEnvironment {
    /// Looks for a program: on PATH by a bare name, in the file system by anything with a slash.
    fn locate(&self, program: &str) -> ProgramLocation;

    /// The program that stands for an agent program here, by name or path: usually itself.
    fn agent_program(&self, backend: Backend) -> String {
        backend.program().to_owned()
    }

    /// The models that an agent program's own settings files name, for a profile or in general, those of
    /// the project first. The variables are those that its config entry gives it.
    fn settings_models(
        &self,
        _backend: Backend,
        _env: &EnvVars,
        _profile: Option<&str>,
    ) -> Vec<String> {
        Vec::new()
    }

    /// Looks at a file that an agent or a check will read.
    fn file(&self, path: &str) -> FileState;

    /// Looks at a file whose text is a prompt.
    fn prompt_file(&self, path: &str) -> FileState;

    /// The program that plays recordings back: ours, usually by its path.
    fn player(&self) -> String {
        "forkhestra".to_owned()
    }

    /// The steps of the run that a directory is a recording of, or why it is none.
    fn recording(&self, _directory: &str) -> Result<Vec<RecordedStep>, String> {
        Err("recordings cannot be read here".to_owned())
    }

    /// The task database that agents started here would use, if there is one.
    fn task_database(&self) -> Option<String>;
}

/// A step of a run that was recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedStep {
    /// Its place in the chain, from one.
    pub number: usize,
    /// The agent's name.
    pub agent: String,
    /// The agent program whose stream was recorded; none for any other program.
    pub backend: Option<Backend>,
}

/// Whether a program can be started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ProgramLocation {
    /// It is here.
    Found(String),
    /// It is not installed, or not a program.
    Missing(NotRunnableReason),
}

/// Why a program cannot be started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NotRunnableReason {
    /// No directory of PATH has it.
    NotOnPath,
    /// There is no such file.
    NoSuchFile,
    /// It is a directory or another thing that cannot be run.
    NotAFile,
    /// It may not be executed.
    NotExecutable,
    /// Whether it is there cannot be found out.
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

/// What was found where a file should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileState {
    /// It can be read.
    Readable,
    /// There is nothing.
    Missing,
    /// It is a directory.
    Directory,
    /// It is there but cannot be used, for this reason.
    Unusable(String),
}
