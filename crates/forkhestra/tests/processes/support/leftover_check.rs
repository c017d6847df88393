//! Checks that a test leaves no processes, files and locks.

use std::ops::Deref;
use std::path::PathBuf;
use std::thread;

use testkit::{LeftoverProcesses, TestProcess};

/// Checks for leftovers when it is dropped. A failed test leaves none either.
pub(crate) struct LeftoverCheck(LeftoverProcesses);

impl LeftoverCheck {
    pub(crate) fn of(root: PathBuf) -> Self {
        Self(LeftoverProcesses::of(root))
    }
}

impl Deref for LeftoverCheck {
    type Target = LeftoverProcesses;

    fn deref(&self) -> &LeftoverProcesses {
        &self.0
    }
}

impl Drop for LeftoverCheck {
    fn drop(&mut self) {
        let left: Vec<String> = self.processes().into_iter().map(TestProcess::describe).collect();
        self.end_all();
        if thread::panicking() {
            return;
        }
        assert!(left.is_empty(), "processes are left: {left:#?}");
        let (files, locks) = (self.files(), self.locks());
        assert!(files.is_empty(), "files are left: {files:?}");
        assert!(locks.is_empty(), "locks are held or name an owner: {locks:?}");
    }
}
