//! Runs in the background: the foreground process prints the id and exits.

mod beginning;

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use rustix::process::{Signal, getsid};
use serde_json::Value;

use crate::support::{GuardedRun, ProcessProject, PseudoTerminal, TestProcess, eventually, kill};

/// Works until it is released or terminated.
const PATIENT: &str = r#"
    echo "the agent says this"
    echo $$ > "$PLACE/pid.new"
    mv "$PLACE/pid.new" "$PLACE/pid"
    read go < "$PLACE/gate"
    echo FORKHESTRA_COMPLETE
"#;

fn with_waiting_agent() -> ProcessProject {
    let world = ProcessProject::with_agent(PATIENT);
    world.gate("gate");
    world
}

/// The process whose id is in a file.
#[track_caller]
fn named_in(world: &ProcessProject, file: &str) -> TestProcess {
    eventually("the process has started", || {
        TestProcess::from_text(&fs::read_to_string(world.place(file)).ok()?)
    })
}

/// The running agent, its runner and its guard.
#[track_caller]
fn agent_runner_and_guard(world: &ProcessProject) -> [TestProcess; 3] {
    let agent = named_in(world, "pid");
    let runner = agent.parent().expect("it has a parent");
    [agent, runner, runner.parent().expect("it has a parent")]
}

/// Starts a run in the background, asserts that its id is its only standard output, and returns its
/// standard error.
#[track_caller]
fn detached(world: &ProcessProject, args: &[&str]) -> String {
    let said = world.run(&[args, &["--detach"]].concat());
    assert_eq!(said.code, Some(0), "{said}");
    assert_eq!(said.stdout, format!("{}\n", world.run_id()), "{said}");
    said.stderr
}

/// Releases the agent, and waits for the end of the run.
#[track_caller]
fn release_agent_and_wait(world: &ProcessProject) {
    world.open_gate("gate");
    world.wait_until_empty();
}

fn console(world: &ProcessProject) -> PathBuf {
    world.run_directory().join("console.log")
}

#[track_caller]
fn console_text(world: &ProcessProject) -> String {
    fs::read_to_string(console(world)).expect("it was in the background")
}

/// Both streams are pipes that are read to their end, as a shell does.
#[test]
fn the_id_is_printed_while_the_agent_works_and_the_pipes_are_closed() {
    let world = with_waiting_agent();
    let said = detached(&world, &["./agent:3"]);
    let id = world.run_id();
    assert_eq!(
        said,
        format!(
            "[forkhestra] Run {id} continues in the background\n\
             \x20 forkhestra watch {id}      see what it does, and steer it\n\
             \x20 forkhestra logs -f {id}    follow what its agents print\n\
             \x20 forkhestra stop {id}       end it after the iteration at work\n"
        )
    );
    let [agent, runner, guard] = agent_runner_and_guard(&world);
    assert!(!agent.is_gone());
    assert_eq!(getsid(Some(runner.0)), Ok(guard.0), "it leads a session of its own");
    assert!(runner.works_in(&world.project()));
    let listed = world.run(&["runs"]).stdout;
    assert!(listed.contains("running"), "{listed}");
    release_agent_and_wait(&world);
    let text = console_text(&world);
    assert!(text.starts_with("[forkhestra] Starting: ./agent (max 3 iterations)\n"), "{text}");
    assert!(text.ends_with("[forkhestra] Chain complete (1/1 steps)\n"), "{text}");
    assert!(!text.contains("the agent says this"), "{text}");
    let logs = world.run(&["logs"]).stdout;
    assert!(logs.contains("the agent says this"), "{logs}");
    let shown = world.run(&["show", "-v"]).stdout;
    assert!(shown.contains(&format!("console  {}\n", console(&world).display())), "{shown}");
}

/// A shell may pass more than three open files to its jobs.
#[test]
fn no_inherited_file_stays_open() {
    let world = with_waiting_agent();
    let mut shell = world.command_in_environment("/bin/bash");
    let script = r#"exec 7>&1 9>"$PLACE/held"; "$0" ./agent --detach --quiet"#;
    shell.args(["-c", script, crate::FORKHESTRA]);
    shell.stdout(Stdio::piped()).stderr(Stdio::piped());
    let said = GuardedRun::start(&world, shell).ended();
    assert_eq!((said.code, said.stderr.as_str()), (Some(0), ""), "{said}");
    let held = world.place("held");
    for process in agent_runner_and_guard(&world) {
        let files = fs::read_dir(format!("/proc/{}/fd", process.0)).expect("it is alive");
        let leads_there = |path: PathBuf| fs::read_link(path).is_ok_and(|to| to == held);
        assert!(!files.flatten().any(|file| leads_there(file.path())), "{}", process.describe());
    }
    release_agent_and_wait(&world);
}

#[test]
fn json_output_is_one_object() {
    let world = with_waiting_agent();
    let said = world.run(&["./agent:3", "--detach", "--output", "json"]);
    assert_eq!((said.code, said.stderr.as_str()), (Some(0), ""), "{said}");
    let value: Value = serde_json::from_str(&said.stdout).expect("it is one object");
    assert_eq!(value["run"], world.run_id());
    assert_eq!(value["directory"], world.run_directory().to_string_lossy().into_owned());
    let journal = world.run_directory().join("journal.jsonl");
    assert_eq!(value["journal"], journal.to_string_lossy().into_owned());
    named_in(&world, "pid");
    release_agent_and_wait(&world);
    let text = console_text(&world);
    assert!(text.ends_with("[forkhestra] Chain complete (1/1 steps)\n"), "{text}");
}

/// A command with its own terminal.
fn at_terminal(world: &ProcessProject, terminal: &PseudoTerminal, words: &[&str]) -> Command {
    let mut command = world.command_in_environment("/usr/bin/env");
    command.args(["--default-signal", "setsid", "--ctty"]).args(words);
    command.stdin(terminal.stdio()).stdout(terminal.stdio()).stderr(terminal.stdio());
    command.env("FORKHESTRA", crate::FORKHESTRA).env("HISTFILE", "/dev/null");
    command
}

#[test]
fn a_terminal_that_is_closed_with_its_shell_does_not_end_the_run() {
    let world = with_waiting_agent();
    let mut terminal = PseudoTerminal::open();
    let words = ["bash", "--norc", "--noprofile", "--noediting", "-i"];
    let mut shell = GuardedRun::start(&world, at_terminal(&world, &terminal, &words));
    terminal.hand_over();
    terminal.type_in(b"\"$FORKHESTRA\" ./agent:3 --detach; jobs > \"$PLACE/jobs\"\n");
    world.wait_for("jobs");
    let members = agent_runner_and_guard(&world);
    drop(terminal);
    shell.wait();
    assert!(members.iter().all(|member| !member.is_gone()));
    assert_eq!(fs::read_to_string(world.place("jobs")).ok().as_deref(), Some(""));
    release_agent_and_wait(&world);
    assert_eq!(world.outcome().last().map(String::as_str), Some("run \"complete\""));
}

#[test]
fn control_c_after_the_id_does_not_reach_the_run() {
    let world = with_waiting_agent();
    let mut terminal = PseudoTerminal::open();
    let script = r#"trap ": > \"$PLACE/heard\"" INT
        "$FORKHESTRA" ./agent:3 --detach
        : > "$PLACE/begun"
        until [ -e "$PLACE/heard" ]; do sleep 0.01; done
        exit 0"#;
    let mut shell =
        GuardedRun::start(&world, at_terminal(&world, &terminal, &["sh", "-c", script]));
    terminal.hand_over();
    world.wait_for("begun");
    let members = agent_runner_and_guard(&world);
    terminal.press(PseudoTerminal::CONTROL_C);
    assert_eq!(shell.wait(), Some(0));
    assert!(members.iter().all(|member| !member.is_gone()));
    release_agent_and_wait(&world);
    assert_eq!(world.outcome().last().map(String::as_str), Some("run \"complete\""));
}

#[test]
fn refusals_happen_in_the_foreground() {
    let world = with_waiting_agent();
    let state = world.place("file");
    fs::write(&state, "").expect("the place is ours");
    let state = state.to_string_lossy().into_owned();
    for args in [&["./nobody"][..], &["./agent", "--state-dir", &state], &["--chain", "none"]] {
        let (here, there) = (world.run(args), world.run(&[args, &["--detach"]].concat()));
        assert_eq!(there.code, Some(2), "{there}");
        assert_eq!((there.stdout, there.stderr), (here.stdout, here.stderr));
    }
    detached(&world, &["./agent:3"]);
    let [_, _, guard] = agent_runner_and_guard(&world);
    let refused = world.run(&["./agent:3", "--detach"]);
    assert_eq!((refused.code, refused.stdout.as_str()), (Some(2), ""), "{refused}");
    let owner = format!("in use by run {} (process {},", world.run_id(), guard.0);
    assert!(refused.stderr.contains(&owner), "{refused}");
    release_agent_and_wait(&world);
}

#[test]
fn a_dry_run_starts_nothing_in_the_background_either() {
    let world = with_waiting_agent();
    let shown = world.run(&["./agent:3", "--detach", "--dry-run"]);
    assert_eq!(shown.code, Some(0), "{shown}");
    assert_eq!(shown.stdout, world.run(&["./agent:3", "--dry-run"]).stdout);
    assert_eq!(world.run(&["runs"]).stdout, "");
}

#[test]
fn a_run_resumes_in_the_background_and_a_complete_one_is_reported() {
    let world = with_waiting_agent();
    detached(&world, &["./agent:3"]);
    let [_, _, guard] = agent_runner_and_guard(&world);
    kill(guard, Signal::TERM);
    world.wait_until_empty();
    let first = console_text(&world);
    assert!(
        first.contains(&format!("To resume: forkhestra resume {}\n", world.run_id())),
        "{first}"
    );
    fs::remove_file(world.place("pid")).expect("the agent was there");
    detached(&world, &["resume"]);
    named_in(&world, "pid");
    release_agent_and_wait(&world);
    let both = console_text(&world);
    let second = both.strip_prefix(&first).expect("it is written behind what was there");
    assert!(second.ends_with("[forkhestra] Chain complete (1/1 steps)\n"), "{second}");
    assert_eq!(world.started(), ["1.1", "1.1"]);
    let again = world.run(&["resume", &world.run_id(), "--detach"]);
    assert_eq!(again.code, Some(0), "{again}");
    assert!(again.stdout.contains("is complete; nothing is left to do"), "{again}");
    assert_eq!(console_text(&world), both);
}

#[test]
fn a_runner_killed_in_the_background_leaves_only_its_console() {
    let world = with_waiting_agent();
    detached(&world, &["./agent:3"]);
    let [_, runner, _] = agent_runner_and_guard(&world);
    kill(runner, Signal::KILL);
    world.wait_until_empty();
    let text = console_text(&world);
    assert!(text.contains("error: the runner was killed by signal 9\n"), "{text}");
    fs::remove_file(world.place("pid")).expect("the agent was there");
    detached(&world, &["resume"]);
    named_in(&world, "pid");
    release_agent_and_wait(&world);
}

#[test]
fn a_guard_killed_in_the_background_leaves_nothing() {
    let world = with_waiting_agent();
    detached(&world, &["./agent:3"]);
    let [_, _, guard] = agent_runner_and_guard(&world);
    kill(guard, Signal::KILL);
    world.wait_until_empty();
    let removed = world.run(&["runs", "rm", &world.run_id(), "--force"]);
    assert_eq!(removed.code, Some(0), "{removed}");
    let left = world.run(&["runs"]);
    assert_eq!(left.stdout, "", "{left}");
}

#[test]
fn ralph_runner_can_run_in_the_background() {
    let world = with_waiting_agent();
    let ralph = |agent: &str| {
        let mut command = world.command_in_environment(env!("CARGO_BIN_EXE_ralph-runner"));
        command.args(["--agent", agent, "--max-iterations", "3", "--detach"]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        GuardedRun::start(&world, command).ended()
    };
    let refused = ralph("./nobody");
    assert_eq!((refused.code, refused.stdout.as_str()), (Some(3), ""), "{refused}");
    let said = ralph("./agent");
    assert_eq!((said.code, said.stdout), (Some(0), format!("{}\n", world.run_id())));
    let first = format!("[ralph] Run {} continues in the background\n", world.run_id());
    assert!(said.stderr.starts_with(&first), "{}", said.stderr);
    named_in(&world, "pid");
    release_agent_and_wait(&world);
    let text = console_text(&world);
    assert!(text.ends_with("[ralph] Chain complete (1/1 steps)\n"), "{text}");
}

/// The run was meant to be unobserved, and `runs` finds it.
#[test]
fn a_run_continues_if_its_id_is_not_read() {
    let world = with_waiting_agent();
    let (reader, writer) = std::io::pipe().expect("there are pipes");
    drop(reader);
    let mut command = world.command(&["./agent:3", "--detach"]);
    command.stdout(writer).stderr(Stdio::piped());
    let said = GuardedRun::start(&world, command).ended();
    assert_eq!(said.code, Some(141), "{said}");
    assert!(said.stderr.contains(&format!("forkhestra stop {} ", world.run_id())), "{said}");
    named_in(&world, "pid");
    release_agent_and_wait(&world);
    assert_eq!(world.outcome().last().map(String::as_str), Some("run \"complete\""));
}

#[test]
fn background_processes_of_an_agent_end_with_its_iteration() {
    let world = with_waiting_agent();
    let script = format!(
        r#"'{}' "$PWD/agent:3" --cwd "$PLACE" --state-dir "$PLACE/inner" --detach --quiet
        until [ -e "$PLACE/pid" ]; do sleep 0.01; done"#,
        crate::FORKHESTRA
    );
    world.agent("outer", &script);
    let said = world.run(&["./outer"]);
    assert_eq!(said.code, Some(0), "{said}");
    assert!(named_in(&world, "pid").is_gone());
    world.wait_until_empty();
}
