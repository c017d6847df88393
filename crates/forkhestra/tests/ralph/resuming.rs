//! `ralph-runner --resume`: finished work is kept, and the rest is continued.

use std::fs;
use std::path::PathBuf;

use testkit::TestEnv;

use crate::{DONE, looped, noted, ralph};

/// An agent that records its iterations and completes in its fourth.
fn done_in_the_fourth() -> TestEnv {
    let env = TestEnv::new();
    let script =
        format!("echo $FORKHESTRA_ITERATION >> ran; [ $FORKHESTRA_ITERATION -lt 4 ] || {DONE}");
    env.agent("a", &script);
    env
}

/// The file of the view for the whole run.
fn view(env: &TestEnv) -> PathBuf {
    let entries = fs::read_dir(env.project().join(".agent-state")).expect("there is a view");
    let is_chain = |path: &PathBuf| {
        path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("chain-"))
    };
    entries.flatten().map(|entry| entry.path()).find(is_chain).expect("the run has a view")
}

#[test]
fn a_run_resumes_from_a_file_of_its_view_with_more_iterations() {
    let env = done_in_the_fourth();
    assert_eq!(looped(&env, "a", 2, &[]).code, Some(1));
    let view = view(&env);
    let file = view.strip_prefix(env.project()).expect("it is in the project");
    let file = file.to_string_lossy();
    let output = ralph(&env, &["--resume", &file, "--max-iterations", "9"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(noted(&env, "ran"), "1 2 3 4");
}

#[test]
fn the_printed_command_resumes_the_run() {
    let env = done_in_the_fourth();
    let output = looped(&env, "a", 2, &[]);
    let command = output.stdout.split_once("To resume: ralph-runner ").expect("it is printed").1;
    let words: Vec<&str> = command.lines().next().unwrap_or_default().split(' ').collect();
    let output = ralph(&env, &words);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(noted(&env, "ran"), "1 2 3 4");
}

/// What the run advises has to exist in this program, too.
#[test]
fn rounds_and_answers_can_be_given_to_a_resume() {
    let env = TestEnv::new();
    env.agent("a", "exit 0").agent("ci", "[ $FORKHESTRA_ROUND = 2 ]");
    let output = ralph(&env, &["--chain", "(a -> ci):1"]);
    let command = output.stdout.split_once("To resume: ralph-runner ").expect("it is printed").1;
    let words: Vec<&str> = command.lines().next().unwrap_or_default().split(' ').collect();
    assert_eq!(words[2..], ["--rounds", "2"]);
    for answer in [&["--approve"][..], &["--approve", "Use tabs."], &["--deny", "No."]] {
        let message = ralph(&env, &[&words[..2], answer].concat()).failure(3);
        assert!(message.contains(" has no open question\n"), "{answer:?}: {message}");
    }
    let output = ralph(&env, &words);
    assert_eq!(output.code, Some(0), "{output}");
}

#[test]
fn a_run_that_fails_again_has_the_exit_code_of_its_end() {
    let env = done_in_the_fourth();
    assert_eq!(looped(&env, "a", 1, &[]).code, Some(1));
    let view = view(&env);
    let output = ralph(&env, &["--resume", &view.to_string_lossy(), "--max-iterations", "2"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert!(output.stdout.contains(" To resume: ralph-runner --resume "), "{output}");
}

#[test]
fn a_complete_run_is_reported() {
    let env = TestEnv::new();
    env.agent("a", &format!("echo x >> ran; {DONE}"));
    assert_eq!(looped(&env, "a", 2, &[]).code, Some(0));
    let message = ralph(&env, &["--resume", &view(&env).to_string_lossy()]).success();
    assert!(message.starts_with("[ralph] Run "), "{message}");
    assert!(message.ends_with(" is complete; nothing is left to do\n"), "{message}");
    assert_eq!(noted(&env, "ran"), "x");
}

#[test]
fn a_missing_run_is_an_error() {
    let env = TestEnv::new();
    let message = ralph(&env, &["--resume", "nothing"]).failure(3);
    assert!(message.starts_with("error: there is no run `nothing`\n"), "{message}");
    let message = ralph(&env, &["--resume", ".agent-state/chain-nothing.json"]).failure(3);
    assert!(message.starts_with("error: "), "{message}");
}
