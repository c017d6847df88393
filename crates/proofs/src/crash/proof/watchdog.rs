//! Kills processes that hang.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// Far longer than any run takes.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Kills processes after a timeout, so that a wait for them ends.
pub(super) struct Watchdog {
    processes: Arc<Mutex<Vec<Pid>>>,
    /// Closed when the wait is over.
    leash: Sender<()>,
    thread: JoinHandle<bool>,
}

impl Watchdog {
    pub(super) fn start() -> Self {
        let processes = Arc::new(Mutex::new(Vec::new()));
        let watched = Arc::clone(&processes);
        let (leash, end) = channel();
        let thread = thread::spawn(move || {
            let is_over_in_time = end.recv_timeout(TIMEOUT) != Err(RecvTimeoutError::Timeout);
            if !is_over_in_time {
                let watched = watched.lock().unwrap_or_else(PoisonError::into_inner);
                for process in watched.iter() {
                    // A process that is already gone is fine.
                    let _ = kill(*process, Signal::SIGKILL);
                }
            }
            !is_over_in_time
        });
        Self { processes, leash, thread }
    }

    pub(super) fn watch(&self, process: Pid) {
        self.processes.lock().unwrap_or_else(PoisonError::into_inner).push(process);
    }

    /// Whether a process had to be killed.
    pub(super) fn stop(self) -> bool {
        drop(self.leash);
        self.thread.join().unwrap_or(true)
    }
}
