//! Runs in the background: the foreground process prints the id and exits.

mod start;

use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use rustix::process::{Signal, getsid};
use serde_json::Value;

use crate::support::{GuardedRun, ProcessProject, PseudoTerminal, TestProcess, eventually, kill};

/// Works until it is released or terminated.
const WAITING_AGENT: &str = r#"
    echo "the agent says this"
    echo $$ > "$PLACE/pid.new"
    mv "$PLACE/pid.new" "$PLACE/pid"
    read go < "$PLACE/gate"
    echo FORKHESTRA_COMPLETE
"#;

fn with_waiting_agent() -> ProcessProject {
    let project = ProcessProject::with_agent(WAITING_AGENT);
    project.gate("gate");
    project
}

/// The process whose id is in a file.
#[track_caller]
fn named_in(project: &ProcessProject, file: &str) -> TestProcess {
    eventually("the process has started", || {
        TestProcess::from_text(&fs::read_to_string(project.place(file)).ok()?)
    })
}

/// The running agent, its runner and its guard.
#[track_caller]
fn agent_runner_and_guard(project: &ProcessProject) -> [TestProcess; 3] {
    let agent = named_in(project, "pid");
    let runner = agent.parent().expect("it has a parent");
    [agent, runner, runner.parent().expect("it has a parent")]
}

/// Starts a run in the background, asserts that its id is its only standard output, and returns its
/// standard error.
#[track_caller]
fn detached(project: &ProcessProject, args: &[&str]) -> String {
    let output = project.run(&[args, &["--detach"]].concat());
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(output.stdout, format!("{}\n", project.run_id()), "{output}");
    output.stderr
}

/// Releases the agent, and waits for the end of the run.
#[track_caller]
fn release_agent_and_wait(project: &ProcessProject) {
    project.open_gate("gate");
    project.wait_until_empty();
}

fn console(project: &ProcessProject) -> PathBuf {
    project.run_directory().join("console.log")
}

#[track_caller]
fn console_text(project: &ProcessProject) -> String {
    fs::read_to_string(console(project)).expect("it was in the background")
}

/// Both streams are pipes that are read to their end, as a shell does.
#[test]
fn the_id_is_printed_while_the_agent_works_and_the_pipes_are_closed() {
    let test_project = with_waiting_agent();
    let output = detached(&test_project, &["./agent:3"]);
    let id = test_project.run_id();
    assert_eq!(
        output,
        format!(
            "[forkhestra] Run {id} continues in the background\n\
             \x20 forkhestra watch {id}      see what it does, and steer it\n\
             \x20 forkhestra logs -f {id}    follow what its agents print\n\
             \x20 forkhestra stop {id}       end it after the iteration at work\n"
        )
    );
    let [agent, runner, guard] = agent_runner_and_guard(&test_project);
    assert!(!agent.is_gone());
    assert_eq!(getsid(Some(runner.0)), Ok(guard.0), "it leads a session of its own");
    assert!(agent.works_in(&test_project.project()));
    let listed = test_project.run(&["runs"]).stdout;
    assert!(listed.contains("running"), "{listed}");
    release_agent_and_wait(&test_project);
    let text = console_text(&test_project);
    assert!(text.starts_with("[forkhestra] Starting: ./agent (max 3 iterations)\n"), "{text}");
    assert!(text.ends_with("[forkhestra] Chain complete (1/1 steps)\n"), "{text}");
    assert!(!text.contains("the agent says this"), "{text}");
    let logs = test_project.run(&["logs"]).stdout;
    assert!(logs.contains("the agent says this"), "{logs}");
    let shown = test_project.run(&["show", "-v"]).stdout;
    assert!(shown.contains(&format!("console  {}\n", console(&test_project).display())), "{shown}");
}

/// A shell may pass more than three open files to its jobs.
#[test]
fn no_inherited_file_stays_open() {
    let project = with_waiting_agent();
    let mut shell = project.command_in_environment("/bin/bash");
    let script = r#"exec 7>&1 9>"$PLACE/held"; "$0" ./agent --detach --quiet"#;
    shell.args(["-c", script, crate::FORKHESTRA]);
    shell.stdout(Stdio::piped()).stderr(Stdio::piped());
    let output = GuardedRun::start(&project, shell).ended();
    assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""), "{output}");
    let held = project.place("held");
    for process in agent_runner_and_guard(&project) {
        let files = match fs::read_dir(format!("/proc/{}/fd", process.0)) {
            Ok(files) => files,
            // Guard and runner show their files only to root.
            Err(error) if error.kind() == ErrorKind::PermissionDenied => continue,
            Err(error) => panic!("{}: {error}", process.describe()),
        };
        let leads_there = |path: PathBuf| fs::read_link(path).is_ok_and(|to| to == held);
        assert!(!files.flatten().any(|file| leads_there(file.path())), "{}", process.describe());
    }
    release_agent_and_wait(&project);
}

#[test]
fn json_output_is_one_object() {
    let project = with_waiting_agent();
    let output = project.run(&["./agent:3", "--detach", "--output", "json"]);
    assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""), "{output}");
    let value: Value = serde_json::from_str(&output.stdout).expect("it is one object");
    assert_eq!(value["run"], project.run_id());
    assert_eq!(value["directory"], project.run_directory().to_string_lossy().into_owned());
    let journal = project.run_directory().join("journal.jsonl");
    assert_eq!(value["journal"], journal.to_string_lossy().into_owned());
    named_in(&project, "pid");
    release_agent_and_wait(&project);
    let text = console_text(&project);
    assert!(text.ends_with("[forkhestra] Chain complete (1/1 steps)\n"), "{text}");
}

/// A command with its own terminal.
fn at_terminal(project: &ProcessProject, terminal: &PseudoTerminal, words: &[&str]) -> Command {
    let mut command = project.command_in_environment("/usr/bin/env");
    command.args(["--default-signal", "setsid", "--ctty"]).args(words);
    command.stdin(terminal.stdio()).stdout(terminal.stdio()).stderr(terminal.stdio());
    command.env("FORKHESTRA", crate::FORKHESTRA).env("HISTFILE", "/dev/null");
    command
}

#[test]
fn a_terminal_that_is_closed_with_its_shell_does_not_end_the_run() {
    let project = with_waiting_agent();
    let mut terminal = PseudoTerminal::open();
    let words = ["bash", "--norc", "--noprofile", "--noediting", "-i"];
    let mut shell = GuardedRun::start(&project, at_terminal(&project, &terminal, &words));
    terminal.hand_over();
    terminal.type_in(b"\"$FORKHESTRA\" ./agent:3 --detach; jobs > \"$PLACE/jobs\"\n");
    project.wait_for("jobs");
    let members = agent_runner_and_guard(&project);
    drop(terminal);
    shell.wait();
    assert!(members.iter().all(|member| !member.is_gone()));
    assert_eq!(fs::read_to_string(project.place("jobs")).ok().as_deref(), Some(""));
    release_agent_and_wait(&project);
    assert_eq!(project.outcome().last().map(String::as_str), Some("run \"complete\""));
}

#[test]
fn control_c_after_the_id_does_not_reach_the_run() {
    let project = with_waiting_agent();
    let mut terminal = PseudoTerminal::open();
    let script = r#"trap ": > \"$PLACE/heard\"" INT
        "$FORKHESTRA" ./agent:3 --detach
        : > "$PLACE/begun"
        until [ -e "$PLACE/heard" ]; do sleep 0.01; done
        exit 0"#;
    let mut shell =
        GuardedRun::start(&project, at_terminal(&project, &terminal, &["sh", "-c", script]));
    terminal.hand_over();
    project.wait_for("begun");
    let members = agent_runner_and_guard(&project);
    terminal.press(PseudoTerminal::CONTROL_C);
    assert_eq!(shell.wait(), Some(0));
    assert!(members.iter().all(|member| !member.is_gone()));
    release_agent_and_wait(&project);
    assert_eq!(project.outcome().last().map(String::as_str), Some("run \"complete\""));
}

#[test]
fn refusals_happen_in_the_foreground() {
    let project = with_waiting_agent();
    let state = project.place("file");
    fs::write(&state, "").expect("the place is ours");
    let state = state.to_string_lossy().into_owned();
    for args in [&["./nobody"][..], &["./agent", "--state-dir", &state], &["--chain", "none"]] {
        let (here, there) = (project.run(args), project.run(&[args, &["--detach"]].concat()));
        assert_eq!(there.code, Some(2), "{there}");
        assert_eq!((there.stdout, there.stderr), (here.stdout, here.stderr));
    }
    detached(&project, &["./agent:3"]);
    let [_, _, guard] = agent_runner_and_guard(&project);
    let refused = project.run(&["./agent:3", "--detach"]);
    assert_eq!((refused.code, refused.stdout.as_str()), (Some(2), ""), "{refused}");
    let owner = format!("in use by run {} (process {},", project.run_id(), guard.0);
    assert!(refused.stderr.contains(&owner), "{refused}");
    release_agent_and_wait(&project);
}

#[test]
fn a_dry_run_starts_nothing_in_the_background_either() {
    let project = with_waiting_agent();
    let shown = project.run(&["./agent:3", "--detach", "--dry-run"]);
    assert_eq!(shown.code, Some(0), "{shown}");
    assert_eq!(shown.stdout, project.run(&["./agent:3", "--dry-run"]).stdout);
    assert_eq!(project.run(&["runs"]).stdout, "");
}

#[test]
fn a_run_resumes_in_the_background_and_a_complete_one_is_reported() {
    let project = with_waiting_agent();
    detached(&project, &["./agent:3"]);
    let [_, _, guard] = agent_runner_and_guard(&project);
    kill(guard, Signal::TERM);
    project.wait_until_empty();
    let first = console_text(&project);
    assert!(
        first.contains(&format!("To resume: forkhestra resume {}\n", project.run_id())),
        "{first}"
    );
    fs::remove_file(project.place("pid")).expect("the agent was there");
    detached(&project, &["resume"]);
    named_in(&project, "pid");
    release_agent_and_wait(&project);
    let both = console_text(&project);
    let second = both.strip_prefix(&first).expect("it is written behind what was there");
    assert!(second.ends_with("[forkhestra] Chain complete (1/1 steps)\n"), "{second}");
    assert_eq!(project.started(), ["1.1", "1.1"]);
    let again = project.run(&["resume", &project.run_id(), "--detach"]);
    assert_eq!(again.code, Some(0), "{again}");
    assert!(again.stdout.contains("is complete; nothing is left to do"), "{again}");
    assert_eq!(console_text(&project), both);
}

#[test]
fn a_runner_killed_in_the_background_leaves_only_its_console() {
    let project = with_waiting_agent();
    detached(&project, &["./agent:3"]);
    let [_, runner, _] = agent_runner_and_guard(&project);
    kill(runner, Signal::KILL);
    project.wait_until_empty();
    let text = console_text(&project);
    assert!(text.contains("error: the runner was killed by signal 9\n"), "{text}");
    fs::remove_file(project.place("pid")).expect("the agent was there");
    detached(&project, &["resume"]);
    named_in(&project, "pid");
    release_agent_and_wait(&project);
}

#[test]
fn a_guard_killed_in_the_background_leaves_nothing() {
    let project = with_waiting_agent();
    detached(&project, &["./agent:3"]);
    let [_, _, guard] = agent_runner_and_guard(&project);
    kill(guard, Signal::KILL);
    project.wait_until_empty();
    let removed = project.run(&["runs", "rm", &project.run_id(), "--force"]);
    assert_eq!(removed.code, Some(0), "{removed}");
    let left = project.run(&["runs"]);
    assert_eq!(left.stdout, "", "{left}");
}

#[test]
fn ralph_runner_can_run_in_the_background() {
    let project = with_waiting_agent();
    let ralph = |agent: &str| {
        let mut command = project.command_in_environment(env!("CARGO_BIN_EXE_ralph-runner"));
        command.args(["--agent", agent, "--max-iterations", "3", "--detach"]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        GuardedRun::start(&project, command).ended()
    };
    let refused = ralph("./nobody");
    assert_eq!((refused.code, refused.stdout.as_str()), (Some(3), ""), "{refused}");
    let output = ralph("./agent");
    assert_eq!((output.code, output.stdout), (Some(0), format!("{}\n", project.run_id())));
    let first = format!("[ralph] Run {} continues in the background\n", project.run_id());
    assert!(output.stderr.starts_with(&first), "{}", output.stderr);
    named_in(&project, "pid");
    release_agent_and_wait(&project);
    let text = console_text(&project);
    assert!(text.ends_with("[ralph] Chain complete (1/1 steps)\n"), "{text}");
}

/// The run was meant to be unobserved, and `runs` finds it.
#[test]
fn a_run_continues_if_its_id_is_not_read() {
    let project = with_waiting_agent();
    let (reader, writer) = std::io::pipe().expect("there are pipes");
    drop(reader);
    let mut command = project.command(&["./agent:3", "--detach"]);
    command.stdout(writer).stderr(Stdio::piped());
    let output = GuardedRun::start(&project, command).ended();
    assert_eq!(output.code, Some(141), "{output}");
    assert!(output.stderr.contains(&format!("forkhestra stop {} ", project.run_id())), "{output}");
    named_in(&project, "pid");
    release_agent_and_wait(&project);
    assert_eq!(project.outcome().last().map(String::as_str), Some("run \"complete\""));
}

#[test]
fn background_processes_of_an_agent_end_with_its_iteration() {
    let project = with_waiting_agent();
    let script = format!(
        r#"'{}' "$PWD/agent:3" --cwd "$PLACE" --state-dir "$PLACE/inner" --detach --quiet
        until [ -e "$PLACE/pid" ]; do sleep 0.01; done"#,
        crate::FORKHESTRA
    );
    project.agent("outer", &script);
    let output = project.run(&["./outer"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert!(named_in(&project, "pid").is_gone());
    project.wait_until_empty();
}
