//! Forks a background process, and waits in the foreground until it has started.
//!
//! The fork happens before anything is locked or opened. The foreground process stays until the
//! background process has started: start-up errors appear in the user's terminal, and the user gets
//! their exit code. The two processes are connected by a pipe. The background process writes notes
//! to it, and the pipe ends with the process.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

use forkhestra_core::event::ProcessEnd;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::process::{Pid, Signal as SignalNumber, kill_process, setsid};
use rustix::stdio::{dup2_stderr, dup2_stdin, dup2_stdout};

use super::{system, wait};
use crate::signal::{self, ReceivedSignal, SignalReceiver};

/// Which of the two processes this is.
#[derive(Debug)]
pub enum DetachedSide {
    /// The process that the user waits for.
    Foreground(ForegroundProcess),
    /// The process that goes on.
    Background(BackgroundProcess),
}

/// The foreground process, which waits for the background process.
#[derive(Debug)]
pub struct ForegroundProcess {
    background: Pid,
    notes: OwnedFd,
    signals: SignalReceiver,
}

/// What the foreground process learned about the background process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackgroundReport {
    pub notes: Vec<Vec<u8>>,
    /// How it ended; `None` if it goes on.
    pub end: Option<ProcessEnd>,
}

/// The background process, with its pipe to the foreground process.
#[derive(Debug)]
pub struct BackgroundProcess {
    notes: OwnedFd,
}

/// Forks, and returns in both processes. The background process leads a session of its own, has no
/// terminal, and closes all inherited files except the three standard streams.
///
/// Must be called with a single thread, an empty buffer of standard output, and no open file that
/// this process needs later.
pub fn detach() -> io::Result<DetachedSide> {
    debug_assert!(system::thread_count().is_none_or(|count| count == 1), "forking with threads");
    signal::expect_children()?;
    let (reader, writer) = system::pipe()?;
    signal::block_signals()?;
    match wait::fork() {
        Ok(None) => {
            drop(reader);
            setsid()?;
            close_all_but(&writer)?;
            signal::unblock_signals()?;
            Ok(DetachedSide::Background(BackgroundProcess { notes: writer }))
        }
        Ok(Some(background)) => {
            drop(writer);
            let signals = SignalReceiver::install().inspect_err(|_| kill_and_reap(background))?;
            Ok(DetachedSide::Foreground(ForegroundProcess { background, notes: reader, signals }))
        }
        Err(error) => {
            signal::unblock_signals()?;
            Err(error)
        }
    }
}

/// Kills and reaps a background process that cannot be waited for.
fn kill_and_reap(background: Pid) {
    // It is a child that has not been reaped, so the pid is valid.
    let _ = kill_process(background, SignalNumber::KILL);
    wait::wait_until_ended(background);
}

/// Closes inherited files: a process that reads one of these pipes to its end would wait for the
/// background process.
fn close_all_but(kept: &OwnedFd) -> io::Result<()> {
    let is_theirs = |file: &i32| *file > libc::STDERR_FILENO && *file != kept.as_raw_fd();
    for file in system::open_files()?.into_iter().filter(is_theirs) {
        // SAFETY: nothing in this process uses the file, as `detach` requires.
        unsafe { libc::close(file) };
    }
    Ok(())
}

impl ForegroundProcess {
    /// Waits until there are `enough` notes, or until the background process has ended.
    ///
    /// An interrupt or a termination request meanwhile is forwarded to the background process, and
    /// its end is awaited. A hangup has no effect.
    pub fn wait(mut self, enough: usize) -> io::Result<BackgroundReport> {
        let mut read = Vec::new();
        let mut is_wanted = true;
        loop {
            let has_input = self.wait_for_input()?;
            for signal in self.signals.drain() {
                is_wanted &= self.still_wanted(signal);
            }
            let is_over = has_input && !self.read_more(&mut read)?;
            let notes = complete(&read);
            if is_over {
                let end = Some(self.collect());
                return Ok(BackgroundReport { notes, end });
            }
            if is_wanted && notes.len() >= enough {
                self.signals.uninstall()?;
                return Ok(BackgroundReport { notes, end: None });
            }
        }
    }

    /// Waits for a note, the end or a signal, and returns whether it is one of the first two.
    fn wait_for_input(&self) -> io::Result<bool> {
        let mut files =
            [PollFd::new(&self.notes, PollFlags::IN), PollFd::new(&self.signals, PollFlags::IN)];
        match poll(&mut files, None) {
            Ok(_) => Ok(!files[0].revents().is_empty()),
            Err(Errno::INTR) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Handles a signal, and returns whether the background process may still go on.
    fn still_wanted(&self, signal: ReceivedSignal) -> bool {
        let number = match signal {
            ReceivedSignal::Interrupt => SignalNumber::INT,
            ReceivedSignal::Terminate => SignalNumber::TERM,
            ReceivedSignal::Suspend => {
                signal::stop_self_by(libc::SIGSTOP);
                return true;
            }
            ReceivedSignal::Hangup
            | ReceivedSignal::Continue
            | ReceivedSignal::Child
            | ReceivedSignal::WindowChanged => {
                return true;
            }
        };
        // If it is gone, the pipe reports that.
        let _ = kill_process(self.background, number);
        false
    }

    /// Reads what is available; `false` if the background process has ended.
    fn read_more(&self, into: &mut Vec<u8>) -> io::Result<bool> {
        let mut part = [0; 4096];
        match rustix::io::read(&self.notes, &mut part) {
            Ok(0) => Ok(false),
            Ok(length) => {
                into.extend_from_slice(&part[..length]);
                Ok(true)
            }
            Err(Errno::INTR) => Ok(true),
            Err(error) => Err(error.into()),
        }
    }

    fn collect(&self) -> ProcessEnd {
        wait::wait_until_ended(self.background);
        wait::collect(self.background).expect("only we collect our child, and it has ended")
    }
}

/// The complete notes.
fn complete(read: &[u8]) -> Vec<Vec<u8>> {
    let mut notes: Vec<Vec<u8>> = read.split(|byte| *byte == 0).map(<[u8]>::to_vec).collect();
    notes.pop();
    notes
}

impl BackgroundProcess {
    /// Writes a note, which must not contain a zero byte.
    pub fn note(&self, text: &[u8]) {
        debug_assert!(!text.contains(&0), "a note ends with a zero");
        // A note is small enough to be written atomically. If the foreground process was killed,
        // the background process goes on.
        let _ = rustix::io::write(&self.notes, &[text, &[0]].concat());
    }

    /// Replaces the inherited standard streams: input by `/dev/null`, output and errors by this
    /// file.
    pub fn print_to(&self, file: BorrowedFd<'_>) -> io::Result<()> {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC;
        let nothing = rustix::fs::open("/dev/null", flags, Mode::empty())?;
        dup2_stdin(nothing.as_fd())?;
        dup2_stdout(file)?;
        dup2_stderr(file)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_counts_when_it_is_complete() {
        let none: [Vec<u8>; 0] = [];
        assert_eq!(complete(b""), none);
        assert_eq!(complete(b"12 /pla"), none);
        assert_eq!(complete(b"12 /place\0"), [b"12 /place".to_vec()]);
        assert_eq!(complete(b"12 /place\0\0"), [b"12 /place".to_vec(), Vec::new()]);
    }
}
