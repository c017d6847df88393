//! Descriptions of leftovers.

use testkit::{LeftoverProcesses, TIMEOUT, TestProcess, within};

/// Waits at most [`TIMEOUT`] until no process is alive, and describes those that are left.
pub(crate) fn wait_until_nothing_lives(leftovers: &LeftoverProcesses) -> Vec<String> {
    within(TIMEOUT, || leftovers.processes().is_empty().then_some(()));
    alive(leftovers)
}

/// Describes all live processes.
pub(crate) fn alive(leftovers: &LeftoverProcesses) -> Vec<String> {
    let processes = leftovers.processes().into_iter().map(TestProcess::describe);
    processes.map(|process| format!("a process is left: {process}")).collect()
}

/// Files that should have been removed, and locks that were not released.
pub(crate) fn on_disk(leftovers: &LeftoverProcesses) -> Vec<String> {
    let files = leftovers.files().into_iter();
    let files = files.map(|path| format!("a file is left: {}", path.display()));
    let locks = leftovers.locks().into_iter();
    let locks = locks.map(|path| format!("a lock is held or has an owner: {}", path.display()));
    files.chain(locks).collect()
}
