//! Tests of reaping.

use std::process::Command;

use rustix::process::Signal;

use crate::support::{PROGRAM, ProbeRun, kill, state, until};

#[test]
fn a_stranger_is_collected_and_the_status_of_our_own_child_is_kept() {
    // The agent ends only after the orphan has been reaped: until then `kill -0` succeeds.
    let script = r#"
        stranger=$(sh -c 'sh -c "exit 5" >/dev/null & echo $!')
        while kill -0 "$stranger" 2>/dev/null; do :; done
        exit 7
    "#;
    let mut probe = ProbeRun::run(script);
    assert_eq!(probe.wait().code(), Some(7));
    let ends: Vec<String> = probe.rest().into_iter().filter(|l| l.contains("ended")).collect();
    assert_eq!(ends, [format!("{} ended: exit 7", probe.agent)]);
}

#[test]
fn helpers_of_several_threads_keep_their_status() {
    let output = Command::new(PROGRAM).arg("crowd").output().expect("the probe can be started");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "180 of 180 right\n", "{output:?}");
}

#[test]
fn a_helper_is_not_ended_with_an_agent_and_not_waited_for() {
    let output = Command::new(PROGRAM).arg("helper").output().expect("the probe can be started");
    let message = String::from_utf8_lossy(&output.stdout);
    let lines: Vec<&str> = message.lines().collect();
    let expected = [
        "any but the helper: true, ended: 2",
        "any process: true",
        "the helper: killed by signal 15",
    ];
    assert_eq!(lines, expected, "{output:?}");
}

#[test]
fn children_have_a_status_even_if_we_were_started_to_ignore_them() {
    let mut probe = ProbeRun::run_after("trap '' CHLD", "exit 9");
    assert_eq!(probe.wait().code(), Some(9));
}

#[test]
fn a_stopped_child_has_not_ended() {
    let mut probe = ProbeRun::run("kill -STOP $$; exit 6");
    until("it has stopped", || state(probe.agent) == Some('T'));
    kill(probe.agent, Signal::CONT);
    assert_eq!(probe.wait().code(), Some(6));
}
