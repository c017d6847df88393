//! The keeper itself: a small process with one thread.

use std::ffi::OsString;
use std::io;
use std::os::fd::{FromRawFd, OwnedFd};
use std::time::Duration;

use libc::c_int;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{Mode, OFlags};
use rustix::io::{Errno, FdFlags, fcntl_setfd};
use rustix::net::{SendFlags, send};
use rustix::process::{Pid, Signal, kill_process};
use rustix::stdio::{dup2_stderr, dup2_stdin, dup2_stdout};

use super::keeper_report::{KEEPER_LINK, KeeperReport};
use crate::process::child_processes::ChildProcesses;
use crate::process::spawn::spawn_inherited::spawn_inherited;
use crate::process::{system, tree};
use crate::signal::{self, ReceivedSignal, SignalReceiver};

/// How long processes that cannot be killed are waited for after the end of the runner.
const END_TIMEOUT: Duration = Duration::from_secs(60);

/// Signals that would end the keeper and that it cannot pass on with their meaning.
const IGNORED: [c_int; 4] = [libc::SIGQUIT, libc::SIGUSR1, libc::SIGUSR2, libc::SIGALRM];

/// Keeps a program, the words of which are given, and everything that it starts. Returns when nothing
/// is left of them.
///
/// Must be called with a single thread and an empty buffer of standard output.
pub fn keep(words: &[OsString]) -> io::Result<()> {
    let link = take_link()?;
    system::become_subreaper()?;
    let children = ChildProcesses::default();
    // Before the start, so that the end of a short program is not missed.
    let signals = SignalReceiver::install()?;
    let program = match spawn_inherited(words) {
        Ok(program) => program,
        Err(errno) => {
            // Without a runner nobody needs to know.
            let _ = report(&link, &KeeperReport::NotStarted(errno));
            return Ok(());
        }
    };
    children.adopt(program);
    let mut keeper = Keeper { link, children, signals, program: Some(program) };
    // A runner that is gone has closed the link, which the loop notices.
    let _ = report(&keeper.link, &KeeperReport::Started(program));
    release_streams()?;
    for number in IGNORED {
        signal::ignore(number)?;
    }
    keeper.run()
}

/// The connection to the runner. Programs do not inherit it.
fn take_link() -> io::Result<OwnedFd> {
    // SAFETY: the call has no preconditions.
    if unsafe { libc::fcntl(KEEPER_LINK, libc::F_GETFD) } < 0 {
        return Err(io::Error::other("only a run starts this command"));
    }
    // SAFETY: the file is open, and nothing else in this process uses it.
    let link = unsafe { OwnedFd::from_raw_fd(KEEPER_LINK) };
    fcntl_setfd(&link, FdFlags::CLOEXEC)?;
    Ok(link)
}

/// Closes the streams of the program, which would not end with it otherwise.
fn release_streams() -> io::Result<()> {
    let nothing = rustix::fs::open("/dev/null", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty())?;
    dup2_stdin(&nothing)?;
    dup2_stdout(&nothing)?;
    dup2_stderr(&nothing)?;
    Ok(())
}

fn report(link: &OwnedFd, report: &KeeperReport) -> Result<(), Errno> {
    send(link, &report.encode(), SendFlags::NOSIGNAL).map(|_| ())
}

/// The state of a keeper.
struct Keeper {
    link: OwnedFd,
    children: ChildProcesses,
    signals: SignalReceiver,
    /// The program, until it has ended.
    program: Option<Pid>,
}

impl Keeper {
    /// Waits until nothing is left below, or until the runner is gone.
    fn run(&mut self) -> io::Result<()> {
        loop {
            if self.is_runner_gone()? {
                tree::end_all_descendants(&self.children, &[], END_TIMEOUT);
                return Ok(());
            }
            for signal in self.signals.drain() {
                self.forward(signal);
            }
            self.reap();
            if !self.children.has_any_process() {
                return Ok(());
            }
        }
    }

    /// Waits for a signal. The runner sends nothing, so its end of the link becomes readable only when
    /// it is closed.
    fn is_runner_gone(&self) -> io::Result<bool> {
        let mut files =
            [PollFd::new(&self.link, PollFlags::IN), PollFd::new(&self.signals, PollFlags::IN)];
        match poll(&mut files, None) {
            Ok(_) => Ok(!files[0].revents().is_empty()),
            Err(Errno::INTR) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Reaps processes, and reports the end of the program.
    fn reap(&mut self) {
        for (pid, end) in self.children.reap() {
            if self.program == Some(pid)
                && let Some(end) = KeeperReport::of_end(&end)
            {
                self.program = None;
                // A runner that is gone is noticed at the next wait.
                let _ = report(&self.link, &end);
            }
        }
    }

    /// Passes a signal on to the program. The runner signals all processes below by itself; this is
    /// for others, who take the keeper for the program.
    fn forward(&self, signal: ReceivedSignal) {
        let number = match signal {
            ReceivedSignal::Interrupt => Signal::INT,
            ReceivedSignal::Terminate => Signal::TERM,
            ReceivedSignal::Hangup => Signal::HUP,
            ReceivedSignal::Suspend => Signal::TSTP,
            ReceivedSignal::Continue => Signal::CONT,
            ReceivedSignal::Child | ReceivedSignal::WindowChanged => return,
        };
        if let Some(program) = self.program {
            // It has not been reaped, so the pid is valid.
            let _ = kill_process(program, number);
        }
    }
}
