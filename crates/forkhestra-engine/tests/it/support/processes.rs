//! Test support: observes processes independently of the engine.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

/// Upper bound for any wait on the slowest machine.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Waits until a condition holds.
#[track_caller]
pub(crate) fn until(what: &str, holds: impl Fn() -> bool) {
    let deadline = Instant::now() + TIMEOUT;
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

/// The state letter of a process, or `None` if it is gone.
pub(crate) fn state(pid: Pid) -> Option<char> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix("State:"))?.trim_start().chars().next()
}

/// Whether a process is gone or a zombie.
pub(crate) fn is_gone(pid: Pid) -> bool {
    matches!(state(pid), None | Some('Z' | 'X'))
}

/// All processes with this entry in their environment.
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
