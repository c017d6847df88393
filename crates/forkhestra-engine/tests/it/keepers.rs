//! Tests of keepers: several agents at the same time, each with everything that it started.

use std::fs;
use std::os::unix::process::ExitStatusExt;

use rustix::process::{Pid, Signal};

use crate::support::{LanesRun, PROGRAM, is_gone, kill, pid, state, until};

/// Leaves a daemon that opened two sessions, prints its pid, and waits.
const DAEMON: &str = r#"
    setsid sh -c 'setsid sh -c "echo daemon \$\$; exec sleep 100" & exit' & wait; exec sleep 100
"#;

/// The daemons of all lanes, which must be below their keepers.
fn daemons(run: &LanesRun) -> Vec<Pid> {
    let all: Vec<Pid> = run.agents.iter().map(|_| run.probe.number_after("daemon ")).collect();
    until("each daemon is below a keeper", || {
        all.iter().all(|daemon| parent(*daemon).is_some_and(|pid| run.keepers.contains(&pid)))
    });
    all
}

fn parent(of: Pid) -> Option<Pid> {
    let status = fs::read_to_string(format!("/proc/{of}/status")).ok()?;
    Some(pid(status.lines().find_map(|line| line.strip_prefix("PPid:"))?.trim()))
}

fn daemon_of(run: &LanesRun, daemons: &[Pid], lane: usize) -> Pid {
    let keeper = Some(run.keepers[lane - 1]);
    let mut found = daemons.iter().filter(|daemon| parent(**daemon) == keeper);
    *found.next().expect("each lane has one")
}

#[test]
fn ending_one_of_eight_leaves_the_others_alone() {
    let mut run = LanesRun::run(&[DAEMON; 8]);
    let daemons = daemons(&run);
    let third = daemon_of(&run, &daemons, 3);
    run.command("kill 3", "signalled ");
    run.lines(&["lane 3: killed by signal 9", "lane 3 is gone"]);
    assert!(is_gone(third) && is_gone(run.agents[2]) && is_gone(run.keepers[2]));
    for lane in [1, 2, 4, 5, 6, 7, 8] {
        assert!(!is_gone(daemon_of(&run, &daemons, lane)), "lane {lane}");
        assert!(!is_gone(run.agents[lane - 1]), "lane {lane}");
    }
    assert_eq!(run.command("count 3", "counted "), "counted 0");
    // The sleeper that is the agent, and the daemon.
    until("the shells are gone", || parent(daemon_of(&run, &daemons, 4)) == Some(run.keepers[3]));
}

#[test]
fn exit_codes_and_signals_are_exact() {
    let scripts =
        ["exit 0", "exit 3", "exit 255", "kill -TERM $$", "kill -KILL $$", "kill -USR1 $$"];
    let mut run = LanesRun::run(&scripts);
    let left = [
        "lane 1: exit 0",
        "lane 2: exit 3",
        "lane 3: exit 255",
        "lane 4: killed by signal 15",
        "lane 5: killed by signal 9",
        "lane 6: killed by signal 10",
    ];
    // Every lane also reports that nothing is left.
    let gone: Vec<String> = (1..=6).map(|lane| format!("lane {lane} is gone")).collect();
    let all: Vec<&str> = left.into_iter().chain(gone.iter().map(String::as_str)).collect();
    run.lines(&all);
    assert_eq!(run.probe.wait().code(), Some(0));
    assert!(run.probe.rest().contains(&"runner: left [], any process false".to_owned()));
}

#[test]
fn a_lane_is_not_gone_before_its_last_process() {
    let mut run = LanesRun::run(&["(setsid sleep 100 & echo sleeper $!); exit 4", "sleep 100"]);
    let sleeper = run.probe.number_after("sleeper ");
    run.lines(&["lane 1: exit 4"]);
    assert_eq!(run.command("count 1", "counted "), "counted 1");
    kill(sleeper, Signal::KILL);
    run.lines(&["lane 1 is gone"]);
    assert!(!is_gone(run.agents[1]));
}

#[test]
fn an_agent_sees_what_it_would_see_without_a_keeper() {
    let script = r#"
        echo "session $(cut -d ' ' -f 6 /proc/$$/stat) group $(cut -d ' ' -f 5 /proc/$$/stat)"
        readlink /proc/$$/fd/3 | grep socket && echo "link"
        echo "files"
        echo "signals $(grep -E 'Sig(Blk|Ign)' /proc/$$/status | tr -d '[:space:]')"
        echo "directory $(pwd) variable $FORKHESTRA_PROBE_LANES"
    "#;
    let run = LanesRun::run(&[script]);
    let agent = run.agents[0];
    assert_eq!(run.probe.line_with("session "), format!("session {agent} group {agent}"));
    assert_eq!(run.probe.line(), "files");
    let signals = run.probe.line_with("signals ");
    assert!(signals.starts_with("signals SigBlk:0000000000000000SigIgn:"), "{signals}");
    // The runtime ignores SIGPIPE in the keeper, and the keeper itself ignores others later.
    let ignored = signals.rsplit(':').next().and_then(|mask| u64::from_str_radix(mask, 16).ok());
    assert_eq!(ignored.map(|mask| mask & (1 << 12 | 1 << 2 | 1 << 9)), Some(0), "{signals}");
    let here = std::env::current_dir().expect("there is one");
    let tag = &run.probe.tag;
    let expected = format!("directory {} variable {tag}/1", here.display());
    assert_eq!(run.probe.line_with("directory "), expected);
}

#[test]
fn a_program_that_cannot_be_started_is_named() {
    let directory = tempfile::tempdir().expect("there is room");
    let text = directory.path().join("text");
    fs::write(&text, "#!/no/such/shell\n").expect("the directory is ours");
    let output = std::process::Command::new(PROGRAM)
        .args(["lanes", "none", &text.to_string_lossy()])
        .output()
        .expect("the probe can be started");
    let printed = String::from_utf8_lossy(&output.stdout);
    let expected = format!("lane 1: `{}` is not executable", text.display());
    assert!(printed.contains(&expected), "{printed}");
    assert!(printed.contains("left []"), "{printed}");
}

#[test]
fn a_killed_runner_leaves_nothing() {
    let mut run = LanesRun::run(&[DAEMON; 3]);
    daemons(&run);
    kill(run.probe.runner, Signal::KILL);
    assert_eq!(run.probe.wait().code(), Some(137));
    assert_eq!(run.probe.agents(), []);
}

#[test]
fn runner_and_guard_killed_at_once_leave_nothing() {
    let mut run = LanesRun::run(&[DAEMON; 3]);
    daemons(&run);
    for process in [run.probe.guard, run.probe.runner] {
        kill(process, Signal::STOP);
        until("it has stopped", || state(process) == Some('T'));
    }
    kill(run.probe.runner, Signal::KILL);
    kill(run.probe.guard, Signal::KILL);
    assert_eq!(run.probe.wait().signal(), Some(9));
    until("the keepers have ended everything", || run.probe.agents().is_empty());
}

#[test]
fn the_processes_of_a_killed_keeper_are_ended_and_no_others() {
    let mut run = LanesRun::run(&[DAEMON; 3]);
    let daemons = daemons(&run);
    let (first, second) = (daemon_of(&run, &daemons, 1), daemon_of(&run, &daemons, 2));
    kill(run.keepers[1], Signal::KILL);
    run.lines(&["lane 2 lost its keeper: killed by signal 9", "lane 2 is gone"]);
    assert!(is_gone(second) && is_gone(run.agents[1]));
    assert!(!is_gone(first) && !is_gone(run.agents[0]) && !is_gone(run.agents[2]));
    assert_eq!(run.command("count 2", "counted "), "counted 0");
}

#[test]
fn the_processes_of_two_killed_keepers_are_told_apart() {
    let mut run = LanesRun::run(&[DAEMON; 3]);
    let daemons = daemons(&run);
    let third = daemon_of(&run, &daemons, 3);
    // The runner notices both at the same time.
    kill(run.probe.runner, Signal::STOP);
    until("it has stopped", || state(run.probe.runner) == Some('T'));
    kill(run.keepers[0], Signal::KILL);
    kill(run.keepers[1], Signal::KILL);
    kill(run.probe.runner, Signal::CONT);
    run.lines(&["lane 1 is gone", "lane 2 is gone"]);
    assert!(run.agents[..2].iter().all(|agent| is_gone(*agent)));
    assert!(!is_gone(third));
    run.command("kill 3", "signalled ");
    assert_eq!(run.probe.wait().code(), Some(0));
}

#[test]
fn a_process_without_any_environment_is_ended_with_its_lane() {
    let emptied = "env -i setsid sh -c 'echo daemon $$; exec sleep 100' & sleep 100";
    let run = LanesRun::run(&[emptied, "sleep 100"]);
    let daemon = run.probe.number_after("daemon ");
    kill(run.keepers[0], Signal::KILL);
    run.lines(&["lane 1 is gone"]);
    assert!(is_gone(daemon));
    assert!(!is_gone(run.agents[1]));
}

#[test]
fn a_stopped_lane_goes_on_and_the_others_never_stop() {
    let mut run = LanesRun::run(&[DAEMON; 2]);
    let daemons = daemons(&run);
    let (first, second) = (daemon_of(&run, &daemons, 1), daemon_of(&run, &daemons, 2));
    run.command("stop 1", "signalled ");
    until("all of the lane has stopped", || {
        state(first) == Some('T') && state(run.agents[0]) == Some('T')
    });
    assert_ne!(state(second), Some('T'));
    assert_ne!(state(run.keepers[0]), Some('T'));
    run.command("continue 1", "signalled ");
    until("all of it goes on", || state(first) != Some('T') && state(run.agents[0]) != Some('T'));
}

#[test]
fn an_agent_that_kills_its_parent_ends_only_its_own_lane() {
    let run = LanesRun::run(&["kill -KILL $PPID; echo still on; exec sleep 100", "sleep 100"]);
    run.lines(&["lane 1 lost its keeper: killed by signal 9", "lane 1 is gone"]);
    assert!(is_gone(run.agents[0]));
    assert!(!is_gone(run.agents[1]) && !is_gone(run.probe.runner));
}

#[test]
fn a_keeper_passes_signals_on() {
    let script = r#"
        trap 'echo got INT' INT; trap 'echo got HUP' HUP; trap 'exit 9' TERM
        echo ready; while :; do sleep 0.05; done
    "#;
    let run = LanesRun::run(&[script]);
    run.lines(&["ready"]);
    for (signal, line) in [(Signal::INT, "got INT"), (Signal::HUP, "got HUP")] {
        kill(run.keepers[0], signal);
        run.lines(&[line]);
    }
    // It cannot pass these on with their meaning, and does not end by them either.
    kill(run.keepers[0], Signal::USR1);
    kill(run.keepers[0], Signal::TERM);
    run.lines(&["lane 1: exit 9", "lane 1 is gone"]);
}

#[test]
fn keepers_end_everything_when_the_runner_lets_go() {
    let mut run = LanesRun::run(&[DAEMON; 2]);
    daemons(&run);
    run.command("end", "guard: exit 0");
    until("nothing is left", || run.probe.agents().is_empty());
}

#[test]
fn agents_that_kill_their_parents_at_once_leave_nothing() {
    // Some of them are faster than the report of their start.
    let mut run = LanesRun::run(&["kill -KILL $PPID; exec sleep 100"; 8]);
    let gone: Vec<String> = (1..=8).map(|lane| format!("lane {lane} is gone")).collect();
    run.lines(&gone.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(run.probe.wait().code(), Some(0));
    assert_eq!(run.probe.agents(), []);
}
