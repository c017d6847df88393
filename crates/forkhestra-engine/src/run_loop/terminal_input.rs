//! The terminal at which the user started a run, for reading what is typed there.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{Mode, OFlags};
use rustix::process::{Pid, getpgrp, getppid, setpgid};
use rustix::termios::{LocalModes, QueueSelector, tcflush, tcgetattr, tcgetpgrp, ttyname};

use crate::process::process_group;

/// The controlling terminal of this process, opened for reading. Its modes are never changed.
///
/// Agents, checks and hooks have sessions without a terminal, so none of them can read it.
#[derive(Debug)]
pub struct TerminalInput {
    terminal: OwnedFd,
}

impl TerminalInput {
    /// Opens the terminal behind a stream; `None` if the stream is no terminal, or not the
    /// controlling terminal of this process.
    pub fn open(stream: BorrowedFd<'_>) -> Option<Self> {
        tcgetpgrp(stream).ok()?;
        // A description of its own: reading does not wait here, and still does in the shell. Some
        // systems cannot wait for input of `/dev/tty`.
        let name = ttyname(stream, Vec::new()).ok();
        let names = [name, Some(c"/dev/tty".to_owned())];
        let flags = OFlags::RDONLY | OFlags::NOCTTY | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let opened = |name| rustix::fs::open(&name, flags, Mode::empty()).ok();
        names.into_iter().flatten().find_map(opened).map(|terminal| Self { terminal })
    }

    /// Whether keys are meant for this run, and not for a shell or another job.
    pub fn is_in_foreground(&self) -> bool {
        tcgetpgrp(&self.terminal).is_ok_and(is_own_group)
    }

    /// Whether the terminal itself shows what is typed.
    pub fn has_echo(&self) -> bool {
        tcgetattr(&self.terminal).is_ok_and(|modes| modes.local_modes.contains(LocalModes::ECHO))
    }

    /// Discards what was typed and not read yet.
    pub fn discard(&self) -> io::Result<()> {
        Ok(tcflush(&self.terminal, QueueSelector::IFlush)?)
    }

    /// Reads what was typed, without waiting. Zero bytes are the end of the input.
    ///
    /// The system refuses to let a group in the background read. So this process is a member of the
    /// group of its guard, which has the terminal, for the time of this call. At all other times a
    /// key such as Ctrl-C reaches the guard only.
    pub fn read(&self, bytes: &mut [u8]) -> io::Result<usize> {
        let guard = getppid().and_then(process_group).filter(|guard| *guard != getpgrp());
        if let Some(guard) = guard {
            setpgid(None, Some(guard))?;
        }
        let read = rustix::io::read(&self.terminal, bytes);
        if guard.is_some() {
            setpgid(None, None)?;
        }
        Ok(read?)
    }
}

impl AsFd for TerminalInput {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.terminal.as_fd()
    }
}

/// Whether a process group is the one that the user started: that of this process, or that of the
/// guard process, which has the terminal while the runner works.
pub fn is_own_group(group: Pid) -> bool {
    group == getpgrp() || getppid().and_then(process_group) == Some(group)
}
