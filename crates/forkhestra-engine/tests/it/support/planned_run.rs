//! A whole run of a plan, as a user would have started it.

use std::fs;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::Receiver;

use forkhestra_engine::RUN_TAG;
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use super::probe_run::{BOUND, OwnChild, PROGRAM, lines_of, words};
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

/// A directory with a config whose one agent runs a script, and says then that it is done.
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
    /// An agent that is done at once, and these checks.
    pub(crate) fn checked(checks: &[&str]) -> Self {
        Self::start("plan", project("", &checked(checks)))
    }

    /// The same, as far as it is recorded when its agent is gone and nothing has been checked.
    pub(crate) fn unchecked(checks: &[&str]) -> Self {
        Self::start("unchecked", project("", &checked(checks)))
    }

    /// Any chain of an agent that runs a script before it is done.
    pub(crate) fn chain(agent: &str, chain: &str) -> Self {
        Self::start("plan", project(agent, chain))
    }

    /// Runs what is in a directory.
    pub(crate) fn start(verb: &str, directory: TempDir) -> Self {
        let mut command = Command::new(PROGRAM);
        command.arg(verb).arg(directory.path()).stdout(Stdio::piped());
        let mut child = OwnChild(command.spawn().expect("the probe can be started"));
        let lines = lines_of(child.0.stdout.take().expect("it is a pipe"));
        let first = lines.recv_timeout(BOUND).expect("the run begins");
        let &["runner", runner, "guard", guard] = words(&first).as_slice() else {
            panic!("the run does not begin: {first}");
        };
        let (runner, guard) = (pid(runner), pid(guard));
        let second = lines.recv_timeout(BOUND).expect("the run has a name");
        let run = words(&second)[1].to_owned();
        Self { child, lines, directory, runner, guard, run }
    }

    /// The next line that begins with a text.
    #[track_caller]
    pub(crate) fn line_with(&self, text: &str) -> String {
        loop {
            let line = self.lines.recv_timeout(BOUND).expect("the probe says something more");
            if line.starts_with(text) {
                return line;
            }
        }
    }

    /// Everything that is said until the end, and how that is.
    #[track_caller]
    pub(crate) fn end(&mut self) -> (Vec<String>, ExitStatus) {
        let mut lines = Vec::new();
        while let Ok(line) = self.lines.recv_timeout(BOUND) {
            lines.push(line);
        }
        until("the guard ends", || is_gone(self.guard));
        (lines, self.child.0.wait().expect("it is our child"))
    }

    /// Waits until a file is there, and gives what it holds, line by line.
    #[track_caller]
    pub(crate) fn file(&self, name: &str) -> Vec<String> {
        let path = self.directory.path().join(name);
        until(name, || fs::metadata(&path).is_ok_and(|file| file.len() > 0));
        let text = fs::read_to_string(path).expect("it is text");
        text.lines().map(str::to_owned).collect()
    }

    /// What a file holds, or nothing.
    pub(crate) fn text(&self, name: &str) -> String {
        fs::read_to_string(self.directory.path().join(name)).unwrap_or_default()
    }

    /// Writes a file, or to a pipe that somebody reads.
    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::write(self.directory.path().join(name), text).expect("the directory is ours");
    }

    /// The most memory that the runner has needed so far, in KiB.
    pub(crate) fn peak_memory(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.runner));
        let status = status.expect("the runner is there");
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let number = peak.and_then(|peak| peak.split_whitespace().next()?.parse().ok());
        number.expect("this is Linux")
    }

    /// Processes of the run that are alive.
    pub(crate) fn processes(&self) -> Vec<Pid> {
        tagged(&format!("{RUN_TAG}={}", self.run))
    }
}

/// A loop of one agent with these checks, each one a text or an object.
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

/// A test that failed leaves nothing behind either.
impl Drop for PlannedRun {
    fn drop(&mut self) {
        for pid in [self.guard, self.runner].into_iter().filter(|pid| !is_gone(*pid)) {
            // It may have gone meanwhile.
            let _ = kill_process(pid, Signal::KILL);
        }
        for pid in self.processes() {
            let _ = kill_process(pid, Signal::KILL);
        }
    }
}
