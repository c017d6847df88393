//! Looking at processes from outside, in other ways than the engine does.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

/// Longer than anything takes on the slowest machine.
const BOUND: Duration = Duration::from_secs(30);

/// Waits until something holds.
#[track_caller]
pub(crate) fn until(what: &str, holds: impl Fn() -> bool) {
    let deadline = Instant::now() + BOUND;
    while !holds() {
        assert!(Instant::now() < deadline, "in vain: {what}");
        thread::yield_now();
    }
}

pub(crate) fn pid(number: &str) -> Pid {
    number.parse().ok().and_then(Pid::from_raw).expect("this is the number of a process")
}

#[track_caller]
pub(crate) fn kill(pid: Pid, signal: Signal) {
    kill_process(pid, signal).expect("the process is there and ours");
}

/// The letter for what a process is doing; none if it is gone.
pub(crate) fn state(pid: Pid) -> Option<char> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix("State:"))?.trim_start().chars().next()
}

/// Whether nothing is left of a process, or only what its parent has to collect.
pub(crate) fn is_gone(pid: Pid) -> bool {
    matches!(state(pid), None | Some('Z' | 'X'))
}

/// All processes that have the text in their environment.
pub(crate) fn tagged(entry: &str) -> Vec<Pid> {
    let processes = fs::read_dir("/proc").expect("this is Linux").flatten();
    let numbers = processes.filter_map(|process| process.file_name().to_str()?.parse().ok());
    numbers
        .filter(|number: &i32| {
            let environment = fs::read(format!("/proc/{number}/environ")).unwrap_or_default();
            String::from_utf8_lossy(&environment).split('\0').any(|variable| variable == entry)
        })
        .filter_map(Pid::from_raw)
        .collect()
}
