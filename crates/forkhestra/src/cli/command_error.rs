//! Everything that ends the program early, and the exit code each of it has.

use std::error::Error;
use std::io;

use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_store::FileError;

use crate::cli::exit_code;
use crate::cli::started_program::StartedProgram;

/// An error with everything that caused it, in one line.
pub(crate) fn in_full(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(&format!(": {error}"));
        cause = error.source();
    }
    text
}

/// Why a command could not do what it was asked to.
#[derive(Debug)]
pub(crate) enum CommandError {
    /// Mistakes in what a person wrote, or something missing around it.
    Wrong(Vec<Diagnostic>),
    /// Nobody reads our output any more; there is nobody to tell.
    OutputClosed,
    /// Our output could not be written.
    Output(io::Error),
}

impl CommandError {
    /// One thing that is wrong.
    pub(crate) fn wrong(diagnostic: Diagnostic) -> Self {
        Self::Wrong(vec![diagnostic])
    }

    /// What to tell the user.
    pub(crate) fn diagnostics(&self) -> Vec<Diagnostic> {
        match self {
            Self::Wrong(diagnostics) => diagnostics.clone(),
            Self::OutputClosed => Vec::new(),
            Self::Output(error) => {
                vec![Diagnostic::error(format!("cannot write to standard output: {error}"))]
            }
        }
    }

    /// The exit code that says so to scripts.
    pub(crate) fn exit_code(&self, program: StartedProgram) -> u8 {
        match self {
            Self::Wrong(_) | Self::Output(_) => exit_code::error(program),
            Self::OutputClosed => exit_code::OUTPUT_CLOSED,
        }
    }
}

impl From<Diagnostic> for CommandError {
    fn from(diagnostic: Diagnostic) -> Self {
        Self::wrong(diagnostic)
    }
}

impl From<FileError> for CommandError {
    fn from(error: FileError) -> Self {
        Self::wrong(Diagnostic::error(in_full(&error)))
    }
}

impl From<Vec<Diagnostic>> for CommandError {
    fn from(diagnostics: Vec<Diagnostic>) -> Self {
        Self::Wrong(diagnostics)
    }
}

impl From<io::Error> for CommandError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::OutputClosed,
            _ => Self::Output(error),
        }
    }
}
