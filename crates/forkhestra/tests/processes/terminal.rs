//! A run at a terminal.

use std::fs;
use std::process::Command;

use rustix::process::Signal;

use crate::support::{GuardedRun, ProcessProject, PseudoTerminal, eventually, kill};

/// A command with its own terminal.
fn command_at(project: &ProcessProject, terminal: &PseudoTerminal, words: &[&str]) -> Command {
    let mut command = project.command_in_environment("/usr/bin/env");
    command.args(["--default-signal", "setsid", "--ctty"]).args(words);
    command.stdin(terminal.stdio()).stdout(terminal.stdio()).stderr(terminal.stdio());
    command
}

/// Starts a run at a terminal.
fn started_at<'w>(
    project: &'w ProcessProject,
    terminal: &mut PseudoTerminal,
    args: &[&str],
) -> GuardedRun<'w> {
    let command = command_at(project, terminal, &[&[crate::FORKHESTRA], args].concat());
    let run = GuardedRun::start_watched(project, command, terminal.screen());
    terminal.hand_over();
    run
}

/// Records every signal, and cleans up before it exits.
const TRAPPING_AGENT: &str = r#"
    if [ -e "$PLACE/up" ]; then echo FORKHESTRA_COMPLETE; exit 0; fi
    end() { echo "$1" >> "$PLACE/got"; read go < "$PLACE/gate"; : > "$PLACE/clean"; exit 0; }
    for signal in INT TERM HUP; do trap "end $signal" $signal; done
    : > "$PLACE/up"
    echo "agent $$"
    while :; do sleep 0.01; done
"#;

/// How often the agent was asked to end.
fn requests(project: &ProcessProject) -> usize {
    fs::read_to_string(project.place("got")).unwrap_or_default().lines().count()
}

#[test]
fn the_live_line_of_a_runner_that_was_killed_is_cleared_before_the_error() {
    let project = ProcessProject::with_agent(
        r#"
        if [ -e "$PLACE/up" ]; then echo FORKHESTRA_COMPLETE; exit 0; fi
        : > "$PLACE/up"
        while :; do sleep 1000; done
        "#,
    );
    let mut terminal = PseudoTerminal::open();
    let mut command = command_at(&project, &terminal, &[crate::FORKHESTRA, "./agent:3"]);
    command.env("TERM", "xterm").env_remove("CI");
    let run = GuardedRun::start_watched(&project, command, terminal.screen());
    terminal.hand_over();
    run.output().wait_for("\x1b7\x1b[0m");
    kill(run.runner(), Signal::KILL);
    let text = run.ended().stdout;
    let before = text.split("error: the runner was killed").next().unwrap_or_default();
    let before = before.trim_end_matches("\x1b[1m\x1b[31m").trim_end_matches("\x1b[31m");
    assert!(before.contains("\x1b[0m\x1b[J"), "{text:?}");
    let after = before.rsplit("\x1b[0m\x1b[J").next().unwrap_or_default();
    assert!(!after.contains("\x1b7"), "{text:?}");
    let resumed = project.run(&["resume"]);
    assert_eq!(resumed.code, Some(0), "{resumed}");
}

#[test]
fn an_agent_that_reads_the_terminal_gets_an_error_and_is_not_stopped() {
    let project = ProcessProject::with_agent(
        r#"
        if read word < /dev/tty; then echo "somebody said $word"; else echo no terminal; fi
        (echo secret > /dev/tty) || echo no terminal either
        read word || echo nothing to read
        "#,
    );
    let mut terminal = PseudoTerminal::open();
    let mut run = started_at(&project, &mut terminal, &["./agent"]);
    assert_eq!(run.wait(), Some(0));
    let text = run.ended().stdout;
    for expected in ["no terminal\n", "no terminal either\n", "nothing to read\n"] {
        assert!(text.contains(expected), "{text}");
    }
}

#[test]
fn control_c_reaches_the_agent_once_and_the_run_can_be_resumed() {
    let project = ProcessProject::with_agent(TRAPPING_AGENT);
    project.gate("gate");
    let mut terminal = PseudoTerminal::open();
    let mut run = started_at(&project, &mut terminal, &["./agent:3"]);
    run.agent();
    terminal.press(PseudoTerminal::CONTROL_C);
    project.open_gate("gate");
    assert_eq!(run.wait(), Some(130));
    assert_eq!(fs::read_to_string(project.place("got")).ok().as_deref(), Some("INT\n"));
    assert!(project.place("clean").exists());
    run.output().wait_for(&format!("To resume: forkhestra resume {}\n", project.run_id()));
    assert_eq!(project.run(&["resume"]).code, Some(0));
    assert_eq!(project.started(), ["1.1", "1.1"]);
}

#[test]
fn control_c_twice_kills_a_slow_agent() {
    let project = ProcessProject::with_agent(TRAPPING_AGENT);
    project.gate("gate");
    let mut terminal = PseudoTerminal::open();
    let mut run = started_at(&project, &mut terminal, &["./agent:3"]);
    let agent = run.agent();
    terminal.press(PseudoTerminal::CONTROL_C);
    project.wait_for("got");
    assert!(!agent.is_gone());
    terminal.press(PseudoTerminal::CONTROL_C);
    assert_eq!(run.wait(), Some(130));
    assert!(agent.is_gone());
    assert!(!project.place("clean").exists());
    assert_eq!(project.run(&["resume"]).code, Some(0));
}

#[test]
fn a_terminal_that_is_closed_hangs_up_and_the_agent_has_time_to_clean_up() {
    let project = ProcessProject::with_agent(TRAPPING_AGENT);
    project.gate("gate");
    let mut terminal = PseudoTerminal::open();
    let command = command_at(&project, &terminal, &[crate::FORKHESTRA, "./agent:3"]);
    let mut run = GuardedRun::start(&project, command);
    terminal.hand_over();
    project.wait_for("up");
    drop(terminal);
    project.open_gate("gate");
    assert_eq!(run.wait(), Some(129));
    assert!(project.place("clean").exists());
    assert_eq!(project.run(&["resume"]).code, Some(0));
}

#[test]
fn a_terminal_that_is_closed_with_its_shell_leaves_the_agent_time_to_clean_up() {
    let project = ProcessProject::with_agent(TRAPPING_AGENT);
    project.gate("gate");
    let mut terminal = PseudoTerminal::open();
    let shell = ["bash", "--norc", "--noprofile", "--noediting", "-i"];
    let mut command = command_at(&project, &terminal, &shell);
    command.env("HISTFILE", "/dev/null").env("FORKHESTRA", crate::FORKHESTRA);
    let mut shell = GuardedRun::start(&project, command);
    terminal.hand_over();
    terminal.type_in(b"\"$FORKHESTRA\" ./agent:3\n");
    project.wait_for("up");
    // The system signals the shell, the shell signals its jobs, and then the system signals them
    // again.
    drop(terminal);
    shell.wait();
    project.open_gate("gate");
    project.wait_until_empty();
    assert_eq!(requests(&project), 1);
    assert!(project.place("clean").exists());
    assert_eq!(project.run(&["resume"]).code, Some(0));
}

#[test]
fn control_c_ends_a_pipeline_and_the_agent_has_time_to_clean_up() {
    let project = ProcessProject::with_agent(TRAPPING_AGENT);
    project.gate("gate");
    let mut terminal = PseudoTerminal::open();
    let script = r#"trap : INT; "$FORKHESTRA" ./agent:3 | cat"#;
    let mut command = command_at(&project, &terminal, &["sh", "-c", script]);
    command.env("FORKHESTRA", crate::FORKHESTRA);
    let mut shell = GuardedRun::start_watched(&project, command, terminal.screen());
    terminal.hand_over();
    shell.agent();
    terminal.press(PseudoTerminal::CONTROL_C);
    project.open_gate("gate");
    shell.wait();
    eventually("the run is over", || project.processes().is_empty().then_some(()));
    assert_eq!(requests(&project), 1);
    assert!(project.place("clean").exists());
    assert_eq!(project.run(&["resume"]).code, Some(0));
}
