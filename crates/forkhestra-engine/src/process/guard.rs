//! The two processes of a run, each of which ends everything when the other dies.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

use forkhestra_core::event::{AgentEnd, CancelCause};
use rustix::process::{Pid, Signal as SignalNumber, getpid, kill_process, setpgid};

use super::child_processes::ChildProcesses;
use super::guard_timeout::GuardTimeout;
use super::{system, tree, wait};
use crate::signal::{self, ReceivedSignal, SignalReceiver};

/// How long the guard tries to end what the system holds before it reports it.
const PATIENCE: Duration = Duration::from_secs(5);

/// Which of the two processes we are.
#[derive(Debug)]
pub enum GuardRole {
    /// The one that runs agents.
    Runner(GuardLink),
    /// The one that the user started, when everything is over.
    Guard(GuardReport),
}

/// The runner's connection to its guard. It becomes readable, and is at its end, when the guard
/// has died; nothing else ever happens on it.
#[derive(Debug)]
pub struct GuardLink {
    life: OwnedFd,
    guard: Pid,
}

impl GuardLink {
    /// The guard's process.
    pub const fn guard_pid(&self) -> Pid {
        self.guard
    }
}

/// The process group of a process; none if it is gone, or if its group has no number here, as that of
/// the first process of a PID namespace may have none.
pub fn process_group(pid: Pid) -> Option<Pid> {
    // `rustix` takes it for granted that a group has a number.
    // SAFETY: the call has no conditions.
    let group = unsafe { libc::getpgid(pid.as_raw_nonzero().get()) };
    (group > 0).then(|| Pid::from_raw(group)).flatten()
}

impl AsFd for GuardLink {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.life.as_fd()
    }
}

/// What the guard saw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuardReport {
    /// How the runner ended.
    pub runner: AgentEnd,
    /// Who had asked it to end, if it did not and the guard killed it.
    pub cut_short: Option<CancelCause>,
    /// Descendants that could not be ended.
    pub left: Vec<Pid>,
}

/// Becomes two processes. Returns in both: in the runner at once, in the guard when the runner and
/// everything below it has ended.
///
/// The runner has a process group of its own, so what a terminal sends to ours (Ctrl-C, Ctrl-Z)
/// reaches the guard only, which hands it on. The runner must [install](Signals::install_below)
/// its signals; until then they wait.
///
/// Must be called while there is one thread and nothing in the buffers of standard output.
pub fn split() -> io::Result<GuardRole> {
    debug_assert!(system::thread_count().is_none_or(|count| count == 1), "forking with threads");
    // Children of whoever became us, such as the `tee` of `exec > >(tee log)`, are not the run's.
    let spared = system::descendants();
    signal::expect_children()?;
    system::become_subreaper()?;
    let (life, held_by_guard) = system::pipe()?;
    let guard = getpid();
    signal::block_signals()?;
    // SAFETY: there is only one thread, so the child may do whatever the parent may.
    match Pid::from_raw(unsafe { libc::fork() }) {
        None => {
            drop(held_by_guard);
            become_runner()?;
            Ok(GuardRole::Runner(GuardLink { life, guard }))
        }
        Some(runner) if runner.as_raw_nonzero().get() > 0 => {
            drop(life);
            let report = watch(runner, &spared);
            drop(held_by_guard);
            report.map(GuardRole::Guard)
        }
        Some(_) => {
            let error = io::Error::last_os_error();
            signal::unblock_signals()?;
            Err(error)
        }
    }
}

fn become_runner() -> io::Result<()> {
    setpgid(None, None)?;
    system::become_subreaper()?;
    system::wake_when_parent_dies()?;
    // We write to the terminal although another group has it.
    signal::ignore(libc::SIGTTOU)?;
    signal::ignore(libc::SIGTTIN)
}

fn watch(runner: Pid, spared: &[Pid]) -> io::Result<GuardReport> {
    // Both sides do it, so that it is done whichever comes first. Here it may be too late.
    let _ = setpgid(Some(runner), Some(runner));
    let children = ChildProcesses::default();
    children.adopt(runner);
    let mut signals = SignalReceiver::install_in_guard(runner)?;
    let mut impatience = GuardTimeout::default();
    let mut cut_short = None;
    let end = loop {
        signals.wait_until(impatience.deadline())?;
        for signal in signals.drain() {
            take(signal, &mut impatience);
            hand_on(signal, runner);
        }
        if let Some((_, end)) = children.reap().pop() {
            break end;
        }
        if let Some(by) = impatience.take_expired(Instant::now()) {
            // Its end comes as that of a child.
            let _ = kill_process(runner, SignalNumber::KILL);
            cut_short = Some(by);
        }
        // The shell must see a stopped job, which is a stopped guard. But a runner that was stopped
        // by force goes on without telling us, and nobody would continue us.
        if wait::stopped_by(runner) == Some(libc::SIGTSTP) {
            signal::stop_by(libc::SIGSTOP);
        }
    };
    // It may have ended by itself in the last moment.
    let cut_short = cut_short.filter(|_| end == AgentEnd::Signaled(libc::SIGKILL));
    let ended = tree::end_all_descendants(&children, spared, PATIENCE);
    Ok(GuardReport { runner: end, cut_short, left: ended.left })
}

/// Notes what a signal means for how long we wait.
fn take(signal: ReceivedSignal, impatience: &mut GuardTimeout) {
    let now = Instant::now();
    match signal {
        ReceivedSignal::Interrupt => impatience.end_requested(CancelCause::Interrupt, now),
        ReceivedSignal::Terminate => impatience.end_requested(CancelCause::Terminate, now),
        ReceivedSignal::Hangup => impatience.end_requested(CancelCause::Hangup, now),
        ReceivedSignal::Continue => impatience.restart(now),
        ReceivedSignal::Stop | ReceivedSignal::Child | ReceivedSignal::WindowChanged => {}
    }
}

fn hand_on(signal: ReceivedSignal, runner: Pid) {
    let number = match signal {
        ReceivedSignal::Interrupt => SignalNumber::INT,
        ReceivedSignal::Terminate => SignalNumber::TERM,
        ReceivedSignal::Hangup => SignalNumber::HUP,
        ReceivedSignal::Stop => SignalNumber::TSTP,
        ReceivedSignal::Continue => SignalNumber::CONT,
        ReceivedSignal::WindowChanged => SignalNumber::WINCH,
        ReceivedSignal::Child => return,
    };
    // If the runner is gone, we are about to hear of it.
    let _ = kill_process(runner, number);
}
