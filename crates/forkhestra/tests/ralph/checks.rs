//! All checks run after every iteration, and decide.

use testkit::TestEnv;

use crate::{DONE, looped, noted, ralph, repository};

/// A project whose agent `a` runs `script`.
fn with_agent(script: &str) -> TestEnv {
    let env = TestEnv::new();
    env.agent("a", script);
    env
}

#[test]
fn a_marker_is_refused_while_a_check_fails() {
    let env =
        with_agent(&format!("echo x >> ran; [ $FORKHESTRA_ITERATION -lt 3 ] || touch ok; {DONE}"));
    let output = looped(&env, "a", 9, &["--check", "command:\"test -e ok\""]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(noted(&env, "ran"), "x x x");
}

#[test]
fn an_exit_code_of_zero_is_enough_with_checks_and_not_without() {
    let env = with_agent("touch ok");
    assert_eq!(looped(&env, "a", 3, &["--check", "file:ok"]).code, Some(0));
    assert_eq!(looped(&env, "a", 2, &[]).code, Some(1));
}

#[test]
fn a_failing_agent_is_not_done_though_its_checks_pass() {
    let env = with_agent("touch ok; exit 3");
    let output = looped(&env, "a", 2, &["--check", "file:ok", "--stagnation", "off"]);
    assert_eq!(output.code, Some(1), "{output}");
}

#[test]
fn all_checks_run_after_every_iteration_although_one_fails() {
    let env = with_agent("true");
    let checks = [
        "--check",
        "command:echo first >> checked; false",
        "--check",
        "command:echo second >> checked",
        "--stagnation",
        "off",
    ];
    assert_eq!(looped(&env, "a", 2, &checks).code, Some(1));
    assert_eq!(noted(&env, "checked"), "first second first second");
}

#[test]
fn the_next_iteration_gets_the_failed_checks() {
    let env =
        with_agent("echo \"$FORKHESTRA_FEEDBACK\" >> heard; echo \"$FORKHESTRA_ITERATION\" > n");
    let check = ["--check", "command:\"echo too few tests; exit 1\"", "--stagnation", "off"];
    assert_eq!(looped(&env, "a", 2, &check).code, Some(1));
    assert!(env.read("heard").contains("too few tests"), "{}", env.read("heard"));
    let quiet = [&check[..], &["--no-feedback"]].concat();
    env.write("heard", "");
    assert_eq!(looped(&env, "a", 2, &quiet).code, Some(1));
    assert!(!env.read("heard").contains("too few tests"), "{}", env.read("heard"));
}

#[test]
fn a_check_may_be_for_one_agent_of_a_chain() {
    let env = with_agent(&format!("touch a-done; {DONE}"));
    env.agent("b", DONE);
    let check = ["--check", "a:file:a-done", "--check", "b:command:echo b >> checked"];
    let output = ralph(&env, &[&["--chain", "a:2 -> b:2"], &check[..]].concat());
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(noted(&env, "checked"), "b");
}

#[test]
fn a_script_gets_the_context_and_answers_in_json() {
    let env = with_agent("echo I did it");
    env.agent_file(
        "check.sh",
        "cat > context.json; echo \"$RALPH_AGENT $RALPH_ITERATION $RALPH_MAX_ITERATIONS\" > vars\n\
         echo '{\"passed\": true, \"message\": \"all is well\"}'",
    );
    let output = looped(&env, "a", 5, &["--check", "./check.sh"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(env.read("vars"), "a 1 5\n");
    let context: serde_json::Value =
        serde_json::from_str(&env.read("context.json")).expect("it is JSON");
    assert_eq!(context["iteration"], 1);
    assert_eq!(context["exitCode"], 0);
    assert_eq!(context["agentOutput"], "I did it\n");
    assert_eq!(context["workDir"], "$TEST/project");
}

#[test]
fn a_script_that_fails_in_json_fails_with_exit_code_zero() {
    let env = with_agent(DONE);
    env.agent_file("check.sh", "echo '{\"passed\": false, \"message\": \"not yet\"}'");
    let output = looped(&env, "a", 2, &["--check", "./check.sh", "--stagnation", "off"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert!(output.stdout.contains("not yet"), "{output}");
}

#[test]
fn uncommitted_files_cannot_make_a_check_pass_in_a_clean_room() {
    let env = repository();
    env.agent("a", "touch ok");
    let room = ["--check", "file:ok", "--clean-room", "--stagnation", "off"];
    assert_eq!(looped(&env, "a", 2, &room).code, Some(1));
    let commit = "git -c user.name=A -c user.email=a@a commit --quiet -m ok";
    env.agent("b", &format!("touch ok; git add ok; {commit}; true"));
    let output = looped(&env, "b", 2, &room);
    assert_eq!(output.code, Some(0), "{output}");
}

#[test]
fn work_that_changes_a_protected_file_is_not_accepted() {
    let env = repository();
    env.write("tests/one", "1").agent("a", &format!("echo x >> tests/one; {DONE}"));
    let output = looped(&env, "a", 2, &["--protect", "tests/**"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert!(output.stdout.contains("tests/one"), "{output}");
}
