//! Notifications are sent beside the run and never delay its end.

use std::fs;
use std::process::{Command, Stdio};

use rustix::process::Signal;
use serde_json::Value;
use testkit::{WebhookReceiver, WebhookResponse};

use crate::support::{GuardedRun, ProcessProject, PseudoTerminal, eventually, kill};

/// Works until it is ended the first time; the next time it completes.
const WORKING_AGENT: &str = r#"
    if [ -e "$PLACE/up" ]; then echo FORKHESTRA_COMPLETE; exit 0; fi
    trap "exit 0" INT TERM
    : > "$PLACE/up"
    echo "agent $$"
    while :; do sleep 0.01; done
"#;

fn command_with_webhook(
    project: &ProcessProject,
    receiver: &WebhookReceiver,
    args: &[&str],
) -> Command {
    let mut command = project.command(args);
    command.args(["--notify", "webhook"]).env("FORKHESTRA_WEBHOOK_URL", receiver.url("/hush"));
    command
}

fn start<'w>(
    project: &'w ProcessProject,
    receiver: &WebhookReceiver,
    args: &[&str],
) -> GuardedRun<'w> {
    let mut command = command_with_webhook(project, receiver, args);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    GuardedRun::start(project, command)
}

#[track_caller]
fn only_payload(receiver: &WebhookReceiver) -> Value {
    let received = receiver.received();
    let [one] = received.as_slice() else { panic!("not one request: {received:#?}") };
    serde_json::from_str(&one.body).expect("it is JSON")
}

#[test]
fn a_receiver_that_never_answers_blocks_nothing_and_control_c_abandons_it() {
    let project = ProcessProject::with_agent("echo FORKHESTRA_COMPLETE");
    let receiver = WebhookReceiver::responding_with([WebhookResponse::Silence]);
    let run = start(&project, &receiver, &["./agent:2"]);
    // The request is sent and unanswered; the run ends nevertheless.
    receiver.wait_for(1);
    run.output().wait_for("Chain complete (1/1 steps)");
    let stderr = run.stderr.as_ref().expect("it is read");
    stderr.wait_for("the run is over, but webhook");
    // The work tree is free for the next run, which ends before the first process abandons its
    // request.
    assert_eq!(project.run(&["./agent:2"]).code, Some(0));
    assert!(!run.guard().is_gone(), "it still waits");
    run.signal(Signal::INT);
    let output = run.ended();
    assert_eq!(output.code, Some(0), "{output}");
    let host = receiver.host();
    let warning =
        format!("warning: webhook ({host}) could not be notified: it did not answer in time\n");
    assert!(output.stderr.ends_with(&warning), "{output}");
}

#[test]
fn a_resume_is_not_blocked_by_pending_notifications() {
    let project = ProcessProject::with_agent(
        r#"
        if [ -e "$PLACE/up" ]; then echo "agent $$"; read go < "$PLACE/gate"; fi
        : > "$PLACE/up"
        "#,
    );
    project.gate("gate");
    let receiver = WebhookReceiver::responding_with([WebhookResponse::Silence]);
    let run = start(&project, &receiver, &["./agent:1"]);
    run.stderr.as_ref().expect("it is read").wait_for("the run is over, but webhook");
    let id = project.run_id();
    let output = project.run(&["events", "-f", &id]);
    assert_eq!(output.code, Some(0), "following does not wait for notifications: {output}");
    let resumed = project.start(&["resume", &id, "--max-iterations", "2"]);
    resumed.agent();
    kill(run.runner(), Signal::KILL);
    assert_eq!(run.ended().code, Some(137));
    // The file belongs to the process that works now.
    assert!(project.run_directory().join("owner").exists());
    let output = project.run(&["./agent:1"]);
    assert!(output.stderr.contains(&format!("is in use by run {id} (process ")), "{output}");
    assert_eq!(project.run(&["stop"]).code, Some(0));
    project.open_gate("gate");
    assert_eq!(resumed.ended().code, Some(130));
}

#[test]
fn the_guard_notifies_of_a_killed_runner() {
    let project = ProcessProject::with_agent(WORKING_AGENT);
    let receiver = WebhookReceiver::responding_with([]);
    let run = start(&project, &receiver, &["./agent:2"]);
    run.agent();
    kill(run.runner(), Signal::KILL);
    let output = run.ended();
    assert_eq!(output.code, Some(137), "{output}");
    let payload = only_payload(&receiver);
    assert_eq!((&payload["kind"], &payload["end"]), (&"attention".into(), &Value::Null));
    assert_eq!(payload["run"], project.run_id());
    let text = payload["text"].as_str().expect("a text");
    assert!(text.starts_with("the runner was killed by signal 9\nRun "), "{text}");
    assert_eq!(project.resume_as_printed(&output).code, Some(0));
}

#[test]
fn sigint_sends_no_notification_and_sigterm_does() {
    for (signal, code, expected) in [(Signal::INT, 130, None), (Signal::TERM, 143, Some("SIGTERM"))]
    {
        let project = ProcessProject::with_agent(WORKING_AGENT);
        let receiver = WebhookReceiver::responding_with([]);
        let run = start(&project, &receiver, &["./agent:2"]);
        run.agent();
        run.signal(signal);
        let output = run.ended();
        assert_eq!(output.code, Some(code), "{output}");
        match expected {
            None => assert_eq!(receiver.received(), []),
            Some(by) => {
                let payload = only_payload(&receiver);
                assert_eq!(
                    (&payload["kind"], &payload["end"]["by"]),
                    (&"attention".into(), &"terminate".into())
                );
                let text = payload["text"].as_str().expect("a text");
                assert!(
                    text.starts_with(&format!("Chain interrupted (0/1 steps): {by}\n")),
                    "{text}"
                );
            }
        }
    }
}

#[test]
fn a_terminal_gets_a_sequence_and_the_bell() {
    let project = ProcessProject::with_agent("echo FORKHESTRA_COMPLETE");
    for is_stdout in [true, false] {
        let mut terminal = PseudoTerminal::open();
        let mut command = project.command(&["./agent:2", "--notify", "terminal"]);
        if is_stdout {
            command.stdout(terminal.stdio()).stderr(Stdio::null());
        } else {
            command.stdout(Stdio::null()).stderr(terminal.stdio());
        }
        let run = GuardedRun::start_watched(&project, command, terminal.screen());
        terminal.hand_over();
        let bytes = eventually("the terminal is notified", || {
            let bytes = run.output().bytes();
            bytes.ends_with(b"\x07\x07").then_some(bytes)
        });
        let shown = String::from_utf8_lossy(&bytes).into_owned();
        let payload =
            "\x1b]9;forkhestra: ./agent:2 in project: complete. Chain complete (1/1 steps)\x07\x07";
        assert!(shown.ends_with(payload), "{shown:?}");
        assert_eq!(shown.matches('\x07').count(), 2, "{shown:?}");
        assert_eq!(run.ended().code, Some(0));
    }
}

#[test]
fn a_run_in_the_background_reports_its_missing_terminal_at_once() {
    let project = ProcessProject::with_agent("echo FORKHESTRA_COMPLETE");
    let mut terminal = PseudoTerminal::open();
    let mut command = project.command(&["./agent:2", "--detach", "--notify", "terminal"]);
    command.stdout(terminal.stdio()).stderr(terminal.stdio());
    let run = GuardedRun::start_watched(&project, command, terminal.screen());
    terminal.hand_over();
    run.output()
        .wait_for("warning: there is no terminal for notifications: a run in the background");
    assert_eq!(run.ended().code, Some(0));
    project.wait_until_empty();
    let console = fs::read_to_string(project.run_directory().join("console.log"));
    let console = console.expect("it is there");
    assert!(!console.contains("could not be notified"), "{console}");
}
