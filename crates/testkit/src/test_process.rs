//! Observes processes from outside, independently of the production code.

use std::fs::{self, File};
use std::os::fd::{AsFd, AsRawFd};
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, kill_process};

/// An upper bound for everything, even on the slowest machine.
pub const TIMEOUT: Duration = Duration::from_secs(60);

/// Waits until `look` returns something, and panics after [`TIMEOUT`].
#[track_caller]
pub fn eventually<T>(what: &str, look: impl FnMut() -> Option<T>) -> T {
    within(TIMEOUT, look).unwrap_or_else(|| panic!("in vain: {what}"))
}

/// Waits until `look` returns something, but not longer than `bound`.
pub fn within<T>(bound: Duration, mut look: impl FnMut() -> Option<T>) -> Option<T> {
    let deadline = Instant::now() + bound;
    loop {
        if let Some(found) = look() {
            return Some(found);
        }
        if Instant::now() >= deadline {
            return None;
        }
        // A short sleep, to leave the processor to the observed processes.
        let moment = Timespec { tv_sec: 0, tv_nsec: 2_000_000 };
        let _ = poll(&mut [], Some(&moment));
    }
}

/// Sends a signal to a process that must exist.
#[track_caller]
pub fn kill(process: TestProcess, signal: Signal) {
    kill_process(process.0, signal).expect("the process is there and ours");
}

/// Whether a pipe of this process is full.
pub fn is_pipe_full(pipe: impl AsFd) -> bool {
    is_full(&format!("/proc/self/fd/{}", pipe.as_fd().as_raw_fd()))
}

fn is_full(path: &str) -> bool {
    // Closed again at once, since an open descriptor would keep the pipe from ending.
    let Ok(pipe) = File::options().write(true).open(path) else { return false };
    let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
    poll(&mut [PollFd::new(&pipe, PollFlags::OUT)], Some(&at_once)) == Ok(0)
}

/// A process by its id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TestProcess(pub Pid);

impl TestProcess {
    /// Parses a process id.
    pub fn from_text(number: &str) -> Option<Self> {
        number.trim().parse().ok().and_then(Pid::from_raw).map(Self)
    }

    /// All processes.
    pub fn all() -> Vec<Self> {
        let entries = fs::read_dir("/proc").expect("this is Linux").flatten();
        entries.filter_map(|entry| Self::from_text(entry.file_name().to_str()?)).collect()
    }

    /// Whether it has pending signals.
    pub fn has_pending_signals(self) -> bool {
        let pending = ["SigPnd", "ShdPnd"].map(|name| self.status(name).unwrap_or_default());
        pending.iter().any(|set| set.contains(|digit| digit != '0'))
    }

    /// The letter of its state in `/proc`; `None` if it is gone.
    pub fn state(self) -> Option<char> {
        self.status("State")?.chars().next()
    }

    /// Whether it is gone or a zombie.
    pub fn is_gone(self) -> bool {
        match self.state() {
            None => true,
            // It keeps its files and locks until its last thread is gone.
            Some('Z' | 'X') => self.threads() <= 1,
            Some(_) => false,
        }
    }

    /// Whether its parent has reaped it, too.
    pub fn is_collected(self) -> bool {
        self.state().is_none()
    }

    fn threads(self) -> usize {
        fs::read_dir(format!("/proc/{}/task", self.0)).map_or(0, Iterator::count)
    }

    /// Whether it is stopped.
    pub fn is_stopped(self) -> bool {
        self.state() == Some('T')
    }

    /// Its parent, original or adoptive.
    pub fn parent(self) -> Option<Self> {
        Self::from_text(&self.status("PPid")?)
    }

    /// Its child processes.
    pub fn children(self) -> Vec<Self> {
        Self::all().into_iter().filter(|process| process.parent() == Some(self)).collect()
    }

    /// Whether it was started with this entry in its environment.
    pub fn has_variable(self, entry: &str) -> bool {
        self.file("environ").split(|byte| *byte == 0).any(|one| one == entry.as_bytes())
    }

    /// Whether its command line contains this text.
    pub fn is_called_with(self, word: &str) -> bool {
        String::from_utf8_lossy(&self.file("cmdline")).contains(word)
    }

    /// Whether its working directory is below this directory.
    pub fn works_in(self, directory: &Path) -> bool {
        let place = fs::read_link(format!("/proc/{}/cwd", self.0));
        place.is_ok_and(|place| place.starts_with(directory))
    }

    /// Whether its standard output is a full pipe.
    pub fn cannot_print(self) -> bool {
        is_full(&format!("/proc/{}/fd/1", self.0))
    }

    /// A description for messages.
    pub fn describe(self) -> String {
        let words = String::from_utf8_lossy(&self.file("cmdline")).replace('\0', " ");
        format!("{} ({:?}): {words}", self.0, self.state())
    }

    fn status(self, name: &str) -> Option<String> {
        let status = String::from_utf8_lossy(&self.file("status")).into_owned();
        let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        line.map(|value| value.trim().to_owned())
    }

    /// A file of it in `/proc`; empty if it is gone.
    fn file(self, name: &str) -> Vec<u8> {
        fs::read(format!("/proc/{}/{name}", self.0)).unwrap_or_default()
    }
}
