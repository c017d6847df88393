//! The disk usage of a run.

use std::fs;
use std::path::Path;

use crate::disk::file_error::{FileError, found};
use crate::runs::run_dir::RunDir;

/// The disk usage of a run: the lengths of its files, in bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RunSize {
    /// The output of agents.
    pub output: u64,
    pub rest: u64,
}

impl RunSize {
    /// Measures a run. Files that are removed meanwhile count as empty.
    pub fn of(run: &RunDir) -> Result<Self, FileError> {
        let output = length(&run.output())?;
        Ok(Self { output, rest: length(run.path())?.saturating_sub(output) })
    }

    /// The total size.
    pub const fn total(self) -> u64 {
        self.output.saturating_add(self.rest)
    }
}

/// The length of a file, or of all files in a directory. Links are not followed.
fn length(path: &Path) -> Result<u64, FileError> {
    let Some(metadata) = found(fs::symlink_metadata(path)).map_err(FileError::of("read", path))?
    else {
        return Ok(0);
    };
    if !metadata.is_dir() {
        return Ok(if metadata.is_file() { metadata.len() } else { 0 });
    }
    let Some(entries) = found(fs::read_dir(path)).map_err(FileError::of("read", path))? else {
        return Ok(0);
    };
    let mut sum = 0_u64;
    for entry in entries {
        let entry = entry.map_err(FileError::of("read", path))?;
        sum = sum.saturating_add(length(&entry.path())?);
    }
    Ok(sum)
}
