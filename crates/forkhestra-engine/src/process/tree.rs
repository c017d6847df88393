//! Ending everything below us.

use std::time::{Duration, Instant};

use forkhestra_core::event::AgentEnd;
use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process};

use super::child_processes::ChildProcesses;
use super::process_handle::{ProcessHandle, pause_until};
use super::system;

/// Sends a signal to all of these processes. Gives back those that we may not signal; those that
/// are gone are not missed.
pub fn signal_all(pids: &[Pid], signal: Signal) -> Vec<Pid> {
    let refused = |pid: &Pid| kill_process(*pid, signal) == Err(Errno::PERM);
    pids.iter().copied().filter(refused).collect()
}

/// Sends a signal once to everything below us, and to whatever comes to be there meanwhile: a
/// process may start another one after we looked and before the signal reached it. Gives back all
/// that were found.
pub fn signal_all_descendants(signal: Signal) -> Vec<Pid> {
    signal_all_of(signal, system::descendants)
}

/// Sends a signal to everything below us as [`signal_all_descendants`] does, but to no helper that is
/// at work, nor to what it started: those work for us and not for the agent.
pub fn signal_all_but_helpers(children: &ChildProcesses, signal: Signal) -> Vec<Pid> {
    signal_all_of(signal, || children.descendants_but_helpers())
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

/// What came of ending everything below us.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TreeEnd {
    /// Our own children that ended meanwhile, as [`ChildProcesses::reap`] would have told.
    pub ours: Vec<(Pid, AgentEnd)>,
    /// What could not be ended: it belongs to somebody else, or the system holds it.
    pub left: Vec<Pid>,
}

/// Kills every process below us, and whatever it starts meanwhile, until none is left, and
/// collects all of them. Only the spared ones, and what is below them, stay.
///
/// A process that the system itself holds (in an uninterruptible wait) cannot be ended; after the
/// given patience it is given up.
pub fn end_all_descendants(
    children: &ChildProcesses,
    spared: &[Pid],
    patience: Duration,
) -> TreeEnd {
    let deadline = Instant::now() + patience;
    let mut ended = TreeEnd::default();
    let mut before = None;
    loop {
        ended.ours.extend(children.reap());
        // One cheap question answers the usual case.
        if !children.has_any_process() {
            return ended;
        }
        let mut alive = system::descendants_except(spared);
        if alive.is_empty() {
            // Where nothing tells who is below us, we know at least whom we started.
            alive = children.known();
            alive.retain(|pid| !spared.contains(pid));
        }
        let is_as_before = before.as_ref() == Some(&alive);
        let is_over = Instant::now() >= deadline;
        // A process may hide from one look while it changes its parent, but not from two.
        if is_over || (is_as_before && alive.is_empty()) {
            ended.left = alive;
            return ended;
        }
        let refused = signal_all(&alive, Signal::KILL);
        if !alive.is_empty() && refused.len() == alive.len() {
            ended.left = refused;
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
