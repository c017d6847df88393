//! Puts the output of removed iterations aside, so that their repetition does not replace it.

use std::fs;
use std::path::{Path, PathBuf};

use forkhestra_core::id::UnitId;
use forkhestra_core::time::Timestamp;

use super::replace::numbered;
use crate::disk::file_error::FileError;
use crate::disk::files;
use crate::runs::run_dir::RunDir;
use crate::runs::state_root::entries;

/// The prefix of the names of directories with removed output.
const REMOVED_PREFIX: &str = "output.damaged-";

/// Moves the output of all attempts that the journal does not record any more, and returns its new
/// directory if there is any.
pub(super) fn move_removed_output(
    run: &RunDir,
    kept: &[UnitId],
    now: Timestamp,
) -> Result<Option<PathBuf>, FileError> {
    let output = run.output();
    if !output.is_dir() {
        return Ok(None);
    }
    let kept: Vec<PathBuf> = kept.iter().map(|unit| run.output_of(*unit)).collect();
    let mut removed = entries(&output)?;
    removed.retain(|path| is_of_unit(path) && !kept.contains(path));
    if removed.is_empty() {
        return Ok(None);
    }
    let aside =
        numbered(REMOVED_PREFIX, now, "", run, |path| run.disk().create_directory(path, 0o700))?;
    for path in removed {
        let name = path.file_name().unwrap_or_default();
        run.disk().rename(&path, &aside.join(name)).map_err(FileError::of("move", &path))?;
    }
    for directory in [&aside, &output, run.path()] {
        files::sync_directory(run.disk(), directory)?;
    }
    Ok(Some(aside))
}

/// Whether this is `STEP-ITERATION-ATTEMPT`.
fn is_of_unit(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let numbers: Vec<_> = name.split('-').map(str::parse::<usize>).collect();
    numbers.len() == 3 && numbers.iter().all(Result::is_ok) && fs::metadata(path).is_ok()
}
