//! Hooks and notifications about questions.

use std::fs;
use std::process::Stdio;

use serde_json::Value;
use testkit::WebhookReceiver;

use super::support::{answers, project, start_asking};
use crate::FORKHESTRA;
use crate::support::{GuardedRun, ProcessProject};

/// A chain with this hook for its question.
fn config(hook: &str) -> String {
    let hook = Value::from(hook);
    format!(
        r#"{{ "chains": {{ "night": {{
             "hooks": {{ "on-question": {hook} }},
             "steps": [ {{ "agent": "./agent" }}, {{ "ask": "Is it right?", "timeout": "8h" }}, {{ "agent": "./agent" }} ]
        }} }} }}"#
    )
}

fn with_hook(hook: &str) -> ProcessProject {
    let project = project();
    project.config(&config(hook));
    project
}

#[test]
fn a_hook_is_called_once_for_each_question_with_its_text() {
    let project = with_hook("echo \"$FORKHESTRA_STEP $FORKHESTRA_QUESTION\" >> \"$PLACE/asked\"");
    let run = start_asking(&project, &["--chain", "night"]);
    project.wait_for("asked");
    project.run(&["stop", "--wait"]).success();
    assert_eq!(run.ended().code, Some(130));
    let resumed = project.start(&["resume"]);
    project.wait_until_asked(1, 2);
    project.run(&["approve"]).success();
    assert_eq!(resumed.ended().code, Some(0));
    let asked = fs::read_to_string(project.place("asked")).expect("the hook wrote it");
    assert_eq!(asked, "2 Is it right?\n");
}

#[test]
fn a_hook_may_answer_the_question() {
    for (verb, code) in [("approve", 0), ("deny", 1)] {
        let project = with_hook(&format!("{FORKHESTRA} {verb} 'The hook says so.'"));
        let output = project.run(&["--chain", "night"]);
        assert_eq!(output.code, Some(code), "{output}");
        assert_eq!(answers(&project).len(), 1);
    }
}

/// A hook runs only while its own question is open.
#[test]
fn a_hook_may_answer_a_later_question_without_its_number() {
    let project = project();
    let hook = Value::from(format!("{FORKHESTRA} approve"));
    project.config(&format!(
        r#"{{ "chains": {{ "night": {{ "hooks": {{ "on-question": {hook} }},
             "steps": [ {{ "ask": "One?" }}, {{ "ask": "Two?" }} ] }} }} }}"#
    ));
    let output = project.run(&["--chain", "night"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(answers(&project), ["1 approved by person", "2 approved by person"]);
}

#[test]
fn a_hook_that_fails_leaves_the_question_open() {
    let project = with_hook("exit 3");
    let run = start_asking(&project, &["--chain", "night"]);
    project.run(&["approve"]).success();
    assert_eq!(run.ended().code, Some(0));
}

#[test]
fn a_notification_has_the_text_and_the_commands() {
    let project = with_hook("true");
    let receiver = WebhookReceiver::responding_with([]);
    let mut command = project.command(&["--chain", "night", "--notify", "webhook"]);
    command.env("FORKHESTRA_WEBHOOK_URL", receiver.url("/hush"));
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let run = GuardedRun::start(&project, command);
    receiver.wait_for(1);
    let payload: Value = serde_json::from_str(&receiver.received()[0].body).expect("it is JSON");
    let id = project.run_id();
    assert_eq!(payload["question"]["text"], "Is it right?");
    let text = payload["text"].as_str().expect("a text");
    assert!(text.starts_with("Step 2 asks: Is it right?\n"), "{text}");
    for verb in ["approve", "deny"] {
        assert!(text.contains(&format!("forkhestra {verb} {id} --question 1\n")), "{text}");
    }
    assert!(text.contains("\nWithout an answer it is denied at 2"), "{text}");
    project.run(&["approve"]).success();
    assert_eq!(run.ended().code, Some(0));
}

#[test]
fn a_notification_says_what_was_made() {
    let project = ProcessProject::with_agent("echo plan > PLAN.md");
    let receiver = WebhookReceiver::responding_with([]);
    let mut git = project.command_in_environment("git");
    assert!(git.args(["init", "--quiet"]).status().expect("git is there").success());
    let mut command = project.command(&["./agent -> ?", "--notify", "webhook"]);
    command.env("FORKHESTRA_WEBHOOK_URL", receiver.url("/hush"));
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let run = GuardedRun::start(&project, command);
    receiver.wait_for(1);
    run.output().wait_for("A comment can follow");
    let printed = run.output().text();
    let (_, made) = printed.split_once("] Changes by step 1, ").expect("it changed files");
    let made = format!("\nChanges by step 1, {}\n", made.lines().next().unwrap_or_default());
    let payload: Value = serde_json::from_str(&receiver.received()[0].body).expect("it is JSON");
    let text = payload["text"].as_str().expect("a text");
    assert!(text.contains(&made), "{made}: {text}");
    project.run(&["approve"]).success();
    assert_eq!(run.ended().code, Some(0));
}
