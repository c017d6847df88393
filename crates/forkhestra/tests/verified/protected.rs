//! Files that agents may not change.

use crate::support::{DONE, config, events_of, forkhestra, project, repository, verdicts};

#[test]
fn changing_a_protected_file_refuses_completion() {
    let env = repository();
    env.write("tests/one", "1\n").write("tests/deep/two", "2\n");
    env.agent("a", "echo cheat > tests/deep/two; echo x > tests/new; rm -f tests/one; echo FORKHESTRA_COMPLETE");
    let output = forkhestra(&env, &["a:2", "--protect", "tests/**"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert_eq!(verdicts(&env), ["refused protected_files", "refused protected_files"]);
    for name in ["tests/deep/two", "tests/new", "tests/one"] {
        assert!(output.stdout.contains(name), "{name}: {output}");
    }
}

#[test]
fn restoring_protected_files_allows_completion() {
    let env = repository();
    env.write("tests/one", "1\n");
    env.agent(
        "a",
        "printf '%s' \"$FORKHESTRA_FEEDBACK\" > told; \
        if [ $FORKHESTRA_ITERATION = 1 ]; then echo 2 > tests/one; else echo 1 > tests/one; fi; \
        echo FORKHESTRA_COMPLETE",
    );
    assert_eq!(forkhestra(&env, &["a:3", "--protect", "tests"]).code, Some(0));
    assert_eq!(verdicts(&env), ["refused protected_files", "complete marker"]);
    assert!(env.read("told").contains("tests/one"));
}

#[test]
fn changes_can_be_allowed_and_are_noted() {
    let env = repository();
    env.write("tests/one", "1\n").agent("a", &format!("echo 2 > tests/one; {DONE}"));
    config(
        &env,
        r#"{"chains": {"c": {"protect": ["tests/**"], "onProtectedChange": "allow",
        "steps": [{"agent": "a", "iterations": 2}]}}}"#,
    );
    assert_eq!(forkhestra(&env, &["--chain", "c"]).code, Some(0));
    let observation = &events_of(&env, "iteration_finished")[0]["sight"];
    assert_eq!(observation["protected"]["listed"][0], "tests/one");
}

#[test]
fn files_written_by_an_earlier_step_are_no_change() {
    let env = project();
    env.agent("planner", "mkdir -p tests; echo 1 > tests/one").agent("builder", DONE);
    let output = forkhestra(&env, &["planner -> builder:3", "--protect", "tests/**"]);
    // The first step may not change them either.
    assert_eq!(output.code, Some(1), "{output}");
    let env = project();
    env.agent("planner", "mkdir -p tests; echo 1 > tests/one").agent("builder", DONE);
    config(
        &env,
        r#"{"chains": {"c": {"steps": [{"agent": "planner"},
        {"agent": "builder", "iterations": 3, "protect": ["tests/**"]}]}}}"#,
    );
    let output = forkhestra(&env, &["--chain", "c"]);
    assert_eq!(output.code, Some(0), "{output}");
}
