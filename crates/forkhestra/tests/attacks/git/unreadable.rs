//! A repository that git cannot read: nothing is verified, so that nothing is complete.

use super::support::{assert_incomplete, attack, failing_project};
use crate::support::{DONE, events_of, forkhestra, git, project, verdicts};

/// Ways to make git fail.
const BREAKS: [&str; 5] = [
    // f01
    "rm .git/index; mkfifo .git/index",
    "rm .git/index; mkdir .git/index",
    // e15
    "echo garbage > .git/index",
    "echo '[broken' >> .git/config",
    "rm .git/HEAD; mkfifo .git/HEAD",
];

#[test]
fn what_git_cannot_read_is_not_verified() {
    for script in BREAKS {
        let env = failing_project();
        env.write("test.sh", "true\n");
        git(&env, "commit --quiet --all --message weak");
        let output = attack(&env, script, &[]);
        assert_eq!(assert_incomplete(&env, &output), ["refused not_verified"], "{script}");
        let message = "git cannot read the repository, so the work is not verified";
        assert!(output.stdout.contains(message), "{script}: {output}");
    }
}

#[test]
fn an_agent_can_repair_the_repository() {
    let env = failing_project();
    env.write("test.sh", "true\n");
    git(&env, "commit --quiet --all --message weak");
    env.agent(
        "a",
        &format!(
            "printf '%s' \"$FORKHESTRA_FEEDBACK\" > ../feedback
            if [ $FORKHESTRA_ITERATION = 1 ]; then cp .git/index ../index; echo x > .git/index
            else cp ../index .git/index; fi; {DONE}"
        ),
    );
    let output = forkhestra(&env, &["a:3", "--clean-room", "--check", "command:true"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(verdicts(&env), ["refused not_verified", "complete marker"]);
    let feedback =
        std::fs::read_to_string(env.root().join("feedback")).expect("the agent got feedback");
    assert!(feedback.contains("Git could not read the repository"), "{feedback}");
}

#[test]
fn a_broken_repository_is_no_work() {
    let env = failing_project();
    env.agent("a", &format!("echo garbage > .git/index; {DONE}"));
    crate::support::config(
        &env,
        r#"{"agents": {"b": {"command": "a"}}, "chains": {"c": {"requireWork": true,
        "steps": [{"agent": "a", "iterations": 1}]}}}"#,
    );
    let output = forkhestra(&env, &["--chain", "c"]);
    assert_eq!(assert_incomplete(&env, &output), ["refused not_verified"], "{output}");
}

#[test]
fn without_a_rule_that_needs_git_a_broken_repository_stays_a_notice() {
    let env = failing_project();
    env.agent("a", &format!("echo garbage > .git/index; {DONE}"));
    let output = forkhestra(&env, &["a:1"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert!(!events_of(&env, "warning").is_empty(), "{output}");
}

#[test]
fn a_directory_that_is_no_repository_stays_as_it_was() {
    let env = project();
    env.agent("a", &format!("echo x > made; {DONE}"));
    let output = forkhestra(&env, &["a:1", "--stagnation", "2", "--check", "file:made"]);
    assert_eq!(output.code, Some(0), "{output}");
}
