//! The tasks before an agent was started, in a scratch file of the run.
//!
//! The file is there while an agent is at work and until its changes were compared, and goes with the other
//! scratch files at the end. Only a process that resumes a run after the one before was killed reads it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::task_snapshot::TaskSnapshot;

/// The name of the file in the scratch directory of a run.
const FILE: &str = "tasks-before.json";

/// The file of a run that keeps the tasks before an agent was started.
pub(crate) struct TaskBaselineFile {
    path: PathBuf,
}

impl TaskBaselineFile {
    /// That of the run with this scratch directory.
    pub(crate) fn below(scratch: &Path) -> Self {
        Self { path: scratch.join(FILE) }
    }

    /// Keeps a snapshot in place of the one before. Without one there is no file.
    ///
    /// It need not survive a power failure, so it is not synced. A file that was cut off is not read.
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

    /// The snapshot that was kept; none if there is none that can be read.
    pub(crate) fn read(&self) -> Option<TaskSnapshot> {
        TaskSnapshot::from_json(&fs::read(&self.path).ok()?)
    }

    /// Removes the file. If that fails, the next agent's replaces it.
    pub(crate) fn remove(&self) {
        let _ = fs::remove_file(&self.path);
    }
}
