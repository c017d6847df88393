//! A handle to a process that stays valid when its pid is reused.

use std::os::fd::OwnedFd;
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process};

use super::system;

/// The polling interval on systems that cannot report the end of a process.
const POLL_INTERVAL: Duration = Duration::from_millis(1);

/// A process, identified by a pidfd where the system supports that, and by its pid elsewhere.
pub(super) struct ProcessHandle {
    pid: Pid,
    process: Option<OwnedFd>,
}

impl ProcessHandle {
    /// Opens a process; `None` if it is gone.
    pub(super) fn open(pid: Pid) -> Option<Self> {
        match system::open_process(pid) {
            Ok(process) => Some(Self { pid, process: Some(process) }),
            Err(Errno::SRCH) => None,
            Err(_) => Some(Self { pid, process: None }),
        }
    }

    /// The process of this pidfd.
    pub(super) fn of(pid: Pid, process: OwnedFd) -> Self {
        Self { pid, process: Some(process) }
    }

    /// Whether the process has ended, as far as the system reports it.
    pub(super) fn has_ended(&self) -> bool {
        let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
        let is_readable = |process: &OwnedFd| {
            poll(&mut [PollFd::new(process, PollFlags::IN)], Some(&at_once)) != Ok(0)
        };
        self.process.as_ref().is_some_and(is_readable)
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

    /// Waits until the process has ended or the deadline has passed. Without a pidfd it only waits
    /// for [`POLL_INTERVAL`]. The process may still have to be reaped.
    pub(super) fn wait(&self, deadline: Instant) {
        let Some(process) = &self.process else {
            return pause_until(deadline);
        };
        let left = deadline.saturating_duration_since(Instant::now());
        let Ok(left) = Timespec::try_from(left) else {
            return;
        };
        // An interrupt ends the wait early; callers check the process again.
        let _ = poll(&mut [PollFd::new(process, PollFlags::IN)], Some(&left));
    }
}

/// Sleeps for [`POLL_INTERVAL`], but not beyond the deadline.
pub(super) fn pause_until(deadline: Instant) {
    thread::sleep(POLL_INTERVAL.min(deadline.saturating_duration_since(Instant::now())));
}
