//! Finding a run by the first letters of its id.

use crate::disk::file_error::FileError;
use crate::runs::run_dir::RunDir;

/// Why a run was not found.
#[derive(Debug, thiserror::Error)]
pub enum FindRunError {
    /// No id begins like this.
    #[error("there is no run `{prefix}`")]
    Unknown {
        /// What was looked for.
        prefix: String,
        /// The runs there are, the newest first.
        known: Vec<RunDir>,
    },
    /// Several ids begin like this.
    #[error("several runs begin with `{prefix}`")]
    Ambiguous {
        /// What was looked for.
        prefix: String,
        /// The runs that begin like this, the newest first.
        matches: Vec<RunDir>,
    },
    /// The runs could not be listed.
    #[error(transparent)]
    File(#[from] FileError),
}

/// The one run whose id begins like this, in small letters or capitals.
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
