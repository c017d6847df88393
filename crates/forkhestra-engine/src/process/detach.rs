//! A process that goes on without whoever started it, and the one that waits until it does.
//!
//! What is to go on in the background is forked off before it has taken or opened anything. Until it
//! has begun, the one in the foreground stays: what stands in the way is said where the user reads
//! it, and is the exit code that the user gets. The two are connected by a pipe, into which the
//! background puts notes and which ends with it.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

use forkhestra_core::event::AgentEnd;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::process::{Pid, Signal as SignalNumber, kill_process, setsid};
use rustix::stdio::{dup2_stderr, dup2_stdin, dup2_stdout};

use super::{system, wait};
use crate::signal::{self, ReceivedSignal, SignalReceiver};

/// Which of the two processes we are.
#[derive(Debug)]
pub enum DetachedSide {
    /// The one that the user waits for.
    Foreground(ForegroundProcess),
    /// The one that goes on.
    Background(BackgroundProcess),
}

/// The background, seen by the one that waits.
#[derive(Debug)]
pub struct ForegroundProcess {
    background: Pid,
    notes: OwnedFd,
    signals: SignalReceiver,
}

/// What was heard of the background.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackgroundReport {
    /// Its notes so far.
    pub notes: Vec<Vec<u8>>,
    /// How it ended; none if it goes on.
    pub end: Option<AgentEnd>,
}

/// The background's connection to whoever waits for it.
#[derive(Debug)]
pub struct BackgroundProcess {
    notes: OwnedFd,
}

/// Becomes two processes, and returns in both at once. The one in the background leads a session of
/// its own, has no terminal, and none of the files that were open but the three standard streams.
///
/// Must be called while there is one thread, nothing in the buffers of standard output, and no file
/// open that this process needs later.
pub fn detach() -> io::Result<DetachedSide> {
    debug_assert!(system::thread_count().is_none_or(|count| count == 1), "forking with threads");
    signal::expect_children()?;
    let (reader, writer) = system::pipe()?;
    signal::block_signals()?;
    // SAFETY: there is only one thread, so the child may do whatever the parent may.
    match Pid::from_raw(unsafe { libc::fork() }) {
        None => {
            drop(reader);
            setsid()?;
            close_all_but(&writer)?;
            signal::unblock_signals()?;
            Ok(DetachedSide::Background(BackgroundProcess { notes: writer }))
        }
        Some(background) if background.as_raw_nonzero().get() > 0 => {
            drop(writer);
            let signals = SignalReceiver::install().inspect_err(|_| give_up(background))?;
            Ok(DetachedSide::Foreground(ForegroundProcess { background, notes: reader, signals }))
        }
        Some(_) => {
            let error = io::Error::last_os_error();
            signal::unblock_signals()?;
            Err(error)
        }
    }
}

/// Nobody could wait for it.
fn give_up(background: Pid) {
    // It is a child that nobody has collected, so it is there.
    let _ = kill_process(background, SignalNumber::KILL);
    wait::wait_until_ended(background);
}

/// Closes what others have left open in us: whoever reads a pipe to its end would wait for us.
fn close_all_but(kept: &OwnedFd) -> io::Result<()> {
    let is_theirs = |file: &i32| *file > libc::STDERR_FILENO && *file != kept.as_raw_fd();
    for file in system::open_files()?.into_iter().filter(is_theirs) {
        // SAFETY: nothing in this process has the file, as `detach` asks for.
        unsafe { libc::close(file) };
    }
    Ok(())
}

impl ForegroundProcess {
    /// Waits until there are so many notes, or until the background has ended.
    ///
    /// Who interrupts us meanwhile does not want it any more. The background is asked to end, and its
    /// end is waited for. A terminal that hangs up changes nothing.
    pub fn wait(mut self, enough: usize) -> io::Result<BackgroundReport> {
        let mut read = Vec::new();
        let mut is_wanted = true;
        loop {
            let has_news = self.wait_for_news()?;
            for signal in self.signals.drain() {
                is_wanted &= self.still_wanted(signal);
            }
            let is_over = has_news && !self.read_more(&mut read)?;
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

    /// Waits for a note, the end or a signal, and says whether it is one of the first two.
    fn wait_for_news(&self) -> io::Result<bool> {
        let mut files =
            [PollFd::new(&self.notes, PollFlags::IN), PollFd::new(&self.signals, PollFlags::IN)];
        match poll(&mut files, None) {
            Ok(_) => Ok(!files[0].revents().is_empty()),
            Err(Errno::INTR) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Does what a signal asks for, and says whether the background may still go on after it.
    fn still_wanted(&self, signal: ReceivedSignal) -> bool {
        let number = match signal {
            ReceivedSignal::Interrupt => SignalNumber::INT,
            ReceivedSignal::Terminate => SignalNumber::TERM,
            ReceivedSignal::Stop => {
                signal::stop_by(libc::SIGSTOP);
                return true;
            }
            ReceivedSignal::Hangup
            | ReceivedSignal::Continue
            | ReceivedSignal::Child
            | ReceivedSignal::WindowChanged => {
                return true;
            }
        };
        // If it is gone, we are about to hear of it.
        let _ = kill_process(self.background, number);
        false
    }

    /// Reads what there is; nothing if the background has ended.
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

    fn collect(&self) -> AgentEnd {
        wait::wait_until_ended(self.background);
        wait::collect(self.background).expect("nobody else collects our child, and it has ended")
    }
}

/// The notes that are complete.
fn complete(read: &[u8]) -> Vec<Vec<u8>> {
    let mut notes: Vec<Vec<u8>> = read.split(|byte| *byte == 0).map(<[u8]>::to_vec).collect();
    notes.pop();
    notes
}

impl BackgroundProcess {
    /// Leaves a note, which has no zero in it.
    pub fn note(&self, text: &[u8]) {
        debug_assert!(!text.contains(&0), "a note ends with a zero");
        // A note is so small that it is written as a whole. If nobody waits any more, because that
        // process was killed, we go on all the same, as was wanted.
        let _ = rustix::io::write(&self.notes, &[text, &[0]].concat());
    }

    /// Lets go of the streams that were inherited: nothing is read any more, and what is printed goes
    /// to this file.
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
