//! Shared by tests of past runs: runs in all states, and placeholders for what differs.

use std::fs;
use std::path::{Path, PathBuf};

use testkit::{CommandOutput, TestEnv};

use crate::support::agents_at_work::{DONE, id, run, runs, steady};
use crate::{FORKHESTRA, forkhestra};

/// Runs a verb, with placeholders for what differs.
pub(crate) fn normalised_output(env: &TestEnv, args: &[&str]) -> CommandOutput {
    // Runs that the verb removes have ids, too.
    let before = runs(env);
    let output = steady(env, &forkhestra(env, args));
    let normalise = |text: &str| {
        let text = before.iter().fold(text.to_owned(), |text, run| text.replace(id(run), "[id]"));
        without_moments(&text)
    };
    CommandOutput {
        stdout: normalise(&output.stdout),
        stderr: normalise(&output.stderr),
        code: output.code,
    }
}

/// Replaces timestamps, durations and sizes, and collapses columns.
pub(crate) fn without_moments(text: &str) -> String {
    let mut lines = Vec::new();
    for line in text.lines() {
        let indent = line.len() - line.trim_start().len();
        let cells = line.trim_start().split("  ").filter(|cell| !cell.is_empty());
        let cells: Vec<String> = cells.map(|cell| steady_cell(cell.trim())).collect();
        lines.push(format!("{}{}\n", &line[..indent], cells.join("  ")));
    }
    lines.concat()
}

fn steady_cell(cell: &str) -> String {
    let words: Vec<&str> = cell.split(' ').collect();
    let mut normalised: Vec<String> = Vec::new();
    for word in words {
        let bare = word.trim_end_matches([',', ')', ':']);
        let name = match bare {
            bare if is_like(bare, "0000-00-00") => "[date]",
            bare if is_like(bare, "00:00") || is_like(bare, "00:00:00") => "[time]",
            bare if is_duration(bare) => "[duration]",
            "KiB" | "MiB" => {
                normalised.pop();
                "[size]"
            }
            bare => bare,
        };
        normalised.push(format!("{name}{}", &word[bare.len()..]));
    }
    normalised.join(" ")
}

/// Whether a word has digits where the pattern has zeros, and equals the pattern elsewhere.
fn is_like(word: &str, pattern: &str) -> bool {
    let fits = |(a, b): (char, char)| a == b || (a.is_ascii_digit() && b == '0');
    word.len() == pattern.len() && word.chars().zip(pattern.chars()).all(fits)
}

fn is_duration(word: &str) -> bool {
    let number = word.strip_suffix("ms").or_else(|| word.strip_suffix('s'));
    number.is_some_and(|number| number.parse::<f64>().is_ok())
}

/// A project with agents: `done` completes at once, `fails` fails, `idle` never completes.
pub(crate) fn with_agents() -> TestEnv {
    let env = TestEnv::new();
    env.agent("done", DONE).agent("fails", "echo oops >&2; exit 3").agent("idle", "echo hm");
    env
}

/// Runs a chain to its end, and returns the directory of the run.
#[track_caller]
pub(crate) fn past(env: &TestEnv, args: &[&str]) -> PathBuf {
    let before = runs(env);
    let output = run(env, args);
    assert!(matches!(output.code, Some(0 | 1)), "{output}");
    let mut new: Vec<PathBuf> = runs(env).into_iter().filter(|run| !before.contains(run)).collect();
    assert_eq!(new.len(), 1, "{output}");
    new.remove(0)
}

/// Runs a loop, and cuts its journal as if it had been killed in the second iteration.
#[track_caller]
pub(crate) fn cut_off(env: &TestEnv) -> PathBuf {
    let run = past(env, &["idle:3"]);
    let journal = fs::read_to_string(run.join("journal.jsonl")).expect("there is a journal");
    let second = journal.match_indices("\"iteration_started\"").nth(1).expect("there are three").0;
    let end = second + journal[second..].find('\n').expect("a line ends") + 1;
    fs::write(run.join("journal.jsonl"), &journal[..end]).expect("the journal is ours");
    forget_notes(&run);
    run
}

/// Removes what a finished run leaves beside its journal.
fn forget_notes(run: &Path) {
    for name in ["overview.json", "stats.json"] {
        let _ = fs::remove_file(run.join(name));
    }
}

/// Damages a line in the middle of a journal.
pub(crate) fn damage(run: &Path) {
    let file = run.join("journal.jsonl");
    let text = fs::read_to_string(&file).expect("there is a journal");
    fs::write(&file, text.replacen("{\"seq\":2,", "{\"seq\":2;", 1)).expect("it is ours");
    forget_notes(run);
}

/// Makes a journal look as if a newer version had written it.
pub(crate) fn write_in_future(run: &Path) {
    let file = run.join("journal.jsonl");
    let text = fs::read_to_string(&file).expect("there is a journal");
    let (before, after) = text.split_once("\"format\":\"4.").expect("it has a format");
    fs::write(&file, format!("{before}\"format\":\"5.{after}")).expect("it is ours");
    forget_notes(run);
}

/// A path as normalised outputs have it.
pub(crate) fn shown(env: &TestEnv, path: &Path) -> String {
    env.normalised(path.as_os_str().as_encoded_bytes())
}

/// The same in another directory.
pub(crate) fn normalised_output_in(
    env: &TestEnv,
    directory: &Path,
    args: &[&str],
) -> CommandOutput {
    let mut command = env.command(FORKHESTRA);
    let output = steady(env, &env.output_of(command.args(args).current_dir(directory)));
    CommandOutput { stdout: without_moments(&output.stdout), ..output }
}
