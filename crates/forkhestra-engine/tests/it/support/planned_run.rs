//! Test support: a whole run of a plan in a process of its own.

use std::fs;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::Receiver;

use forkhestra_engine::RUN_TAG;
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use super::probe_run::{OwnChild, PROGRAM, TIMEOUT, lines_of, words};
use super::processes::{is_gone, pid, tagged, until};

/// A run of the chain of a config.
pub(crate) struct PlannedRun {
    child: OwnChild,
    lines: Receiver<String>,
    directory: TempDir,
    pub(crate) runner: Pid,
    pub(crate) guard: Pid,
    run: String,
}

/// A directory with a config whose only agent runs a script and then prints the marker.
pub(crate) fn project(agent: &str, chain: &str) -> TempDir {
    let directory = tempfile::tempdir().expect("there is room");
    let agent = format!("echo work >> agents; {agent}echo FORKHESTRA_COMPLETE");
    let agent = agent.replace('\\', "\\\\").replace('"', "\\\"");
    let config = format!(
        r#"{{
            "agents": {{"worker": {{"command": "sh", "args": ["-c", "{agent}"]}}}},
            "chains": {{"c": {{ {chain} }}}},
        }}"#
    );
    fs::write(directory.path().join("chains.json"), config).expect("the directory is ours");
    directory
}

impl PlannedRun {
    /// A run with an agent that is done at once, and these checks.
    pub(crate) fn checked(checks: &[&str]) -> Self {
        Self::start("plan", project("", &checked(checks)))
    }

    /// A run that resumes after its agent has ended and before anything has been checked.
    pub(crate) fn unchecked(checks: &[&str]) -> Self {
        Self::start("unchecked", project("", &checked(checks)))
    }

    /// A run of any chain, with an agent that runs a script before it is done.
    pub(crate) fn chain(agent: &str, chain: &str) -> Self {
        Self::start("plan", project(agent, chain))
    }

    /// Runs the project in a directory.
    pub(crate) fn start(verb: &str, directory: TempDir) -> Self {
        let mut command = Command::new(PROGRAM);
        command.arg(verb).arg(directory.path()).stdout(Stdio::piped());
        let mut child = OwnChild(command.spawn().expect("the probe can be started"));
        let lines = lines_of(child.0.stdout.take().expect("it is a pipe"));
        let first = lines.recv_timeout(TIMEOUT).expect("the run begins");
        let &["runner", runner, "guard", guard] = words(&first).as_slice() else {
            panic!("the run does not begin: {first}");
        };
        let (runner, guard) = (pid(runner), pid(guard));
        let second = lines.recv_timeout(TIMEOUT).expect("the run has a name");
        let run = words(&second)[1].to_owned();
        Self { child, lines, directory, runner, guard, run }
    }

    /// The next line with a prefix.
    #[track_caller]
    pub(crate) fn line_with(&self, text: &str) -> String {
        loop {
            let line = self.lines.recv_timeout(TIMEOUT).expect("the probe says something more");
            if line.starts_with(text) {
                return line;
            }
        }
    }

    /// All remaining lines, and the exit status.
    #[track_caller]
    pub(crate) fn end(&mut self) -> (Vec<String>, ExitStatus) {
        let mut lines = Vec::new();
        while let Ok(line) = self.lines.recv_timeout(TIMEOUT) {
            lines.push(line);
        }
        until("the guard ends", || is_gone(self.guard));
        (lines, self.child.0.wait().expect("it is our child"))
    }

    /// Waits until a file is not empty, and returns its lines.
    #[track_caller]
    pub(crate) fn file(&self, name: &str) -> Vec<String> {
        let path = self.directory.path().join(name);
        until(name, || fs::metadata(&path).is_ok_and(|file| file.len() > 0));
        let text = fs::read_to_string(path).expect("it is text");
        text.lines().map(str::to_owned).collect()
    }

    /// The directory of the project.
    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    /// The content of a file, or an empty text.
    pub(crate) fn text(&self, name: &str) -> String {
        fs::read_to_string(self.directory.path().join(name)).unwrap_or_default()
    }

    /// Writes to a file, or to a named pipe that has a reader.
    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::write(self.directory.path().join(name), text).expect("the directory is ours");
    }

    /// The peak memory of the runner so far, in KiB.
    pub(crate) fn peak_memory(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.runner));
        let status = status.expect("the runner is there");
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let number = peak.and_then(|peak| peak.split_whitespace().next()?.parse().ok());
        number.expect("this is Linux")
    }

    /// The living processes of the run.
    pub(crate) fn processes(&self) -> Vec<Pid> {
        tagged(&format!("{RUN_TAG}={}", self.run))
    }
}

/// A loop of one agent with these checks, each a command or a JSON object.
fn checked(checks: &[&str]) -> String {
    let checks: Vec<String> = checks
        .iter()
        .map(|check| match check.starts_with('{') {
            true => (*check).to_owned(),
            false => format!("{{\"name\": \"{check}\", \"check\": \"command:{check}\"}}"),
        })
        .collect();
    let checks = checks.join(", ");
    format!(r#""steps": [{{"agent": "worker", "iterations": 1, "checks": [{checks}]}}]"#)
}

/// A failed test leaves no processes.
impl Drop for PlannedRun {
    fn drop(&mut self) {
        for pid in [self.guard, self.runner].into_iter().filter(|pid| !is_gone(*pid)) {
            // It may have ended meanwhile.
            let _ = kill_process(pid, Signal::KILL);
        }
        for pid in self.processes() {
            let _ = kill_process(pid, Signal::KILL);
        }
    }
}
