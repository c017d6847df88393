//! Errors that end a command early, with the exit code of each.

use std::io;

use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_store::FileError;

pub(crate) use typeset::console::error_chain as in_full;

use crate::cli::exit_code;
use crate::cli::started_program::StartedProgram;

/// Why a command failed.
#[derive(Debug)]
pub(crate) enum CommandError {
    /// Invalid input or a missing prerequisite, with one diagnostic each.
    Wrong(Vec<Diagnostic>),
    /// Standard output was closed by its reader, so nothing is reported.
    OutputClosed,
    Output(io::Error),
}

impl CommandError {
    /// Wraps a single diagnostic.
    pub(crate) fn wrong(diagnostic: Diagnostic) -> Self {
        Self::Wrong(vec![diagnostic])
    }

    /// Adds a hint to the last diagnostic, if there is one.
    #[must_use]
    pub(crate) fn maybe_hint(mut self, hint: Option<String>) -> Self {
        if let Self::Wrong(diagnostics) = &mut self
            && let Some(last) = diagnostics.last_mut()
        {
            last.hints.extend(hint);
        }
        self
    }

    /// The diagnostics to print; none if the output was closed.
    pub(crate) fn diagnostics(&self) -> Vec<Diagnostic> {
        match self {
            Self::Wrong(diagnostics) => diagnostics.clone(),
            Self::OutputClosed => Vec::new(),
            Self::Output(error) => {
                vec![Diagnostic::error(format!("cannot write to standard output: {error}"))]
            }
        }
    }

    /// The exit code of this error for the given program.
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
        Self::wrong(file_diagnostic(&error))
    }
}

/// The message of a failed file operation.
pub(crate) fn file_diagnostic(error: &FileError) -> Diagnostic {
    let remedy = error.untrusted().map(|untrusted| untrusted.remedy(&error.path));
    Diagnostic::error(in_full(error)).maybe_hint(remedy)
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
