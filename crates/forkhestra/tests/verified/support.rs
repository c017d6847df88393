//! Helpers of these tests.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use testkit::{CommandOutput, TestEnv};

use crate::{FORKHESTRA, RALPH_RUNNER};

/// Prints the completion marker.
pub(crate) const DONE: &str = "echo FORKHESTRA_COMPLETE";

/// A project with shells and git on PATH.
pub(crate) fn project() -> TestEnv {
    let env = TestEnv::new();
    for name in ["git", "sh", "cat", "sleep", "grep", "mkdir", "rm", "cp", "touch", "env", "sort"] {
        env.link_system_program(name);
    }
    env
}

/// A project that is a git repository with one commit, and an identity to commit with.
pub(crate) fn repository() -> TestEnv {
    let env = project();
    env.write_home(".gitconfig", "[user]\nname = Ada\nemail = ada@localhost\n");
    env.write("README", "begin\n");
    git(&env, "init --quiet --initial-branch=main");
    git(&env, "add --all");
    git(&env, "commit --quiet --message begin");
    env
}

/// Runs git in the project, and returns its standard output.
#[track_caller]
pub(crate) fn git(env: &TestEnv, args: &str) -> String {
    let done = env.run("/bin/sh", &["-c", &format!("git {args}")]);
    assert_eq!(done.code, Some(0), "git {args}: {done}");
    done.stdout
}

/// Writes the config file of the project.
pub(crate) fn config(env: &TestEnv, text: &str) {
    env.write("forge/orch/chains.json", text);
}

pub(crate) fn forkhestra(env: &TestEnv, args: &[&str]) -> CommandOutput {
    env.run(FORKHESTRA, args)
}

pub(crate) fn ralph(env: &TestEnv, args: &[&str]) -> CommandOutput {
    env.run(RALPH_RUNNER, args)
}

#[track_caller]
pub(crate) fn run_directory(env: &TestEnv) -> PathBuf {
    let mut found = Vec::new();
    find_runs(env.root(), &mut found);
    assert_eq!(found.len(), 1, "{found:?}");
    found.remove(0)
}

#[track_caller]
pub(crate) fn run_id(env: &TestEnv) -> String {
    let directory = run_directory(env);
    let name = directory.file_name().and_then(|name| name.to_str()).expect("we know its name");
    name.split_once('-').expect("its id is in its name").1.to_owned()
}

fn find_runs(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).expect("the directory is ours").flatten() {
        if !entry.file_type().expect("the file is ours").is_dir() {
            continue;
        }
        if entry.path().join("journal.jsonl").exists() {
            found.push(entry.path());
        } else {
            find_runs(&entry.path(), found);
        }
    }
}

#[track_caller]
pub(crate) fn events(env: &TestEnv) -> Vec<Value> {
    let journal = run_directory(env).join("journal.jsonl");
    let text = fs::read_to_string(journal).expect("the journal can be read");
    text.lines().map(|line| serde_json::from_str(line).expect("every line is JSON")).collect()
}

#[track_caller]
pub(crate) fn events_of(env: &TestEnv, name: &str) -> Vec<Value> {
    events(env).into_iter().filter(|event| event["event"] == name).collect()
}

/// The verdict of each iteration: `complete marker`, `refused checks_failed`, `incomplete`.
#[track_caller]
pub(crate) fn verdicts(env: &TestEnv) -> Vec<String> {
    let word = |event: &Value| {
        let verdict = &event["verdict"];
        let kind = verdict["kind"].as_str().unwrap_or_default();
        let why = verdict["why"].as_str().or_else(|| verdict["by"]["kind"].as_str());
        why.map_or_else(|| kind.to_owned(), |why| format!("{kind} {why}"))
    };
    events_of(env, "iteration_finished").iter().map(word).collect()
}

/// The outcome of each check, in order: `true passed`.
#[track_caller]
pub(crate) fn check_outcomes(env: &TestEnv) -> Vec<String> {
    let word = |event: &Value| {
        let check = &event["check"];
        format!("{} {}", text(&check["name"]), text(&check["outcome"]))
    };
    events_of(env, "check_finished").iter().map(word).collect()
}

/// The reason of the last ended step.
#[track_caller]
pub(crate) fn reason(env: &TestEnv) -> String {
    text(&events_of(env, "step_finished").last().expect("a step has ended")["reason"])
}

pub(crate) fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
