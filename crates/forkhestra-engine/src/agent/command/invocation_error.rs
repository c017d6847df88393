//! Errors of building an agent's invocation.

use std::io;
use std::path::PathBuf;

/// Why an agent cannot be started as requested.
#[derive(Debug, thiserror::Error)]
pub enum InvocationError {
    #[error("{what} contains a NUL character, which no agent can be given")]
    ZeroByte { what: &'static str },
    /// The prompt exceeds the limit of the agent program.
    #[error("the prompt has {length} bytes, and {program} reads at most {limit}")]
    PromptTooLong { program: &'static str, length: usize, limit: usize },
    /// The variable exceeds the limit of the system.
    #[error("the variable `{name}` of {length} bytes is too long to be handed to a program")]
    VariableTooLong { name: String, length: usize },
    /// A path that must be passed as an argument is not UTF-8.
    #[error("the path `{}` is not UTF-8", path.display())]
    PathIsNoText { path: PathBuf },
    /// A configuration variable that must be extended has an unexpected format.
    #[error("the variable `{name}` does not hold a JSON object, so nothing can be added to it")]
    NoObject { name: &'static str },
    /// A prompt file cannot be read any more.
    #[error("{what} file `{path}` cannot be read: {error}")]
    Unreadable {
        what: &'static str,
        /// The path as the user wrote it.
        path: String,
        error: io::Error,
    },
}
