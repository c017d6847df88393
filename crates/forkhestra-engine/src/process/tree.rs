//! Signals and ends all descendants.

use std::time::{Duration, Instant};

use forkhestra_core::event::ProcessEnd;
use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process};

use super::child_processes::ChildProcesses;
use super::keeper::KeeperHandle;
use super::process_handle::{ProcessHandle, pause_until};
use super::system;

/// Sends a signal to all of these processes. Returns those that refused it for lack of permission;
/// processes that are gone are ignored.
pub fn signal_all(pids: &[Pid], signal: Signal) -> Vec<Pid> {
    let refused = |pid: &Pid| kill_process(*pid, signal) == Err(Errno::PERM);
    pids.iter().copied().filter(refused).collect()
}

/// Sends a signal once to all descendants, including those that are started meanwhile: a process
/// may fork between the scan and the signal. Returns all that were found.
pub fn signal_all_descendants(signal: Signal) -> Vec<Pid> {
    signal_all_of(signal, system::descendants)
}

/// Sends a signal like [`signal_all_descendants`], except to running helpers and their descendants,
/// which work for the engine and not for the agent.
pub fn signal_all_but_helpers(children: &ChildProcesses, signal: Signal) -> Vec<Pid> {
    signal_processes_of(children, None, None, signal)
}

/// Sends a signal to all processes of a keeper, or else like [`signal_all_but_helpers`], but not to the
/// spared process itself.
pub fn signal_processes_of(
    children: &ChildProcesses,
    keeper: Option<&KeeperHandle>,
    spared: Option<Pid>,
    signal: Signal,
) -> Vec<Pid> {
    signal_all_of(signal, || {
        let mut found = children.processes_of(keeper);
        found.retain(|pid| Some(*pid) != spared);
        found
    })
}

fn signal_all_of(signal: Signal, look: impl Fn() -> Vec<Pid>) -> Vec<Pid> {
    let mut signalled: Vec<Pid> = Vec::new();
    loop {
        let mut new = look();
        new.retain(|pid| !signalled.contains(pid));
        if new.is_empty() {
            return signalled;
        }
        signal_all(&new, signal);
        signalled.extend(new);
    }
}

/// The result of ending all descendants.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TreeEnd {
    /// Our own children that ended meanwhile, as [`ChildProcesses::reap`] would have reported them.
    pub own_children: Vec<(Pid, ProcessEnd)>,
    /// Processes that could not be ended: they belong to another user or are in an uninterruptible
    /// wait.
    pub remaining: Vec<Pid>,
}

/// Kills all descendants, including those that are started meanwhile, until none is left, and reaps
/// them. Only the spared processes and their descendants stay.
///
/// A process in an uninterruptible wait cannot be ended; it is abandoned after `timeout`.
pub fn end_all_descendants(
    children: &ChildProcesses,
    spared: &[Pid],
    timeout: Duration,
) -> TreeEnd {
    let deadline = Instant::now() + timeout;
    let mut ended = TreeEnd::default();
    let mut before = None;
    loop {
        ended.own_children.extend(children.reap());
        // One cheap query covers the usual case.
        if !children.has_any_process() {
            return ended;
        }
        let mut alive = system::descendants_except(spared);
        if alive.is_empty() {
            // Systems that cannot list descendants fall back to the started children.
            alive = children.known();
            alive.retain(|pid| !spared.contains(pid));
        }
        let is_as_before = before.as_ref() == Some(&alive);
        let is_over = Instant::now() >= deadline;
        // A process may be missing from one scan while it is reparented, but not from two.
        if is_over || (is_as_before && alive.is_empty()) {
            ended.remaining = alive;
            return ended;
        }
        let refused = signal_all(&alive, Signal::KILL);
        if !alive.is_empty() && refused.len() == alive.len() {
            ended.remaining = refused;
            return ended;
        }
        if is_as_before || alive.is_empty() {
            pause_until(deadline);
        }
        for pid in alive.iter().filter(|pid| !refused.contains(pid)) {
            if let Some(process) = ProcessHandle::open(*pid) {
                process.wait(deadline);
            }
        }
        before = Some(alive);
    }
}
