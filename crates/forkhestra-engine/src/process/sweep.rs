//! Finding what a run left behind whose two processes were both killed.

use std::ffi::OsStr;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};

use super::process_handle::ProcessHandle;
use super::system;

/// What came of a sweep.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SweepResult {
    /// Leftovers that were ended.
    pub ended: Vec<Pid>,
    /// Leftovers that could not be ended in time.
    pub left: Vec<Pid>,
}

/// Processes of our user that were started with this value in a variable of their environment, which
/// may list several with colons between them, but not ourselves and not those above us.
pub fn processes_tagged(name: &OsStr, value: &OsStr) -> Vec<Pid> {
    system::processes_tagged(name, value)
}

/// Ends all processes that [`processes_tagged`] finds, and waits until they are gone, but not longer
/// than the patience given.
pub fn sweep(name: &OsStr, value: &OsStr, patience: Duration) -> SweepResult {
    let deadline = Instant::now() + patience;
    let mut swept = SweepResult::default();
    loop {
        let found = leftovers(name, value);
        if found.is_empty() {
            return swept;
        }
        if Instant::now() >= deadline {
            swept.left = found.iter().map(ProcessHandle::pid).collect();
            swept.ended.retain(|pid| !swept.left.contains(pid));
            return swept;
        }
        for process in &found {
            // One that is gone by now is what we want; one that refuses is found again.
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

/// Takes hold of the leftovers. They are looked at again when we hold them, since a number may
/// have been used again in between.
fn leftovers(name: &OsStr, value: &OsStr) -> Vec<ProcessHandle> {
    let found = system::processes_tagged(name, value).into_iter().filter_map(ProcessHandle::open);
    found.filter(|process| system::is_tagged(process.pid(), name, value)).collect()
}
