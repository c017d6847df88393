//! Runs one process to its end, with everything below it.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::time::{Duration, Instant};

use forkhestra_core::event::{CancelCause, ProcessEnd};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_setfl};
use rustix::io::Errno;

use crate::aux_job::aux_job_command::{AuxJobProcess, spawn_command};
use crate::aux_job::aux_job_tails::MAX_TAIL_BYTES;
use crate::output::OutputTail;
use crate::process::{
    ChildProcesses, GuardLink, Pid, SignalNumber, SpawnError, SpawnedProcess, end_all_descendants,
    signal_all_descendants,
};
use crate::signal::{ReceivedSignal, SignalReceiver, suspend_self};

/// Upper bound for ending all processes of a test.
const END_TIMEOUT: Duration = Duration::from_secs(10);

/// The size of one read.
const CHUNK_BYTES: usize = 64 * 1024;

/// The connections of a loop that waits for a process.
pub(super) struct TrialLoop<'a> {
    pub(super) children: &'a ChildProcesses,
    pub(super) signals: &'a mut SignalReceiver,
    pub(super) guard: Option<&'a GuardLink>,
}

/// How a process of a test ended.
#[derive(Debug)]
pub(super) enum TrialProcessEnd {
    Ended(ProcessEnd),
    TimedOut,
    /// The search is to end.
    Cancelled(CancelCause),
}

/// A process that has ended, with the tails of its output.
#[derive(Debug)]
pub(super) struct FinishedTrialProcess {
    pub(super) end: TrialProcessEnd,
    pub(super) stdout: String,
    pub(super) stderr: String,
}

impl TrialLoop<'_> {
    /// Runs a process to its end. Afterwards no process is left.
    pub(super) fn run(
        &mut self,
        process: &AuxJobProcess,
        timeout: Option<Duration>,
    ) -> io::Result<FinishedTrialProcess> {
        let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        let spawned = match self.start(process) {
            Ok(spawned) => spawned,
            Err(error) => {
                let (reason, transient) = (error.to_string(), error.is_transient());
                let end = TrialProcessEnd::Ended(ProcessEnd::NotStarted { reason, transient });
                return Ok(FinishedTrialProcess {
                    end,
                    stdout: String::new(),
                    stderr: String::new(),
                });
            }
        };
        let SpawnedProcess { pid, stdout, stderr, .. } = spawned;
        // Our own writing ends are closed here, so that the pipes end with the last process.
        let mut outputs = [stdout, stderr].map(|pipe| TrialOutput::new(pipe.reader));
        let end = self.wait(pid, &mut outputs, deadline);
        let ended = end_all_descendants(self.children, &[], END_TIMEOUT);
        if !ended.remaining.is_empty() {
            let pids: Vec<String> = ended.remaining.iter().map(ToString::to_string).collect();
            let message = format!("processes that cannot be ended are left: {}", pids.join(", "));
            return Err(io::Error::other(message));
        }
        outputs.iter_mut().try_for_each(TrialOutput::read_rest)?;
        let end = match end? {
            TrialProcessEnd::Ended(end) => {
                let sandbox = process.sandbox.as_ref();
                let end = sandbox.map_or_else(|| end.clone(), |it| it.end_of_program(end.clone()));
                TrialProcessEnd::Ended(end)
            }
            other => other,
        };
        let [stdout, stderr] = outputs.map(|output| output.tail.lines());
        Ok(FinishedTrialProcess { end, stdout, stderr })
    }

    /// Why the search is to end, if a signal or the end of the guard requests it.
    pub(super) fn cancelled(&mut self) -> io::Result<Option<CancelCause>> {
        for signal in self.signals.drain() {
            match signal {
                ReceivedSignal::Interrupt => return Ok(Some(CancelCause::Interrupt)),
                ReceivedSignal::Terminate => return Ok(Some(CancelCause::Terminate)),
                ReceivedSignal::Hangup => return Ok(Some(CancelCause::Hangup)),
                ReceivedSignal::Suspend => {
                    signal_all_descendants(SignalNumber::STOP);
                    suspend_self();
                    signal_all_descendants(SignalNumber::CONT);
                }
                ReceivedSignal::Continue => {
                    signal_all_descendants(SignalNumber::CONT);
                }
                ReceivedSignal::Child | ReceivedSignal::WindowChanged => {}
            }
        }
        let Some(guard) = self.guard else { return Ok(None) };
        let mut files = [PollFd::new(guard, PollFlags::IN)];
        let is_lost = wait_for(&mut files, Some(Duration::ZERO))? && !files[0].revents().is_empty();
        Ok(is_lost.then_some(CancelCause::GuardLost))
    }

    fn start(&self, process: &AuxJobProcess) -> Result<SpawnedProcess, SpawnError> {
        let command = spawn_command(process, None);
        match &process.sandbox {
            Some(sandbox) => sandbox.start(self.children, &command),
            None => self.children.start(&command),
        }
    }

    fn wait(
        &mut self,
        pid: Pid,
        outputs: &mut [TrialOutput; 2],
        deadline: Option<Instant>,
    ) -> io::Result<TrialProcessEnd> {
        loop {
            if let Some(by) = self.cancelled()? {
                return Ok(TrialProcessEnd::Cancelled(by));
            }
            let ended = self.children.reap();
            if let Some((_, end)) = ended.into_iter().find(|(ended, _)| *ended == pid) {
                return Ok(TrialProcessEnd::Ended(end));
            }
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            if left.is_some_and(|left| left.is_zero()) {
                return Ok(TrialProcessEnd::TimedOut);
            }
            self.wait_for_input(outputs, left)?;
        }
    }

    /// Waits for a signal, the end of the guard or output, and reads the output.
    fn wait_for_input(
        &self,
        outputs: &mut [TrialOutput; 2],
        left: Option<Duration>,
    ) -> io::Result<()> {
        let open: Vec<usize> = (0..2).filter(|index| outputs[*index].is_open).collect();
        let ready: Vec<usize> = {
            let mut files: Vec<PollFd<'_>> = open
                .iter()
                .map(|index| PollFd::new(&outputs[*index].pipe, PollFlags::IN))
                .collect();
            files.push(PollFd::from_borrowed_fd(self.signals.as_fd(), PollFlags::IN));
            files.extend(self.guard.map(|guard| PollFd::new(guard, PollFlags::IN)));
            wait_for(&mut files, left)?;
            let is_ready = |(_, file): &(&usize, &PollFd<'_>)| !file.revents().is_empty();
            open.iter().zip(&files).filter(is_ready).map(|(index, _)| *index).collect()
        };
        ready.into_iter().try_for_each(|index| outputs[index].read())
    }
}

/// Polls. `false` if the time is over or a signal arrived first.
fn wait_for(files: &mut [PollFd<'_>], left: Option<Duration>) -> io::Result<bool> {
    // A timeout that does not fit into a `Timespec` means no timeout.
    let left = left.and_then(|left| Timespec::try_from(left).ok());
    match poll(files, left.as_ref()) {
        Ok(ready) => Ok(ready > 0),
        Err(Errno::INTR) => Ok(false),
        Err(errno) => Err(errno.into()),
    }
}

/// One output stream of a process.
struct TrialOutput {
    pipe: OwnedFd,
    tail: OutputTail,
    is_open: bool,
}

impl TrialOutput {
    const fn new(pipe: OwnedFd) -> Self {
        Self { pipe, tail: OutputTail::new(MAX_TAIL_BYTES), is_open: true }
    }

    /// Reads what is there. A process that does not belong to the test may hold the pipe open for
    /// ever.
    fn read_rest(&mut self) -> io::Result<()> {
        fcntl_setfl(&self.pipe, OFlags::NONBLOCK)?;
        while self.is_open {
            match self.read() {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                read => read?,
            }
        }
        Ok(())
    }

    fn read(&mut self) -> io::Result<()> {
        let mut piece = vec![0; CHUNK_BYTES];
        match rustix::io::read(&self.pipe, &mut piece) {
            Err(Errno::INTR) => {}
            Err(errno) => return Err(errno.into()),
            Ok(0) => self.is_open = false,
            Ok(read) => self.tail.keep(&piece[..read]),
        }
        Ok(())
    }
}
