//! Why an agent cannot be started as it is asked for.

use std::io;
use std::path::PathBuf;

/// Why an agent cannot be started as it is asked for.
#[derive(Debug, thiserror::Error)]
pub enum InvocationError {
    /// The system cannot hand over a zero byte.
    #[error("{what} contains a NUL character, which no agent can be given")]
    ZeroByte {
        /// What does.
        what: &'static str,
    },
    /// The agent program itself reads no more.
    #[error("the prompt has {length} bytes, and {program} reads at most {most}")]
    PromptTooLong {
        /// The agent program.
        program: &'static str,
        /// The length of the prompt.
        length: usize,
        /// The most it reads.
        most: usize,
    },
    /// The system hands over no longer variables.
    #[error("the variable `{name}` of {length} bytes is too long to be handed to a program")]
    VariableTooLong {
        /// Its name.
        name: String,
        /// The length of its value.
        length: usize,
    },
    /// A path that has to be named to the program is no text.
    #[error("the path `{}` is not UTF-8", path.display())]
    PathIsNoText {
        /// The path.
        path: PathBuf,
    },
    /// Something is to be added to a variable, but it is not what the program expects there.
    #[error("the variable `{name}` does not hold a JSON object, so nothing can be added to it")]
    NoObject {
        /// The variable.
        name: &'static str,
    },
    /// A file with a prompt cannot be read any more.
    #[error("{what} file `{path}` cannot be read: {error}")]
    Unreadable {
        /// What it holds.
        what: &'static str,
        /// The file, as it was written.
        path: String,
        /// Why.
        error: io::Error,
    },
}
