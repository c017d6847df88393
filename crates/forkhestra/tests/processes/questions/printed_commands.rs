//! The commands that reports about a question name.

use std::process::Stdio;

use rustix::process::Signal;
use serde_json::Value;
use testkit::WebhookReceiver;

use super::support::project;
use crate::support::{GuardedRun, ProcessProject};

/// The command after a label, as a person copies it.
#[track_caller]
fn command_after(text: &str, label: &str) -> Vec<String> {
    let (_, rest) = text.split_once(label).unwrap_or_else(|| panic!("no `{label}`: {text}"));
    let command = rest.lines().next().unwrap_or_default();
    command.split(' ').skip(1).map(str::to_owned).collect()
}

/// Executes a command that was copied, in another directory.
#[track_caller]
fn run_copied(project: &ProcessProject, words: &[String]) -> String {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let output = project.command(&words).current_dir("/").output().expect("it starts");
    assert!(output.status.success(), "{words:?}: {output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn the_printed_commands_lead_to_a_run_in_another_state_directory() {
    let project = project();
    let state = project.place("state");
    let option = format!(" --state-dir {}", state.display());
    let receiver = WebhookReceiver::responding_with([]);
    let chain = "./agent -> ? -> ./agent";
    let args =
        [chain, "--notify", "webhook", "--state-dir", state.to_str().expect("the path is UTF-8")];
    let mut command = project.command(&args);
    command.env("FORKHESTRA_WEBHOOK_URL", receiver.url("/hush"));
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let run = GuardedRun::start(&project, command);
    receiver.wait_for(1);
    let payload: Value = serde_json::from_str(&receiver.received()[0].body).expect("it is JSON");
    run.output().wait_for("A comment can follow");

    let notified = payload["text"].as_str().expect("a text").to_owned();
    let printed = run.output().text();
    let approve = command_after(&printed, "To approve: ");
    assert_eq!(command_after(&notified, "To approve: "), approve);
    assert_eq!(command_after(&notified, "To deny: "), command_after(&printed, "To deny: "));
    let named = approve.join(" ");
    assert!(named.ends_with(&format!("{option} --question 1")), "{named}");
    let place = &approve[1..approve.len() - 2];
    let show: Vec<String> = ["show".to_owned()].into_iter().chain(place.iter().cloned()).collect();
    assert_eq!(command_after(&run_copied(&project, &show), "To approve: "), approve);

    run.signal(Signal::TERM);
    let ended = run.ended();
    let resume = command_after(&ended.stdout, "To answer: ").join(" ");
    assert!(resume.ends_with(&format!("{option} --approve, or --deny")), "{resume}");
    let shown = run_copied(&project, &show);
    assert_eq!(command_after(&shown, "To answer: ").join(" "), resume);
    let mut tell = show.clone();
    "tell".clone_into(&mut tell[0]);
    tell.push("Begin with the tests.".to_owned());
    let told = run_copied(&project, &tell);
    assert!(command_after(&told, "To resume: ").join(" ").ends_with(&option), "{told}");
    let words = resume.trim_end_matches(", or --deny").split(' ').map(str::to_owned);
    run_copied(&project, &words.collect::<Vec<_>>());
    assert_eq!(project.started(), ["1.1", "3.1"]);
}

#[test]
fn the_notification_about_the_end_names_the_state_directory() {
    let project = project();
    let state = project.place("state");
    let receiver = WebhookReceiver::responding_with([]);
    let state_dir = state.to_str().expect("the path is UTF-8");
    let mut command =
        project.command(&["./missing:1", "--notify", "webhook", "--state-dir", state_dir]);
    command.env("FORKHESTRA_WEBHOOK_URL", receiver.url("/hush"));
    project.agent("missing", "exit 3");
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let output = GuardedRun::start(&project, command).ended();
    receiver.wait_for(1);
    let payload: Value = serde_json::from_str(&receiver.received()[0].body).expect("it is JSON");
    let notified = command_after(payload["text"].as_str().expect("a text"), "To resume: ");
    assert_eq!(notified, command_after(&output.stdout, "To resume: "));
    assert!(notified.contains(&state_dir.to_owned()), "{notified:?}");
}
