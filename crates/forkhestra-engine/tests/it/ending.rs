//! Tests that no process survives a run, however it ends.

use rustix::process::Signal;

use crate::support::{ProbeRun, is_gone, kill, pid, state, until};

/// Starts a background child, a process that escapes by forking twice and opening a session, and
/// one that additionally ignores signals. Prints a line for each.
const PROCESS_TREE: &str = r#"
    sleep 100 & echo "background $!"
    sh -c 'setsid sh -c "echo escaped \$\$; exec sleep 100" &'
    sh -c 'setsid sh -c "trap \"\" TERM HUP INT QUIT; echo deaf \$\$; while :; do sleep 100; done" &'
"#;

fn family_of(probe: &ProbeRun) {
    let mut left = vec!["background", "escaped", "deaf"];
    while !left.is_empty() {
        let line = probe.line();
        left.retain(|word| !line.starts_with(word));
    }
    // The shell, three sleepers and the process that ignores signals.
    until("all are there", || probe.agents().len() >= 5);
}

#[test]
fn background_children_are_ended_with_their_agent() {
    let mut probe = ProbeRun::run("sleep 100 & echo background $!; exit 3");
    let background = probe.number_after("background ");
    assert_eq!(probe.wait().code(), Some(3));
    assert!(is_gone(background));
    assert!(probe.rest().contains(&"runner: left [], any process false".to_owned()));
}

#[test]
fn a_process_that_forked_twice_and_opened_a_session_is_ended() {
    let script = r#"sh -c 'setsid sh -c "echo escaped \$\$; exec sleep 100" &' ; sleep 100"#;
    let mut probe = ProbeRun::run(script);
    let escaped = probe.number_after("escaped ");
    kill(probe.agent, Signal::KILL);
    assert_eq!(probe.wait().code(), Some(137));
    assert!(is_gone(escaped));
}

#[test]
fn a_process_that_ignores_every_request_is_ended() {
    let script = r#"
        sh -c 'trap "" TERM HUP INT QUIT; echo deaf $$; while :; do sleep 100; done' &
        wait
    "#;
    let mut probe = ProbeRun::run(script);
    let deaf = probe.number_after("deaf ");
    kill(deaf, Signal::TERM);
    kill(probe.agent, Signal::KILL);
    assert_eq!(probe.wait().code(), Some(137));
    assert!(is_gone(deaf));
    assert_eq!(probe.agents(), []);
}

#[test]
fn a_stopped_process_is_ended() {
    let mut probe = ProbeRun::run("sh -c 'echo stopped $$; kill -STOP $$' & wait; exit 0");
    let stopped = probe.number_after("stopped ");
    until("it has stopped", || state(stopped) == Some('T'));
    kill(probe.agent, Signal::KILL);
    assert_eq!(probe.wait().code(), Some(137));
    assert!(is_gone(stopped));
}

#[test]
fn a_killed_runner_leaves_nothing_and_its_guard_reports_it() {
    let mut probe = ProbeRun::run(&format!("{PROCESS_TREE} wait"));
    family_of(&probe);
    kill(probe.runner, Signal::KILL);
    assert_eq!(probe.wait().code(), Some(137));
    assert_eq!(probe.agents(), []);
    let output = "guard: killed by signal 9, left [], any process false";
    assert_eq!(probe.rest(), [output]);
}

#[test]
fn a_guard_that_is_killed_leaves_nothing() {
    let mut probe = ProbeRun::run(&format!("{PROCESS_TREE} wait"));
    family_of(&probe);
    kill(probe.guard, Signal::KILL);
    probe.wait();
    until("the runner has gone", || is_gone(probe.runner));
    assert_eq!(probe.agents(), []);
}

#[test]
fn a_guard_that_is_killed_while_everything_is_stopped_leaves_nothing() {
    // Without a reaper the kernel would wake an orphaned process group.
    let probe = ProbeRun::run_under_a_reaper("echo ready; exec sleep 100");
    probe.line_with("ready");
    kill(probe.guard, Signal::TSTP);
    until("the guard has stopped", || state(probe.guard) == Some('T'));
    kill(probe.guard, Signal::KILL);
    until("the runner has gone", || is_gone(probe.runner));
    assert_eq!(probe.agents(), []);
}

#[test]
fn processes_that_keep_forking_are_ended() {
    // Many, but few enough that a failing test does not exhaust the machine.
    let script = r#"
        fork() { for n in $(seq 100); do (sleep 60 &); /bin/true; done; }
        fork & fork & fork & echo on; wait
    "#;
    let mut probe = ProbeRun::run(script);
    probe.line_with("on");
    until("it has become many", || probe.agents().len() > 20);
    kill(probe.runner, Signal::KILL);
    assert_eq!(probe.wait().code(), Some(137));
    assert_eq!(probe.agents(), []);
}

#[test]
fn children_of_our_predecessor_are_left_alone() {
    let mut probe = ProbeRun::run_after("sleep 100 > /dev/null 2>&1 & echo older $!", "exit 0");
    let older = pid(probe.before[0].trim_start_matches("older "));
    let end = probe.wait();
    let was_alive = !is_gone(older);
    // It is an orphan, so the test has to end it.
    kill(older, Signal::KILL);
    assert_eq!((end.code(), was_alive), (Some(0), true));
}
