//! The tasks before an agent started, in a scratch file of the run.
//!
//! The file exists from the start of an agent until its changes are compared, and is removed with
//! the other scratch files. It is read only if the run is resumed after its process was killed.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::task_snapshot::TaskSnapshot;

/// The name of the file in the scratch directory of a run.
const FILE: &str = "tasks-before.json";

/// The file that holds the tasks before an agent started.
pub(crate) struct TaskBaselineFile {
    path: PathBuf,
}

impl TaskBaselineFile {
    /// The file in a run's scratch directory.
    pub(crate) fn below(scratch: &Path) -> Self {
        Self { path: scratch.join(FILE) }
    }

    /// Replaces the stored snapshot. `None` removes the file.
    ///
    /// The file need not survive a power failure, so it is not synced. A truncated file is ignored.
    pub(crate) fn write(&self, snapshot: Option<&TaskSnapshot>) -> io::Result<()> {
        match snapshot {
            Some(snapshot) => {
                self.path.parent().map_or(Ok(()), fs::create_dir_all)?;
                fs::write(&self.path, snapshot.to_json())
            }
            None => match fs::remove_file(&self.path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            },
        }
    }

    /// The stored snapshot; `None` if there is none or it cannot be read.
    pub(crate) fn read(&self) -> Option<TaskSnapshot> {
        TaskSnapshot::from_json(&fs::read(&self.path).ok()?)
    }

    /// Removes the file. If that fails, the next snapshot replaces it.
    pub(crate) fn remove(&self) {
        let _ = fs::remove_file(&self.path);
    }
}
