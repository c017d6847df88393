//! Ends the leftover processes of a run whose guard and runner were both killed.

use std::ffi::OsStr;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};

use super::process_handle::ProcessHandle;
use super::system;

/// The result of a sweep.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SweepResult {
    pub ended: Vec<Pid>,
    /// Leftovers that could not be ended in time.
    pub remaining: Vec<Pid>,
}

/// Processes of our user that were started with this value in a variable of their environment,
/// which may list several values separated by colons, or that have the
/// [mark](super::RunMark) of the run with this id. Excludes this process and its ancestors.
pub fn processes_tagged(name: &OsStr, value: &OsStr) -> Vec<Pid> {
    system::processes_tagged(name, value)
}

/// Ends all processes that [`processes_tagged`] finds and waits until they are gone, at most for
/// `timeout`.
pub fn sweep(name: &OsStr, value: &OsStr, timeout: Duration) -> SweepResult {
    let deadline = Instant::now() + timeout;
    let mut swept = SweepResult::default();
    loop {
        let found = leftovers(name, value);
        if found.is_empty() {
            return swept;
        }
        if Instant::now() >= deadline {
            swept.remaining = found.iter().map(ProcessHandle::pid).collect();
            swept.ended.retain(|pid| !swept.remaining.contains(pid));
            return swept;
        }
        for process in &found {
            // A process that is gone is the goal; one that could not be signalled is found again.
            let _ = process.signal(Signal::KILL);
        }
        for process in &found {
            process.wait(deadline);
            if !swept.ended.contains(&process.pid()) {
                swept.ended.push(process.pid());
            }
        }
    }
}

/// Opens handles for the leftovers. The tag is checked again with the handle open, since a pid may
/// have been reused in between.
fn leftovers(name: &OsStr, value: &OsStr) -> Vec<ProcessHandle> {
    let found = system::processes_tagged(name, value).into_iter().filter_map(ProcessHandle::open);
    found.filter(|process| system::is_tagged(process.pid(), name, value)).collect()
}
