//! A run that a test observes.

use std::io::PipeReader;
use std::os::fd::OwnedFd;
use std::process::{Child, Command};

use rustix::process::{Pid, Signal};
use testkit::{CommandOutput, TestProcess, eventually, is_pipe_full, kill};

use super::captured_stream::CapturedStream;
use super::process_project::ProcessProject;

/// A started program. Its process is the guard of the run.
pub(crate) struct GuardedRun<'w> {
    _world: &'w ProcessProject,
    child: Child,
    pub(crate) stdout: Option<CapturedStream>,
    pub(crate) stderr: Option<CapturedStream>,
}

impl<'w> GuardedRun<'w> {
    /// Starts a command, and reads those of its streams that are pipes.
    pub(crate) fn start(project: &'w ProcessProject, mut command: Command) -> Self {
        let mut child = command.spawn().expect("the program can be started");
        let stdout = child.stdout.take().map(CapturedStream::reading);
        let stderr = child.stderr.take().map(CapturedStream::reading);
        Self { _world: project, child, stdout, stderr }
    }

    /// The same with a given reader of its output.
    pub(crate) fn start_watched(
        project: &'w ProcessProject,
        command: Command,
        output: OwnedFd,
    ) -> Self {
        let mut run = Self::start(project, command);
        run.stdout = Some(CapturedStream::reading(output));
        run
    }

    pub(crate) fn guard(&self) -> TestProcess {
        TestProcess(Pid::from_child(&self.child))
    }

    /// The process that runs the agents.
    #[track_caller]
    pub(crate) fn runner(&self) -> TestProcess {
        eventually("the guard has a runner", || self.guard().children().first().copied())
    }

    /// The runner, or the guard if the runner has ended.
    pub(crate) fn runner_or_guard(&self) -> TestProcess {
        self.guard().children().first().copied().unwrap_or_else(|| self.guard())
    }

    pub(crate) fn output(&self) -> &CapturedStream {
        self.stdout.as_ref().expect("its output is read")
    }

    /// A process that an agent names: `NAME PID` on a line of its own.
    #[track_caller]
    pub(crate) fn process(&self, name: &str) -> TestProcess {
        let word = self.output().word_after(&format!("{name} "));
        TestProcess::from_text(&word).unwrap_or_else(|| panic!("no process: {word}"))
    }

    /// The agent, which prints `agent PID`.
    #[track_caller]
    pub(crate) fn agent(&self) -> TestProcess {
        self.process("agent")
    }

    #[track_caller]
    pub(crate) fn signal(&self, signal: Signal) {
        kill(self.guard(), signal);
    }

    /// Waits until the pipe for its output is full.
    #[track_caller]
    pub(crate) fn wait_until_pipe_is_full(&self, reader: &PipeReader) {
        eventually("the pipe is full", || is_pipe_full(reader).then_some(()));
    }

    /// Waits until its agent cannot print any more, since its output cannot be forwarded.
    #[track_caller]
    pub(crate) fn wait_until_stuck(&self, reader: &PipeReader) {
        eventually("all processes are blocked", || {
            let agents = self.runner().children();
            let is_stuck = |process: &TestProcess| process.cannot_print();
            (is_pipe_full(reader) && !agents.is_empty() && agents.iter().all(is_stuck))
                .then_some(())
        });
    }

    /// Waits for its end, and returns its exit code; none if a signal ended it.
    #[track_caller]
    pub(crate) fn wait(&mut self) -> Option<i32> {
        eventually("the program ends", || self.guard().is_gone().then_some(()));
        self.child.wait().expect("it is our child").code()
    }

    /// Waits for its end, and returns its output and exit code.
    #[track_caller]
    pub(crate) fn ended(mut self) -> CommandOutput {
        let code = self.wait();
        let rest = |screen: Option<CapturedStream>| screen.map(|mut screen| screen.rest());
        let (stdout, stderr) = (rest(self.stdout.take()), rest(self.stderr.take()));
        CommandOutput {
            stdout: stdout.unwrap_or_default(),
            stderr: stderr.unwrap_or_default(),
            code,
        }
    }
}

/// A failed test leaves no process. The leftover check of the project covers its descendants.
impl Drop for GuardedRun<'_> {
    fn drop(&mut self) {
        // The process may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
