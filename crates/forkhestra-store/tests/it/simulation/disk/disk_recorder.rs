//! Records every change of a disk, and injects faults.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::change_fate::ChangeFate;
use super::disk_contents::{DiskContents, DiskTree};
use super::disk_fault::{DiskCall, DiskFailure, DiskFault, FaultDuration, Kind};
use super::disk_history::{DiskChange, DiskLogEntry, Inode, InodeKind, JournalNote, changes};

/// The record of a simulated disk.
#[derive(Debug)]
pub(crate) struct DiskRecorder {
    top: PathBuf,
    before: DiskTree,
    state: Mutex<DiskRecorderState>,
}

#[derive(Debug)]
struct DiskRecorderState {
    tree: DiskTree,
    history: Vec<DiskLogEntry>,
    calls: Vec<DiskCall>,
    fault: Option<DiskFault>,
    /// The length of the history when the fault happened.
    happened: Option<usize>,
}

impl DiskRecorder {
    /// Starts with these contents, all durable.
    pub(crate) fn new(top: &Path, contents: &DiskContents) -> Self {
        let before = DiskTree::from(contents);
        let state = DiskRecorderState {
            tree: before.clone(),
            history: Vec::new(),
            calls: Vec::new(),
            fault: None,
            happened: None,
        };
        Self { top: top.to_owned(), before, state: Mutex::new(state) }
    }

    pub(crate) fn fail(&self, fault: DiskFault) {
        self.state().fault = Some(fault);
    }

    pub(crate) fn mend(&self) {
        self.state().fault = None;
    }

    pub(crate) fn note(&self, note: JournalNote) {
        self.state().history.push(DiskLogEntry::Noted(note));
    }

    pub(crate) fn history(&self) -> Vec<DiskLogEntry> {
        self.state().history.clone()
    }

    pub(crate) fn calls(&self) -> Vec<DiskCall> {
        self.state().calls.clone()
    }

    /// The length of the history when a call failed, if one did.
    pub(crate) fn happened(&self) -> Option<usize> {
        self.state().happened
    }

    /// The contents of the disk after a power failure at the end of this history, for each list of
    /// fates that `fates` returns for changes that are not durable.
    pub(crate) fn after_power_failure(
        &self,
        history: &[DiskLogEntry],
        fates: impl FnOnce(&[&DiskChange]) -> Vec<Vec<ChangeFate>>,
    ) -> Vec<DiskContents> {
        let changes = changes(history);
        let in_danger = changes.iter().filter(|(_, is_safe)| !is_safe);
        let in_danger: Vec<&DiskChange> = in_danger.map(|(change, _)| *change).collect();
        let left = |fates: Vec<ChangeFate>| {
            let mut fates = fates.into_iter();
            let mut tree = self.before.clone();
            for (change, is_safe) in &changes {
                let fate = if *is_safe { Some(ChangeFate::Kept) } else { fates.next() };
                tree.apply(change, fate.expect("there is one for each"));
            }
            tree.contents()
        };
        fates(&in_danger).into_iter().map(left).collect()
    }

    /// Performs a call unless it is to fail.
    pub(crate) fn call<T>(
        &self,
        kind: Kind,
        path: &Path,
        perform: impl FnOnce() -> io::Result<T>,
    ) -> io::Result<T> {
        match self.failure(kind, path) {
            None => perform(),
            Some(DiskFailure::BrokenAfterwards) => {
                perform()?;
                Err(DiskFailure::BrokenAfterwards.error())
            }
            Some(failure) => Err(failure.error()),
        }
    }

    /// Counts a call, and returns its failure, if it has one.
    pub(crate) fn failure(&self, kind: Kind, path: &Path) -> Option<DiskFailure> {
        let path = self.below_top(path).to_owned();
        let state = &mut *self.state();
        let number = state.calls.len();
        state.calls.push(DiskCall { kind, path });
        let fault = state.fault.as_mut()?;
        let is_due = match fault.lasts {
            FaultDuration::Once => number == fault.call,
            FaultDuration::UntilMended => number >= fault.call,
        };
        if !is_due {
            return None;
        }
        state.happened.get_or_insert(state.history.len());
        let failure = fault.failure;
        if kind == Kind::Write && failure.is_partial() {
            // The system returns the number of bytes written first, and the error with the next
            // call.
            *fault = DiskFault { call: number + 1, failure: DiskFailure::Full, ..*fault };
        }
        Some(failure)
    }

    pub(crate) fn changed(&self, change: DiskChange) {
        let mut state = self.state();
        state.tree.apply(&change, ChangeFate::Kept);
        state.history.push(DiskLogEntry::Changed(change));
    }

    pub(crate) fn happens(&self, entry: DiskLogEntry) {
        self.state().history.push(entry);
    }

    pub(crate) fn find(&self, path: &Path) -> Option<Inode> {
        self.state().tree.find(self.below_top(path))
    }

    /// The directory of a path, and its name in it.
    pub(crate) fn place(&self, path: &Path) -> (Inode, OsString) {
        let parent = path.parent().expect("it has a directory");
        let directory = self.find(parent).expect("its directory is there");
        (directory, path.file_name().expect("it has a name").to_owned())
    }

    /// Records that a new inode got a name.
    pub(crate) fn named(&self, path: &Path, what: InodeKind) -> Inode {
        let (directory, name) = self.place(path);
        let inode = self.state().tree.next_inode();
        self.changed(DiskChange::Named { directory, name, inode, what });
        inode
    }

    fn below_top<'a>(&self, path: &'a Path) -> &'a Path {
        path.strip_prefix(&self.top).expect("nothing is changed elsewhere")
    }

    fn state(&self) -> MutexGuard<'_, DiskRecorderState> {
        // A panicking test has reported its failure already.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
