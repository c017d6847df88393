//! Why a development program failed.

use std::error::Error as _;
use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;

/// A result of a development program.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a development program failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A command does not start.
    #[error("cannot start `{command}`")]
    Start { command: String, source: io::Error },

    /// A command ended with a failure.
    #[error("`{command}` failed ({status})")]
    Failed { command: String, status: ExitStatus },

    /// A command printed something unexpected.
    #[error("`{command}` printed something that is not {expected}")]
    Output {
        command: String,
        expected: &'static str,
        source: Box<dyn std::error::Error + Send + Sync>,
    },

    /// A file operation failed.
    #[error("cannot {action} {}", path.display())]
    File {
        /// A verb.
        action: &'static str,
        path: PathBuf,
        source: io::Error,
    },

    /// A check ran and failed. Its details were printed before.
    #[error("{0}")]
    Unmet(String),
}

/// Prints an error and what caused it.
pub fn report(error: &Error) {
    eprintln!("error: {error}");
    let mut source = error.source();
    while let Some(cause) = source {
        eprintln!("  caused by: {cause}");
        source = cause.source();
    }
}
