//! Readers of the output of a run: late or early gone, and nothing is lost.

use std::io::{PipeReader, Read};
use std::process::Stdio;

use rustix::process::Signal;

use crate::support::{GuardedRun, ProcessProject, TestProcess, eventually, kill};

/// Starts a run whose output is not read yet.
fn started_unread<'w>(project: &'w ProcessProject, args: &[&str]) -> (GuardedRun<'w>, PipeReader) {
    let (reader, writer) = std::io::pipe().expect("there are pipes");
    let mut command = project.command(args);
    command.stdout(Stdio::from(writer)).stderr(Stdio::piped());
    (GuardedRun::start(project, command), reader)
}

fn read_all(mut reader: PipeReader) -> String {
    let mut text = String::new();
    reader.read_to_string(&mut text).expect("a pipe can be read");
    text
}

/// The lines of an agent that counts to `most`.
fn counted(most: u32) -> String {
    (1..=most).map(|number| format!("line {number}\n")).collect()
}

#[test]
fn final_output_of_an_agent_is_not_lost() {
    // As much as a pipe holds, so that the agent exits before a byte is read.
    let project = ProcessProject::with_agent(
        "head -c 65536 /dev/zero | tr '\\0' x; exec head -c 65536 /dev/zero >&2",
    );
    let output = project.run(&["./agent"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert!(output.stdout.contains(&"x".repeat(65536)));
    assert!(output.stderr.contains(&"\0".repeat(65536)));
    let log = std::fs::read(project.run_directory().join("output/1-1-1/stdout"));
    assert_eq!(log.ok(), Some(vec![b'x'; 65536]));
}

#[test]
fn a_late_reader_loses_nothing() {
    let project = ProcessProject::with_agent(
        "i=0; while [ $i -lt 30000 ]; do i=$((i + 1)); echo line $i; done",
    );
    let (mut run, reader) = started_unread(&project, &["./agent"]);
    run.wait_until_pipe_is_full(&reader);
    let text = read_all(reader);
    assert_eq!(run.wait(), Some(0));
    assert!(text.contains(&counted(30_000)), "{} bytes", text.len());
    assert!(text.ends_with("[forkhestra] Chain complete (1/1 steps)\n"));
}

#[test]
fn an_interrupted_run_with_unread_output_ends_when_it_is_read() {
    let project = ProcessProject::with_agent("trap 'exit 3' INT; while :; do echo line; done");
    let (mut run, reader) = started_unread(&project, &["./agent:3"]);
    run.wait_until_stuck(&reader);
    run.signal(Signal::INT);
    let text = read_all(reader);
    assert_eq!(run.wait(), Some(130));
    assert!(text.ends_with("Chain interrupted (0/1 steps): SIGINT\n"), "{text}");
}

#[test]
fn limits_hold_with_unread_output() {
    let project = ProcessProject::with_agent("while :; do echo line; done");
    let (run, reader) = started_unread(&project, &["./agent:1", "--timeout", "300ms"]);
    eventually("the agent is ended", || {
        let started = !project.started().is_empty();
        (started && run.runner().children().is_empty()).then_some(())
    });
    let text = read_all(reader);
    assert!(
        text.contains("stopped by forkhestra: the iteration took too long"),
        "{} bytes",
        text.len()
    );
}

/// The run has printed nothing since the reader left, so it ends for another reason.
#[test]
fn a_run_with_closed_output_completes_and_reports_on_standard_error() {
    let project = ProcessProject::with_agent(
        r#"
        (trap "" TERM; : > "$PLACE/up"; read line < "$PLACE/gate") &
        until [ -e "$PLACE/up" ]; do sleep 0.01; done
        echo $$ > "$PLACE/agent"
        printf FORKHESTRA_COMPLETE
        "#,
    );
    project.gate("gate");
    let (run, reader) = started_unread(&project, &["./agent:3", "--quiet"]);
    let agent = eventually("the agent has a name", || {
        TestProcess::from_text(&std::fs::read_to_string(project.place("agent")).ok()?)
    });
    // A zombie is not enough: a run that learns of both at once ends as interrupted.
    eventually("the run knows that the agent has exited", || agent.is_collected().then_some(()));
    drop(reader);
    eventually("the closed output is recorded", || {
        project.events().iter().any(|event| event["by"] == "output_closed").then_some(())
    });
    project.open_gate("gate");
    let output = run.ended();
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(output.stderr, "[forkhestra] Chain complete (1/1 steps)\n");
}

#[test]
fn a_killed_guard_is_noticed_with_unread_output() {
    let project = ProcessProject::with_agent("while :; do echo line; done");
    let (mut run, reader) = started_unread(&project, &["./agent:3"]);
    run.wait_until_stuck(&reader);
    let runner = run.runner();
    kill(run.guard(), Signal::KILL);
    run.wait();
    eventually("nothing is left", || runner.is_gone().then_some(()));
    drop(reader);
    assert_eq!(project.run(&["resume", "--max-iterations", "1", "--timeout", "1s"]).code, Some(1));
}

/// Asserts the end of a run whose reader has closed the pipe.
#[track_caller]
fn assert_closed(project: &ProcessProject, run: GuardedRun<'_>, json: bool) {
    let output = run.ended();
    assert_eq!(output.code, Some(141), "{output}");
    // With standard output closed, the final message goes to standard error.
    assert!(json || output.stderr.contains("To resume: forkhestra resume"), "{output}");
    project.agent("agent", "echo FORKHESTRA_COMPLETE");
    let resumed = project.run(&["resume"]);
    assert_eq!(resumed.code, Some(0), "{resumed}");
    assert_eq!(project.started(), ["1.1", "1.1"]);
}

#[test]
fn a_closed_pipe_ends_the_run_while_its_agent_prints() {
    let project = ProcessProject::with_agent("while :; do echo line; sleep 0.01; done");
    let (run, mut reader) = started_unread(&project, &["./agent:3"]);
    let mut some = [0; 200];
    reader.read_exact(&mut some).expect("the agent prints");
    drop(reader);
    assert_closed(&project, run, false);
}

#[test]
fn a_closed_pipe_ends_the_run_while_its_agent_is_silent() {
    let project = ProcessProject::with_agent(": > \"$PLACE/up\"; while :; do sleep 1000; done");
    let (run, reader) = started_unread(&project, &["./agent:3"]);
    project.wait_for("up");
    drop(reader);
    assert_closed(&project, run, false);
}

#[test]
fn a_closed_event_pipe_ends_the_run() {
    let project = ProcessProject::with_agent(": > \"$PLACE/up\"; while :; do sleep 1000; done");
    let (run, reader) = started_unread(&project, &["./agent:3", "--output", "json"]);
    project.wait_for("up");
    drop(reader);
    assert_closed(&project, run, true);
}

#[test]
fn an_agent_has_time_to_clean_up_when_its_reader_is_interrupted() {
    let project = ProcessProject::with_agent(
        r#"
        clean() { read go < "$PLACE/gate"; : > "$PLACE/clean"; exit 0; }
        trap clean INT TERM
        : > "$PLACE/up"
        while :; do sleep 0.01; done
        "#,
    );
    project.gate("gate");
    let (mut run, reader) = started_unread(&project, &["./agent:3"]);
    project.wait_for("up");
    // Like Ctrl-C for `forkhestra … | tee log`. The closed output alone would end the run with 141.
    run.signal(Signal::INT);
    eventually("the signal arrives", || {
        project.events().iter().any(|event| event["event"] == "cancelled").then_some(())
    });
    drop(reader);
    project.open_gate("gate");
    assert_eq!(run.wait(), Some(130));
    assert!(project.place("clean").exists());
}

#[test]
fn closed_standard_error_does_not_stop_the_run() {
    let project = ProcessProject::with_agent("echo oh >&2; read go < \"$PLACE/gate\"; echo oh >&2");
    project.gate("gate");
    let (reader, writer) = std::io::pipe().expect("there are pipes");
    let mut command = project.command(&["./agent"]);
    command.stdout(Stdio::piped()).stderr(Stdio::from(writer));
    let run = GuardedRun::start(&project, command);
    drop(reader);
    project.open_gate("gate");
    let output = run.ended();
    assert_eq!(output.code, Some(0), "{output}");
}
