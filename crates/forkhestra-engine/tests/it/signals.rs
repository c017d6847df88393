//! Tests of signals to the guard and their forwarding to the runner.

use forkhestra_engine::process::process_group;
use rustix::process::{Pid, Signal};

use crate::support::{ProbeRun, kill};

#[test]
fn requests_to_end_are_handed_on_to_the_runner() {
    let mut probe = ProbeRun::run("echo ready; exec sleep 100");
    probe.line_with("ready");
    let table = [
        (Signal::INT, "got Interrupt"),
        (Signal::TERM, "got Terminate"),
        (Signal::HUP, "got Hangup"),
        (Signal::WINCH, "got WindowChanged"),
        (Signal::INT, "got Interrupt"),
    ];
    for (signal, expected) in table {
        kill(probe.guard, signal);
        assert_eq!(probe.line(), expected);
    }
    kill(probe.agent, Signal::TERM);
    assert_eq!(probe.wait().code(), Some(143));
}

#[test]
fn a_request_to_both_processes_is_one() {
    let mut probe = ProbeRun::run("echo ready; exec sleep 100");
    probe.line_with("ready");
    let table = [
        (Signal::INT, "got Interrupt"),
        (Signal::TERM, "got Terminate"),
        (Signal::HUP, "got Hangup"),
    ];
    for (signal, expected) in table {
        for [first, second] in [[probe.guard, probe.runner], [probe.runner, probe.guard]] {
            kill(first, signal);
            assert_eq!(probe.line(), expected);
            kill(second, signal);
            // An effect of the second signal would precede this one.
            kill(probe.guard, Signal::WINCH);
            assert_eq!(probe.line(), "got WindowChanged");
        }
    }
    kill(probe.agent, Signal::TERM);
    assert_eq!(probe.wait().code(), Some(143));
}

#[test]
fn a_signal_ignored_at_the_start_is_ignored_by_all() {
    let mut probe = ProbeRun::run_after("trap '' HUP INT", "echo ready; exec sleep 100");
    probe.line_with("ready");
    for process in [probe.guard, probe.runner, probe.agent] {
        kill(process, Signal::HUP);
        kill(process, Signal::INT);
    }
    kill(probe.guard, Signal::TERM);
    assert_eq!(probe.line(), "got Terminate");
    kill(probe.agent, Signal::TERM);
    assert_eq!(probe.wait().code(), Some(143));
}

#[test]
fn the_runner_has_a_process_group_of_its_own() {
    let probe = ProbeRun::run("echo ready; exec sleep 100");
    let group = |pid| rustix::process::getpgid(Some(pid)).expect("it is there");
    assert_eq!(group(probe.runner), probe.runner);
    assert_ne!(group(probe.guard), probe.runner);
}

/// The group of the first process may be outside of its PID namespace; its number is then 0.
#[test]
fn a_process_group_without_a_number_is_none() {
    let stat = std::fs::read_to_string("/proc/1/stat").expect("there is a first process");
    let after_name = stat.rsplit(')').next().expect("its name is in brackets");
    let group: i32 =
        after_name.split_whitespace().nth(2).expect("it has a group").parse().expect("a number");
    let known = process_group(Pid::INIT).map(|group| group.as_raw_nonzero().get());
    assert_eq!(known.unwrap_or(0), group);
}
