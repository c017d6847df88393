//! Why a chore did not succeed.

use std::error::Error as _;
use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;

pub(crate) type Result<T> = std::result::Result<T, Error>;

#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("cannot start `{command}`")]
    Start { command: String, source: io::Error },

    #[error("`{command}` failed ({status})")]
    Failed { command: String, status: ExitStatus },

    #[error("`{command}` printed something that is not {expected}")]
    Output {
        command: String,
        expected: &'static str,
        source: Box<dyn std::error::Error + Send + Sync>,
    },

    #[error("cannot {action} {}", path.display())]
    File { action: &'static str, path: PathBuf, source: io::Error },

    #[error("stage `{name}` failed; repeat only it with `cargo xtask test --only {name}`")]
    Stage { name: &'static str },

    /// A check ran and its answer is no. The details were printed before.
    #[error("{0}")]
    Unmet(String),
}

/// Prints an error and what caused it.
pub(crate) fn report(error: &Error) {
    eprintln!("error: {error}");
    let mut source = error.source();
    while let Some(cause) = source {
        eprintln!("  caused by: {cause}");
        source = cause.source();
    }
}
