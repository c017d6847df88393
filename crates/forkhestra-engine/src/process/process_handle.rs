//! A process that we hold on to, so that a number that is used again does not mislead us.

use std::os::fd::OwnedFd;
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process};

use super::system;

/// How long to wait before looking again where the system cannot tell us when.
const MOMENT: Duration = Duration::from_millis(1);

/// A process, held where the system can do that and known by its number where it cannot.
pub(super) struct ProcessHandle {
    pid: Pid,
    process: Option<OwnedFd>,
}

impl ProcessHandle {
    /// Takes hold of a process; none if it is gone.
    pub(super) fn open(pid: Pid) -> Option<Self> {
        match system::open_process(pid) {
            Ok(process) => Some(Self { pid, process: Some(process) }),
            Err(Errno::SRCH) => None,
            Err(_) => Some(Self { pid, process: None }),
        }
    }

    pub(super) fn pid(&self) -> Pid {
        self.pid
    }

    pub(super) fn signal(&self, signal: Signal) -> Result<(), Errno> {
        match &self.process {
            Some(process) => system::signal_process(process, signal),
            None => kill_process(self.pid, signal),
        }
    }

    /// Waits until the process has ended or the time is over, or only for a moment where the
    /// system cannot tell. It may still have to be collected.
    pub(super) fn wait(&self, deadline: Instant) {
        let Some(process) = &self.process else {
            return pause_until(deadline);
        };
        let left = deadline.saturating_duration_since(Instant::now());
        let Ok(left) = Timespec::try_from(left) else {
            return;
        };
        // An interruption ends the wait early, which callers see when they look again.
        let _ = poll(&mut [PollFd::new(process, PollFlags::IN)], Some(&left));
    }
}

/// Waits for a moment, but not beyond the deadline.
pub(super) fn pause_until(deadline: Instant) {
    thread::sleep(MOMENT.min(deadline.saturating_duration_since(Instant::now())));
}
