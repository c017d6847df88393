//! Test support: a minimal run in a process of its own.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use super::processes::{is_gone, pid, tagged, until};

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_process-probe");

/// The variable that tags agents.
pub(crate) const TAG: &str = "FORKHESTRA_PROBE";

/// Upper bound for any wait on the slowest machine.
pub(super) const TIMEOUT: Duration = Duration::from_secs(30);

/// A run with known guard and runner. Its agent is a script.
pub(crate) struct ProbeRun {
    child: OwnChild,
    lines: Receiver<String>,
    /// The value of `TAG` in the environment of agents.
    pub(crate) tag: String,
    pub(crate) runner: Pid,
    pub(crate) guard: Pid,
    pub(crate) agent: Pid,
    /// Lines printed before the run began.
    pub(crate) before: Vec<String>,
}

impl ProbeRun {
    pub(crate) fn run(script: &str) -> Self {
        Self::run_by(Command::new(PROGRAM), script)
    }

    /// Runs commands in a shell before it executes the probe.
    pub(crate) fn run_after(commands: &str, script: &str) -> Self {
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("{commands}; exec \"$@\""), "sh", PROGRAM]);
        Self::run_by(shell, script)
    }

    /// Runs below a process that inherits the run when the guard dies.
    pub(crate) fn run_under_a_reaper(script: &str) -> Self {
        let mut reaper = Command::new(PROGRAM);
        reaper.args(["reaper", PROGRAM]);
        Self::run_by(reaper, script)
    }

    /// Starts a command that executes the probe.
    pub(crate) fn run_by(mut command: Command, script: &str) -> Self {
        let tag = new_tag();
        command.args(["run", &tag, script]).stdout(Stdio::piped());
        let mut child = command.spawn().expect("the probe can be started");
        let lines = lines_of(child.stdout.take().expect("it is a pipe"));
        Self::meet(OwnChild(child), lines, tag)
    }

    /// Attaches to a started probe whose output is read from elsewhere.
    pub(crate) fn started(child: Child, output: impl Read + Send + 'static, tag: String) -> Self {
        Self::meet(OwnChild(child), lines_of(output), tag)
    }

    fn meet(child: OwnChild, lines: Receiver<String>, tag: String) -> Self {
        let mut before = Vec::new();
        let (runner, guard) = loop {
            let line = lines.recv_timeout(TIMEOUT).expect("the run begins");
            if let ["runner", runner, "guard", guard] = words(&line).as_slice() {
                break (pid(runner), pid(guard));
            }
            before.push(line);
        };
        let mut probe = Self { child, lines, tag, runner, guard, agent: runner, before };
        probe.agent = probe.number_after("agent ");
        probe
    }

    /// The next line.
    #[track_caller]
    pub(crate) fn line(&self) -> String {
        self.lines.recv_timeout(TIMEOUT).expect("the probe says something more")
    }

    /// The next line with a prefix, which is included.
    #[track_caller]
    pub(crate) fn line_with(&self, text: &str) -> String {
        loop {
            let line = self.line();
            if line.starts_with(text) {
                return line;
            }
        }
    }

    /// The pid that follows a text in a line.
    #[track_caller]
    pub(crate) fn number_after(&self, text: &str) -> Pid {
        pid(self.line_with(text).trim_start_matches(text))
    }

    /// Waits until the guard has ended.
    #[track_caller]
    pub(crate) fn wait(&mut self) -> ExitStatus {
        until("the guard ends", || is_gone(self.guard));
        self.child.0.wait().expect("it is our child")
    }

    /// The living processes of the run's agent.
    pub(crate) fn agents(&self) -> Vec<Pid> {
        tagged(&format!("{TAG}={}", self.tag))
    }

    /// All remaining lines of the probe.
    pub(crate) fn rest(&mut self) -> Vec<String> {
        let mut lines = Vec::new();
        while let Ok(line) = self.lines.recv_timeout(TIMEOUT) {
            lines.push(line);
        }
        lines
    }
}

/// A child that is killed with the test, even if the run never began.
pub(super) struct OwnChild(pub(super) Child);

impl Drop for OwnChild {
    fn drop(&mut self) {
        // It may have ended already.
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// A failed test leaves no processes, whatever is broken.
impl Drop for ProbeRun {
    fn drop(&mut self) {
        // A working runner ends everything by itself when the guard is gone.
        [self.guard].into_iter().filter(|pid| is_probe(*pid)).for_each(end);
        let wait_no_longer = Instant::now() + Duration::from_secs(3);
        while is_probe(self.runner) {
            if Instant::now() > wait_no_longer {
                end(self.runner);
            }
        }
        let deadline = Instant::now() + TIMEOUT;
        while Instant::now() < deadline {
            let agents = self.agents();
            if agents.is_empty() {
                return;
            }
            agents.into_iter().for_each(end);
        }
    }
}

fn end(pid: Pid) {
    // It may be gone by now.
    let _ = kill_process(pid, Signal::KILL);
}

/// Whether the pid still belongs to a probe.
fn is_probe(pid: Pid) -> bool {
    fs::read_link(format!("/proc/{pid}/exe")).is_ok_and(|program| program == Path::new(PROGRAM))
}

pub(super) fn words(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}

/// A unique value of the tag.
pub(crate) fn new_tag() -> String {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    format!("{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

/// Reads lines in a thread, so that waiting for a line can have a timeout.
pub(super) fn lines_of(output: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            if sender.send(line.trim_end().to_owned()).is_err() {
                return;
            }
        }
    });
    receiver
}
