//! Tests of sweeping leftovers after guard and runner were both killed.

use std::fs;
use std::process::Command;
use std::time::Duration;

use forkhestra_engine::process::{processes_tagged, sweep};
use rustix::process::{Pid, Signal};

use crate::support::{PROGRAM, ProbeRun, TAG, is_gone, kill, new_tag, state, until};

/// Long enough to end everything that can be ended.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Kills both processes of a run so that neither can react to the death of the other.
fn kill_both(probe: &mut ProbeRun) {
    for process in [probe.guard, probe.runner] {
        kill(process, Signal::STOP);
        until("it has stopped", || state(process) == Some('T'));
    }
    kill(probe.runner, Signal::KILL);
    kill(probe.guard, Signal::KILL);
    probe.wait();
}

/// The number of agent processes that are `sleep` by now.
fn sleepers(probe: &ProbeRun) -> usize {
    let name = |pid: Pid| fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
    probe.agents().into_iter().filter(|pid| name(*pid) == "sleep\n").count()
}

#[test]
fn leftovers_are_found_and_ended() {
    let script = "sleep 100 & sh -c 'setsid sleep 100 &' ; echo ready; exec sleep 100";
    let mut probe = ProbeRun::run(script);
    probe.line_with("ready");
    until("all have become what they will be", || sleepers(&probe) == 3);
    kill_both(&mut probe);

    let mut leftovers = probe.agents();
    let mut found = processes_tagged(TAG.as_ref(), probe.tag.as_ref());
    leftovers.sort_by_key(|pid| pid.as_raw_nonzero());
    found.sort_by_key(|pid| pid.as_raw_nonzero());
    assert_eq!(found, leftovers);

    let mut swept = sweep(TAG.as_ref(), probe.tag.as_ref(), TIMEOUT);
    swept.ended.sort_by_key(|pid| pid.as_raw_nonzero());
    assert_eq!((swept.ended, swept.remaining), (leftovers.clone(), vec![]));
    assert!(leftovers.into_iter().all(is_gone));
}

#[test]
fn the_leftovers_of_another_run_stay() {
    let mut probe = ProbeRun::run("echo ready; exec sleep 100");
    probe.line_with("ready");
    let almost = &probe.tag[..probe.tag.len() - 1];
    let swept = sweep(TAG.as_ref(), almost.as_ref(), TIMEOUT);
    assert!(!swept.ended.contains(&probe.agent));
    assert!(!is_gone(probe.agent));
    kill(probe.agent, Signal::KILL);
    probe.wait();
}

#[test]
fn a_sweep_spares_itself_and_its_ancestors() {
    let tag = new_tag();
    let script = r#"sleep 100 & "$0" sweep "$1"; echo "still here""#;
    let mut shell = Command::new("sh");
    shell.args(["-c", script, PROGRAM, &tag]).env(TAG, &tag);
    let output = shell.output().expect("there is a shell");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "swept 1, left 0\nstill here\n");
}

#[test]
fn nothing_to_sweep_is_nothing_to_wait_for() {
    let swept = sweep(TAG.as_ref(), new_tag().as_ref(), TIMEOUT);
    assert_eq!((swept.ended, swept.remaining), (vec![], vec![]));
}
