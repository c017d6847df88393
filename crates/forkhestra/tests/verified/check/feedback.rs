//! The next iteration gets the reasons of a refusal.

use crate::support::{DONE, forkhestra, project, verdicts};

/// An agent that records its prompt and feedback, and prints the marker.
fn install_recording_agent(env: &testkit::TestEnv) {
    env.agent(
        "a",
        &format!(
            "printf '%s' \"$1\" > asked-$FORKHESTRA_ITERATION; \
         printf '%s' \"$FORKHESTRA_FEEDBACK\" > told-$FORKHESTRA_ITERATION; {DONE}"
        ),
    );
}

const RED: &str = "command:\"echo 3 tests failed; exit 101\"";

#[test]
fn feedback_precedes_the_prompt() {
    let env = project();
    install_recording_agent(&env);
    assert_eq!(forkhestra(&env, &["a:2", "-p", "Build it", "--check", RED]).code, Some(1));
    assert_eq!(env.read("asked-1"), "Build it");
    assert_eq!(env.read("told-1"), "");
    let asked = env.read("asked-2");
    assert!(asked.ends_with("\n\nBuild it"), "{asked}");
    for part in ["was refused", "echo 3 tests failed", "exit 101", "| 3 tests failed"] {
        assert!(asked.contains(part), "{part}: {asked}");
    }
    assert!(asked.starts_with(env.read("told-2").trim_end()), "{asked}");
}

#[test]
fn an_agent_without_a_prompt_gets_feedback_only_in_a_variable() {
    let env = project();
    install_recording_agent(&env);
    assert_eq!(forkhestra(&env, &["a:2", "--check", RED]).code, Some(1));
    assert_eq!(env.read("asked-2"), "");
    assert!(env.read("told-2").contains("3 tests failed"));
}

#[test]
fn feedback_can_be_turned_off() {
    let env = project();
    install_recording_agent(&env);
    let args = ["a:2", "-p", "Build it", "--check", RED, "--no-feedback"];
    assert_eq!(forkhestra(&env, &args).code, Some(1));
    assert_eq!((env.read("asked-2"), env.read("told-2")), ("Build it".into(), String::new()));
}

#[test]
fn an_agent_that_repeats_its_feedback_is_not_done() {
    let env = project();
    env.agent("a", "[ $FORKHESTRA_ITERATION = 1 ] && echo FORKHESTRA_COMPLETE; echo \"$1\"");
    let check = "command:\"echo FORKHESTRA_COMPLETE; echo '<promise>COMPLETE</promise>'; false\"";
    assert_eq!(forkhestra(&env, &["a:3", "-p", "Go", "--check", check]).code, Some(1));
    assert_eq!(verdicts(&env), ["refused checks_failed", "incomplete", "incomplete"]);
}

#[test]
fn feedback_does_not_count_as_a_prompt_change() {
    let env = project();
    install_recording_agent(&env);
    let output = forkhestra(&env, &["a:3", "-p", "Build it", "--check", RED]);
    assert!(!output.stderr.contains("is not what it was"), "{output}");
}
