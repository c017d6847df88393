//! Shared by tests of runs: running agents, and placeholders for what differs from run to run.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use testkit::{CommandOutput, TestEnv};

use crate::FORKHESTRA;

/// Prints the completion marker.
pub(crate) const DONE: &str = "echo FORKHESTRA_COMPLETE";

/// Runs `forkhestra` to its end, with placeholders for what differs from run to run.
pub(crate) fn run(env: &TestEnv, args: &[&str]) -> CommandOutput {
    steady(env, &env.run(FORKHESTRA, args))
}

/// Replaces what differs from run to run by `[id]`, `[time]` and the directory of the run.
pub(crate) fn steady(env: &TestEnv, output: &CommandOutput) -> CommandOutput {
    let runs = runs(env);
    let normalised = |text: &str| {
        let mut text = text.to_owned();
        for run in &runs {
            let tree = run.parent().expect("a run is in the directory of its work tree");
            text = text.replace(name(run), "[started]-[id]").replace(id(run), "[id]");
            text = text.replace(name(tree), "[work tree]");
        }
        text.split_inclusive('\n').map(without_times).collect()
    };
    CommandOutput {
        stdout: normalised(&output.stdout),
        stderr: normalised(&output.stderr),
        code: output.code,
    }
}

/// Replaces the times in the rows of a summary, below them, and in detailed lines.
fn without_times(line: &str) -> String {
    let is_row =
        line.starts_with("  ") && line.trim_start().starts_with(|c: char| c.is_ascii_digit());
    let varying = ["] In all: ", "] Check passed: ", " bytes on stdout"];
    if !is_row && !varying.iter().any(|part| line.contains(part)) {
        return line.to_owned();
    }
    let normalised = |word: &str| {
        let end = word.trim_end_matches([',', ')', '\n']).len();
        let (bare, rest) = word.split_at(end);
        let (open, bare) = bare.split_at(usize::from(bare.starts_with('(')));
        if is_time(bare) { format!("{open}[time]{rest}") } else { word.to_owned() }
    };
    line.split(' ').map(normalised).collect::<Vec<_>>().join(" ")
}

/// Whether a word is a short duration as printed for users.
pub(crate) fn is_time(word: &str) -> bool {
    let number = word.strip_suffix("ms").or_else(|| word.strip_suffix('s'));
    number.is_some_and(|number| number.parse::<f64>().is_ok())
}

/// The directories of all runs of a test, the oldest first.
pub(crate) fn runs(env: &TestEnv) -> Vec<PathBuf> {
    let mut found = Vec::new();
    find_runs(env.root(), &mut found);
    found.sort_by_key(|run| first_line(run));
    found
}

fn find_runs(directory: &Path, found: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(directory).expect("the directory is ours");
    for entry in entries {
        let entry = entry.expect("the directory is ours");
        // Links lead out of the test directory.
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

/// Orders runs by their start, which is in the first line of the journal.
fn first_line(run: &Path) -> String {
    let text = fs::read_to_string(run.join("journal.jsonl")).expect("the journal can be read");
    let first = text.lines().next().unwrap_or_default();
    let at = serde_json::from_str::<Value>(first).map(|line| line["at"].to_string());
    at.unwrap_or_default()
}

#[track_caller]
pub(crate) fn only_run(env: &TestEnv) -> PathBuf {
    let mut runs = runs(env);
    assert_eq!(runs.len(), 1, "{runs:?}");
    runs.remove(0)
}

fn name(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).expect("we know how it is called")
}

pub(crate) fn id(run: &Path) -> &str {
    name(run).split_once('-').map_or("", |(_, id)| id)
}

/// The lines of a run's journal.
pub(crate) fn journal(run: &Path) -> Vec<Value> {
    let text = fs::read_to_string(run.join("journal.jsonl")).expect("the journal can be read");
    text.lines().map(|line| serde_json::from_str(line).expect("every line is JSON")).collect()
}

/// The events of one kind of the only run.
#[track_caller]
pub(crate) fn events(env: &TestEnv, name: &str) -> Vec<Value> {
    journal(&only_run(env)).into_iter().filter(|line| line["event"] == name).collect()
}

/// The reason, in one word, why the first step of the only run ended; the last one if it was
/// resumed.
#[track_caller]
pub(crate) fn reason(env: &TestEnv) -> String {
    let finished = events(env, "step_finished");
    let last = finished.iter().rfind(|event| event["step"] == 1).expect("the step has ended");
    last["reason"].as_str().expect("it is a word").to_owned()
}

/// The started iterations of the only run: step, iteration and attempt.
#[track_caller]
pub(crate) fn iterations(env: &TestEnv) -> Vec<String> {
    let shown = |event: &Value| {
        let unit = &event["unit"];
        format!("{}-{}-{}", unit["step"], unit["iteration"], unit["attempt"])
    };
    events(env, "iteration_started").iter().map(shown).collect()
}

/// Our own lines, without the output of agents.
pub(crate) fn our_lines(output: &CommandOutput) -> String {
    let ours = |line: &&str| line.starts_with("[forkhestra]");
    output.stdout.lines().filter(ours).map(|line| format!("{line}\n")).collect()
}

/// The last line on standard output.
pub(crate) fn verdict(output: &CommandOutput) -> &str {
    output.stdout.lines().last().unwrap_or_default()
}

/// A journal as a version without hashes would have written it. Its lines can be changed.
pub(crate) fn without_hashes(journal: &str) -> String {
    let line = |line: &str| match line.rsplit_once(",\"hash\":\"") {
        Some((before, _)) => format!("{before}}}\n"),
        None => format!("{line}\n"),
    };
    journal
        .lines()
        .map(line)
        .collect::<String>()
        .replace("\"format\":\"4.0\"", "\"format\":\"2.1\"")
}
