//! Tests of stopping and continuing.

use std::fs;
use std::process::Command;

use rustix::process::{Pid, Signal};

use crate::support::{PROGRAM, ProbeRun, kill, state, until};

/// An agent that ends when a test writes to its pipe.
struct PipeAgent {
    probe: ProbeRun,
    place: tempfile::TempDir,
}

impl PipeAgent {
    fn start() -> Self {
        let directory = tempfile::tempdir().expect("there is room");
        let fifo = directory.path().join("fifo");
        let mut command = Command::new(PROGRAM);
        command.env("FIFO", &fifo);
        let script = r#"mkfifo "$FIFO"; echo ready; : < "$FIFO"; exit 4"#;
        let probe = ProbeRun::run_by(command, script);
        probe.line_with("ready");
        Self { probe, place: directory }
    }

    fn all_processes(&self) -> [Pid; 3] {
        [self.probe.guard, self.probe.runner, self.probe.agent]
    }

    fn until_all_stopped(&self) {
        let stopped = |pid: Pid| state(pid) == Some('T');
        until("all have stopped", || self.all_processes().into_iter().all(stopped));
    }

    fn finish(mut self) {
        fs::write(self.place.path().join("fifo"), "").expect("the agent reads it");
        assert_eq!(self.probe.wait().code(), Some(4));
    }
}

#[test]
fn a_stop_reaches_the_agent_and_the_guard_stops_last() {
    let run = PipeAgent::start();
    kill(run.probe.guard, Signal::TSTP);
    run.probe.line_with("pausing");
    run.until_all_stopped();
    kill(run.probe.guard, Signal::CONT);
    run.probe.line_with("going on");
    until("all go on", || run.all_processes().into_iter().all(|pid| state(pid) != Some('T')));
    run.finish();
}

#[test]
fn a_stop_of_the_runner_stops_the_guard_as_well() {
    let run = PipeAgent::start();
    kill(run.probe.runner, Signal::TSTP);
    run.until_all_stopped();
    kill(run.probe.guard, Signal::CONT);
    run.probe.line_with("going on");
    run.finish();
}

/// Tools that slow programs down do this.
#[test]
fn a_runner_that_is_stopped_by_force_and_continued_does_not_leave_the_guard_behind() {
    let run = PipeAgent::start();
    for _ in 0..20 {
        kill(run.probe.runner, Signal::STOP);
        until("it has stopped", || state(run.probe.runner) == Some('T'));
        // When the guard waits again, it has reacted.
        until("the guard waits", || state(run.probe.guard) == Some('S'));
        kill(run.probe.runner, Signal::CONT);
    }
    run.finish();
}

#[test]
fn a_runner_that_goes_on_after_a_stop_takes_the_guard_along() {
    let run = PipeAgent::start();
    for stopped in [run.probe.guard, run.probe.runner] {
        kill(stopped, Signal::TSTP);
        run.until_all_stopped();
        kill(run.probe.runner, Signal::CONT);
        run.probe.line_with("going on");
        until("all go on", || run.all_processes().into_iter().all(|pid| state(pid) != Some('T')));
    }
    run.finish();
}

/// `pkill` does this.
#[test]
fn a_stop_of_both_is_one() {
    let run = PipeAgent::start();
    for _ in 0..20 {
        kill(run.probe.runner, Signal::TSTP);
        kill(run.probe.guard, Signal::TSTP);
        run.until_all_stopped();
        kill(run.probe.guard, Signal::CONT);
        run.probe.line_with("going on");
        kill(run.probe.guard, Signal::INT);
        assert_eq!(run.probe.line_with("got Int"), "got Interrupt");
    }
    run.finish();
}

#[test]
fn a_run_can_be_stopped_again_and_again() {
    let run = PipeAgent::start();
    for _ in 0..20 {
        kill(run.probe.guard, Signal::TSTP);
        run.probe.line_with("pausing");
        run.until_all_stopped();
        kill(run.probe.guard, Signal::CONT);
        run.probe.line_with("going on");
    }
    run.finish();
}

#[test]
fn a_request_to_end_comes_through_when_a_stopped_run_goes_on() {
    let run = PipeAgent::start();
    kill(run.probe.guard, Signal::TSTP);
    run.until_all_stopped();
    kill(run.probe.guard, Signal::TERM);
    kill(run.probe.guard, Signal::CONT);
    run.probe.line_with("got Terminate");
    run.finish();
}
