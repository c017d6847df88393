//! The two processes of a run, each of which ends all descendants when the other dies.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

use forkhestra_core::event::{CancelCause, ProcessEnd};
use rustix::process::{Pid, Signal as SignalNumber, getpid, kill_process, setpgid};

use super::child_processes::ChildProcesses;
use super::guard_timeout::GuardTimeout;
use super::{system, tree, wait};
use crate::signal::{self, ReceivedSignal, SignalReceiver};

/// Upper bound for ending leftover processes before the guard reports them.
const SWEEP_TIMEOUT: Duration = Duration::from_secs(5);

/// Which of the two processes this is.
#[derive(Debug)]
pub enum GuardRole {
    /// The process that runs agents.
    Runner(GuardLink),
    /// The process that the user started, after everything has ended.
    Guard(GuardReport),
}

/// The runner's connection to its guard. It becomes readable, at its end, when the guard has died;
/// no data is ever sent on it.
#[derive(Debug)]
pub struct GuardLink {
    lifeline: OwnedFd,
    guard: Pid,
}

impl GuardLink {
    /// The pid of the guard.
    pub const fn guard_pid(&self) -> Pid {
        self.guard
    }
}

/// The process group of a process. `None` if the process is gone, or if its group has no number in
/// this PID namespace.
pub fn process_group(pid: Pid) -> Option<Pid> {
    // `rustix` assumes that a group always has a number.
    // SAFETY: the call has no preconditions.
    let group = unsafe { libc::getpgid(pid.as_raw_nonzero().get()) };
    (group > 0).then(|| Pid::from_raw(group)).flatten()
}

impl AsFd for GuardLink {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.lifeline.as_fd()
    }
}

/// The result of a guarded run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuardReport {
    pub runner: ProcessEnd,
    /// The cause of the request to end, if the runner did not comply and the guard killed it.
    pub cut_short: Option<CancelCause>,
    /// Descendants that could not be ended.
    pub left: Vec<Pid>,
}

/// Protects this process and the ones that it forks, until they start another program: other
/// processes of the same user cannot trace it, and cannot use its memory and open files through
/// `/proc`. Processes of root can. Programs that it starts inherit only the standard streams.
pub fn protect() -> io::Result<()> {
    system::keep_files_private()?;
    Ok(system::refuse_tracing()?)
}

/// Forks, and returns in both processes: in the runner at once, in the guard after the runner and
/// all its descendants have ended.
///
/// The runner has a process group of its own, so terminal signals (Ctrl-C, Ctrl-Z) reach only the
/// guard, which forwards them. The runner must [install](SignalReceiver::install_in_runner) its
/// signal handlers; until then signals are blocked.
///
/// Must be called with a single thread and an empty buffer of standard output.
pub fn split() -> io::Result<GuardRole> {
    debug_assert!(system::thread_count().is_none_or(|count| count == 1), "forking with threads");
    // Existing children, such as the `tee` of `exec > >(tee log)`, do not belong to the run.
    let spared = system::descendants();
    signal::expect_children()?;
    system::become_subreaper()?;
    let (lifeline, held_by_guard) = system::pipe()?;
    let guard = getpid();
    signal::block_signals()?;
    match wait::fork() {
        Ok(None) => {
            drop(held_by_guard);
            become_runner()?;
            Ok(GuardRole::Runner(GuardLink { lifeline, guard }))
        }
        Ok(Some(runner)) => {
            drop(lifeline);
            let report = watch(runner, &spared);
            drop(held_by_guard);
            report.map(GuardRole::Guard)
        }
        Err(error) => {
            signal::unblock_signals()?;
            Err(error)
        }
    }
}

fn become_runner() -> io::Result<()> {
    setpgid(None, None)?;
    system::become_subreaper()?;
    system::wake_when_parent_dies()?;
    // The runner writes to the terminal although another group is in the foreground.
    signal::ignore(libc::SIGTTOU)?;
    signal::ignore(libc::SIGTTIN)
}

fn watch(runner: Pid, spared: &[Pid]) -> io::Result<GuardReport> {
    // Both processes set the group, so that it is set whichever runs first. Here it may be too
    // late.
    let _ = setpgid(Some(runner), Some(runner));
    let children = ChildProcesses::default();
    children.adopt(runner);
    let mut signals = SignalReceiver::install_in_guard(runner)?;
    let mut guard_timeout = GuardTimeout::default();
    let mut cut_short = None;
    let end = loop {
        signals.wait_until(guard_timeout.deadline())?;
        for signal in signals.drain() {
            update_timeout(signal, &mut guard_timeout);
            forward_signal(signal, runner);
        }
        if let Some((_, end)) = children.reap().pop() {
            break end;
        }
        if let Some(by) = guard_timeout.take_expired(Instant::now()) {
            // The end of the runner arrives as that of a child.
            let _ = kill_process(runner, SignalNumber::KILL);
            cut_short = Some(by);
        }
        // The shell must see a stopped job, so the guard stops with its runner. This is done only
        // for SIGTSTP: a runner that was stopped by SIGSTOP continues without waking the guard.
        if wait::stopped_by(runner) == Some(libc::SIGTSTP) {
            signal::stop_self_by(libc::SIGSTOP);
        }
    };
    // The runner may have ended by itself in the last moment.
    let cut_short = cut_short.filter(|_| end == ProcessEnd::Signaled(libc::SIGKILL));
    let ended = tree::end_all_descendants(&children, spared, SWEEP_TIMEOUT);
    Ok(GuardReport { runner: end, cut_short, left: ended.remaining })
}

/// Updates the timeout for a signal.
fn update_timeout(signal: ReceivedSignal, guard_timeout: &mut GuardTimeout) {
    let now = Instant::now();
    match signal {
        ReceivedSignal::Interrupt => guard_timeout.end_requested(CancelCause::Interrupt, now),
        ReceivedSignal::Terminate => guard_timeout.end_requested(CancelCause::Terminate, now),
        ReceivedSignal::Hangup => guard_timeout.end_requested(CancelCause::Hangup, now),
        ReceivedSignal::Continue => guard_timeout.restart(now),
        ReceivedSignal::Suspend | ReceivedSignal::Child | ReceivedSignal::WindowChanged => {}
    }
}

fn forward_signal(signal: ReceivedSignal, runner: Pid) {
    let number = match signal {
        ReceivedSignal::Interrupt => SignalNumber::INT,
        ReceivedSignal::Terminate => SignalNumber::TERM,
        ReceivedSignal::Hangup => SignalNumber::HUP,
        ReceivedSignal::Suspend => SignalNumber::TSTP,
        ReceivedSignal::Continue => SignalNumber::CONT,
        ReceivedSignal::WindowChanged => SignalNumber::WINCH,
        ReceivedSignal::Child => return,
    };
    // If the runner is gone, its end is about to be reported.
    let _ = kill_process(runner, number);
}
