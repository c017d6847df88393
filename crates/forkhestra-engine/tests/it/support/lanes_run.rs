//! Test support: a minimal run of several agents, each below a keeper.

use std::io::Write;
use std::process::{Command, Stdio};

use rustix::process::Pid;

use super::probe_run::{PROGRAM, ProbeRun, new_tag, words};
use super::processes::pid;

/// A run with one agent in each lane. Each agent is a script.
pub(crate) struct LanesRun {
    pub(crate) probe: ProbeRun,
    pub(crate) agents: Vec<Pid>,
    pub(crate) keepers: Vec<Pid>,
    commands: std::process::ChildStdin,
}

impl LanesRun {
    pub(crate) fn run(scripts: &[&str]) -> Self {
        let tag = new_tag();
        let mut command = Command::new(PROGRAM);
        command.args(["lanes", &tag]).args(scripts).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("the probe can be started");
        let commands = child.stdin.take().expect("it is a pipe");
        let output = child.stdout.take().expect("it is a pipe");
        let probe = ProbeRun::started(child, output, tag);
        let (mut agents, mut keepers) = (Vec::new(), Vec::new());
        for _ in scripts {
            let line = probe.line_with("lane ");
            let &[_, _, "agent", agent, "keeper", keeper] = words(&line).as_slice() else {
                panic!("the lane does not begin: {line}");
            };
            agents.push(pid(agent));
            keepers.push(pid(keeper));
        }
        Self { probe, agents, keepers, commands }
    }

    /// Sends a command, and returns the answer.
    #[track_caller]
    pub(crate) fn command(&mut self, command: &str, answer: &str) -> String {
        writeln!(self.commands, "{command}").expect("the runner reads");
        self.probe.line_with(answer)
    }

    /// Waits for a line of each of these, in any order.
    #[track_caller]
    pub(crate) fn lines(&self, lines: &[&str]) {
        let mut left = lines.to_vec();
        while !left.is_empty() {
            let line = self.probe.line();
            left.retain(|expected| *expected != line);
        }
    }
}
