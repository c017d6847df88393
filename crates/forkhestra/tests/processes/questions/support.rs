//! A run that asks a person.

use std::fs;

use crate::support::{GuardedRun, ProcessProject, eventually};

/// Notes what it was given, and completes.
pub(super) const NOTING_AGENT: &str = r#"
    printf '%s' "$FORKHESTRA_FEEDBACK" > "$PLACE/feedback-$n"
    printf '%s' "$FORKHESTRA_MESSAGE" > "$PLACE/message-$n"
    printf '%s' "$*" > "$PLACE/prompt-$n"
    echo FORKHESTRA_COMPLETE
"#;

/// An agent, a question, and the agent again.
pub(super) const CHAIN: &[&str] = &["./agent -> ? -> ./agent", "-p", "Work."];

/// Starts a run, and waits until it asks its first question.
pub(super) fn start_asking<'w>(project: &'w ProcessProject, args: &[&str]) -> GuardedRun<'w> {
    let run = project.start(args);
    project.wait_until_asked(1, 1);
    run
}

/// A project with the noting agent.
pub(super) fn project() -> ProcessProject {
    ProcessProject::with_agent(NOTING_AGENT)
}

/// What an iteration was given, by what it is: `feedback`, `message` or `prompt`.
#[track_caller]
pub(super) fn given(project: &ProcessProject, what: &str, unit: &str) -> String {
    let path = project.place(&format!("{what}-{unit}"));
    eventually(&format!("`{what}-{unit}` is there"), || fs::read_to_string(&path).ok())
}

/// The answers in the journal, each with its source.
#[track_caller]
pub(super) fn answers(project: &ProcessProject) -> Vec<String> {
    let answered = project.events_of("answered");
    let words = answered.iter().map(|event| {
        let word = if event["approved"] == true { "approved" } else { "denied" };
        format!("{} {word} by {}", event["question"], event["by"].as_str().unwrap_or("?"))
    });
    words.collect()
}
