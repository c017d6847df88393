//! Finds a run by a prefix of its id.

use crate::disk::file_error::FileError;
use crate::runs::run_dir::RunDir;

/// Why a run was not found.
#[derive(Debug, thiserror::Error)]
pub enum FindRunError {
    #[error("there is no run `{prefix}`")]
    Unknown {
        prefix: String,
        /// All runs, newest first.
        known: Vec<RunDir>,
    },
    #[error("several runs begin with `{prefix}`")]
    Ambiguous {
        prefix: String,
        /// The matching runs, newest first.
        matches: Vec<RunDir>,
    },
    #[error(transparent)]
    File(#[from] FileError),
}

/// The only run whose id starts with `prefix`, ignoring case.
pub fn find_by_prefix(prefix: &str, runs: Vec<RunDir>) -> Result<RunDir, FindRunError> {
    let wanted = prefix.to_ascii_lowercase();
    let is_match = |run: &RunDir| !wanted.is_empty() && run.run().as_str().starts_with(&wanted);
    let (mut matches, others): (Vec<RunDir>, Vec<RunDir>) = runs.into_iter().partition(is_match);
    let prefix = prefix.to_owned();
    match matches.len() {
        0 => Err(FindRunError::Unknown { prefix, known: others }),
        1 => Ok(matches.swap_remove(0)),
        _ => Err(FindRunError::Ambiguous { prefix, matches }),
    }
}
