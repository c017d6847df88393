//! The tasks before an agent started, in a scratch file of the run.
//!
//! The file exists from the start of an agent until its changes are compared, and is removed with
//! the other scratch files. It is read only if the run is resumed after its process was killed.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use forge_tasks::RunLane;

use super::task_snapshot::TaskSnapshot;

/// The file that holds the tasks before an agent started.
pub(crate) struct TaskBaselineFile {
    path: PathBuf,
    /// The content of the file, if this process wrote it.
    written: Mutex<Option<Vec<u8>>>,
}

impl TaskBaselineFile {
    /// The file of a run or one of its lanes, in the run's scratch directory.
    pub(crate) fn below(scratch: &Path, lane: Option<&RunLane>) -> Self {
        let name = match lane {
            None => "tasks-before.json".to_owned(),
            Some(RunLane { lane, .. }) => format!("tasks-before-{lane}.json"),
        };
        Self { path: scratch.join(name), written: Mutex::default() }
    }

    /// The snapshot that an earlier process of the run has left, which was killed.
    pub(crate) fn left(&self) -> Option<TaskSnapshot> {
        let is_ours = self.written().is_some();
        if is_ours { None } else { self.read() }
    }

    /// Replaces the stored snapshot, unless it is the same. `None` removes the file.
    ///
    /// The file need not survive a power failure, so it is not synced. A truncated file is ignored.
    pub(crate) fn write(&self, snapshot: Option<&TaskSnapshot>) -> io::Result<()> {
        let mut written = self.written();
        let Some(snapshot) = snapshot else {
            *written = None;
            return match fs::remove_file(&self.path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            };
        };
        let content = snapshot.to_json();
        if written.as_ref() == Some(&content) {
            return Ok(());
        }
        *written = None;
        self.path.parent().map_or(Ok(()), fs::create_dir_all)?;
        fs::write(&self.path, &content)?;
        *written = Some(content);
        Ok(())
    }

    /// The stored snapshot; `None` if there is none or it cannot be read.
    pub(crate) fn read(&self) -> Option<TaskSnapshot> {
        TaskSnapshot::from_json(&fs::read(&self.path).ok()?)
    }

    /// Removes the file. If that fails, the next snapshot replaces it.
    pub(crate) fn remove(&self) {
        *self.written() = None;
        let _ = fs::remove_file(&self.path);
    }

    fn written(&self) -> MutexGuard<'_, Option<Vec<u8>>> {
        // A panic cannot leave the value inconsistent.
        self.written.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unchanged_snapshot_is_not_written_again() {
        let scratch = tempfile::tempdir().expect("there is room");
        let file = TaskBaselineFile::below(scratch.path(), None);
        let snapshot = TaskSnapshot::default();
        let write = || file.write(Some(&snapshot)).expect("the place is ours");
        write();
        assert!(file.read().is_some());
        // A second write would replace this.
        fs::write(scratch.path().join("tasks-before.json"), "kept").expect("the place is ours");
        write();
        assert!(file.read().is_none());
        file.remove();
        write();
        assert!(file.read().is_some());
        file.write(None).expect("the place is ours");
        assert!(file.read().is_none());
        write();
        assert!(file.read().is_some());
    }
}
