//! Hooks run at their times, with their context.

use testkit::TestEnv;

use crate::{DONE, looped, noted, repository};

/// Hooks of these types, each of which records its run.
fn noting(types: &[&str]) -> Vec<String> {
    let hook = |name: &&str| format!("{name}:echo {name} >> ran");
    types.iter().flat_map(|name| ["--hook".to_owned(), hook(name)]).collect()
}

/// All types.
const ALL: [&str; 7] = [
    "pre-iteration",
    "post-iteration",
    "on-complete",
    "on-stagnation",
    "on-failure",
    "on-interrupt",
    "on-limit",
];

#[track_caller]
fn hook_moments(env: &TestEnv, most: u32, more: &[&str], code: i32) -> String {
    let hooks = noting(&ALL);
    let hooks: Vec<&str> = hooks.iter().map(String::as_str).chain(more.iter().copied()).collect();
    let output = looped(env, "a", most, &hooks);
    assert_eq!(output.code, Some(code), "{output}");
    noted(env, "ran")
}

#[test]
fn hooks_of_a_run_that_completes() {
    let env = TestEnv::new();
    env.agent("a", &format!("echo agent >> ran; [ $FORKHESTRA_ITERATION -lt 2 ] || {DONE}"));
    assert_eq!(
        hook_moments(&env, 5, &[], 0),
        "pre-iteration agent post-iteration pre-iteration agent post-iteration on-complete"
    );
}

#[test]
fn hooks_of_a_run_that_is_not_done_in_time() {
    let env = TestEnv::new();
    env.agent("a", "echo agent >> ran");
    let ran = hook_moments(&env, 1, &[], 1);
    assert_eq!(ran, "pre-iteration agent post-iteration on-failure");
}

#[test]
fn hooks_of_a_run_that_stagnates() {
    let env = repository();
    env.write(".git/info/exclude", "ran\n").agent("a", "echo agent >> ran");
    let ran = hook_moments(&env, 9, &["--stagnation", "1"], 2);
    assert_eq!(ran, "pre-iteration agent post-iteration on-stagnation");
}

#[test]
fn several_hooks_of_a_type_run_in_order_with_their_context_though_one_fails() {
    let env = TestEnv::new();
    env.agent("a", DONE);
    let context = "post-iteration:echo $RALPH_AGENT $RALPH_ITERATION $RALPH_MAX_ITERATIONS \
                   $RALPH_EXIT_CODE $RALPH_STATUS $RALPH_WORK_DIR >> ran; exit 7";
    let output =
        looped(&env, "a", 4, &["--hook", context, "--hook", "post-iteration:echo second >> ran"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(noted(&env, "ran"), "a 1 4 0 running $TEST/project second");
    assert!(output.to_string().contains("post-iteration"), "{output}");
}
