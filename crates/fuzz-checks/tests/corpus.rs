//! Replays the committed corpus of each fuzz target, without libFuzzer.

#![expect(clippy::print_stdout, reason = "the last file that is named is the one that failed")]

use std::fs;
use std::path::{Path, PathBuf};

use fuzz_checks::FuzzCheck;

/// Runs a check on every file in the corpus of its target.
fn replay(target: &str, check: FuzzCheck) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target);
    let entries = fs::read_dir(&folder).expect("the target has a corpus");
    let mut files: Vec<PathBuf> =
        entries.map(|entry| entry.expect("the folder is readable").path()).collect();
    files.sort();
    assert!(files.len() >= 10, "{target} has too small a corpus");
    for file in files {
        println!("{}", file.display());
        check(&fs::read(&file).expect("the file is readable"));
    }
}

#[test]
fn agent_stderr() {
    replay("agent_stderr", fuzz_checks::agent_stderr);
}

#[test]
fn agent_stream() {
    replay("agent_stream", fuzz_checks::agent_stream);
}

#[test]
fn check_result() {
    replay("check_result", fuzz_checks::check_result);
}

#[test]
fn config() {
    replay("config", fuzz_checks::config);
}

#[test]
fn control() {
    replay("control", fuzz_checks::control);
}

#[test]
fn dsl() {
    replay("dsl", fuzz_checks::dsl);
}

#[test]
fn git_output() {
    replay("git_output", fuzz_checks::git_output);
}

#[test]
fn journal() {
    replay("journal", fuzz_checks::journal);
}

#[test]
fn kernel_output() {
    replay("kernel_output", fuzz_checks::kernel_output);
}

#[test]
fn program_output() {
    replay("program_output", fuzz_checks::program_output);
}

#[test]
fn recording() {
    replay("recording", fuzz_checks::recording);
}

#[test]
fn scan() {
    replay("scan", fuzz_checks::scan);
}

#[test]
fn state_files() {
    replay("state_files", fuzz_checks::state_files);
}

#[test]
fn task_file() {
    replay("task_file", fuzz_checks::task_file);
}

#[test]
fn task_merge() {
    replay("task_merge", fuzz_checks::task_merge);
}

#[test]
fn terminal_text() {
    replay("terminal_text", fuzz_checks::terminal_text);
}
