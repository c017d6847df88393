//! Agents that print nothing at all, or nothing until their end.

use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;

use testkit::{CommandOutput, TestEnv};

use crate::{FORKHESTRA, forkhestra};

/// A project with a script as an agent.
fn project_with(script: &str) -> TestEnv {
    let env = TestEnv::new();
    testkit::write_executable(&env.project().join("agent"), &format!("#!/bin/sh\n{script}\n"));
    env
}

/// Runs a script once as an agent.
fn run(script: &str) -> CommandOutput {
    forkhestra(&project_with(script), &["./agent"])
}

/// The output of the agent between our lines.
fn printed(output: &CommandOutput) -> &str {
    let (_, rest) = output.stdout.split_once("Running: ./agent\n").expect("it was started");
    rest.split_once("[forkhestra] ").expect("it ended").0
}

#[test]
fn an_agent_may_print_nothing() {
    for script in ["", "exec >&- 2>&-", "exec >/dev/null 2>&1; echo unheard"] {
        let output = run(script);
        assert_eq!((output.code, printed(&output)), (Some(0), ""), "{script}: {output}");
        assert_eq!(output.stderr, "", "{script}");
    }
}

#[test]
fn final_output_is_read_from_both_streams() {
    let output = run("printf out; printf err >&2");
    assert_eq!((output.code, printed(&output)), (Some(0), "out\n"), "{output}");
    assert_eq!(output.stderr, "err");
}

#[test]
fn first_output_is_forwarded_at_once() {
    // The agent fails if the expected event never happens.
    let env = project_with(
        "echo ready; i=0; until [ -e go ] || [ $i = 2000000 ]; do i=$((i+1)); done; [ -e go ]",
    );
    let mut command = env.command(FORKHESTRA);
    let mut child = command.arg("./agent").stdout(Stdio::piped()).spawn().expect("it starts");
    let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut line = String::new();
    while line != "ready\n" {
        line.clear();
        assert_ne!(stdout.read_line(&mut line).expect("text"), 0, "it ended silently");
    }
    env.write("go", "");
    stdout.read_to_string(&mut line).expect("text");
    assert_eq!(child.wait().expect("it is our child").code(), Some(0), "{line}");
}

#[test]
fn a_background_process_can_print_first() {
    // The background process waits until the agent has exited and has been reaped.
    let output = run("{ while kill -0 $$; do :; done 2>/dev/null; printf late; } &");
    assert_eq!((output.code, printed(&output)), (Some(0), "late\n"), "{output}");
}

#[test]
fn a_background_process_can_end_silently() {
    let output = run("while kill -0 $$; do :; done 2>/dev/null &");
    assert_eq!((output.code, printed(&output)), (Some(0), ""), "{output}");
}
