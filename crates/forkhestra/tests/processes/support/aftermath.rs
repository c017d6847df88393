//! What must not be there when a test is over.

use std::ops::Deref;
use std::path::PathBuf;
use std::thread;

use testkit::{Leftovers, Process};

/// Looks for leftovers when it is dropped. A test that fails anyway leaves none either.
pub(crate) struct Aftermath(Leftovers);

impl Aftermath {
    pub(crate) fn of(root: PathBuf) -> Self {
        Self(Leftovers::of(root))
    }
}

impl Deref for Aftermath {
    type Target = Leftovers;

    fn deref(&self) -> &Leftovers {
        &self.0
    }
}

impl Drop for Aftermath {
    fn drop(&mut self) {
        let left: Vec<String> = self.processes().into_iter().map(Process::describe).collect();
        self.end_all();
        if thread::panicking() {
            return;
        }
        assert!(left.is_empty(), "processes are left: {left:#?}");
        let (files, locks) = (self.files(), self.locks());
        assert!(files.is_empty(), "files are left: {files:?}");
        assert!(locks.is_empty(), "locks are held or name somebody: {locks:?}");
    }
}
