//! Hooks of the user at the stages of a run.

use crate::support::{
    DONE, events_of, forkhestra, git, project, ralph, reason, repository, verdicts,
};

/// A hook of every type, each of which records its type, the position of the run, and its context.
fn hooks_of_all_types() -> Vec<String> {
    let points = [
        "pre-iteration",
        "post-iteration",
        "on-complete",
        "on-stagnation",
        "on-failure",
        "on-interrupt",
        "on-limit",
    ];
    let note = "echo $FORKHESTRA_HOOK $RALPH_AGENT $RALPH_ITERATION/$RALPH_MAX_ITERATIONS \
                exit:$RALPH_EXIT_CODE $RALPH_STATUS >> notes";
    points.iter().flat_map(|point| ["--hook".to_owned(), format!("{point}:{note}")]).collect()
}

fn with_hooks<'a>(args: &[&'a str], hooks: &'a [String]) -> Vec<&'a str> {
    args.iter().copied().chain(hooks.iter().map(String::as_str)).collect()
}

#[test]
fn hooks_are_called_around_every_iteration_and_at_the_end() {
    let env = project();
    env.agent("a", "[ $FORKHESTRA_ITERATION = 2 ] && echo FORKHESTRA_COMPLETE; exit 0");
    let output = forkhestra(&env, &with_hooks(&["a:5"], &hooks_of_all_types()));
    assert_eq!(output.code, Some(0), "{output}");
    let notes = env.read("notes");
    assert_eq!(
        notes.lines().collect::<Vec<_>>(),
        [
            "pre-iteration a 1/5 exit: running",
            "post-iteration a 1/5 exit:0 running",
            "pre-iteration a 2/5 exit: running",
            "post-iteration a 2/5 exit:0 running",
            "on-complete a 2/5 exit:0 complete",
        ]
    );
}

#[test]
fn every_end_has_its_hook() {
    let ends = [
        ("exit 0", &["a:1"][..], "on-failure a 1/1 exit:0 max_iterations"),
        ("exit 4", &["a"], "on-failure a 1/1 exit:4 failed"),
        ("exit 0", &["a:5", "--stagnation", "1"], "on-stagnation a 1/5 exit:0 stagnated"),
    ];
    for (agent, args, expected) in ends {
        let env = repository();
        env.write(".git/info/exclude", "notes\n").agent("a", agent);
        let output = forkhestra(&env, &with_hooks(args, &hooks_of_all_types()));
        assert_eq!(output.code, Some(1), "{output}");
        let notes = env.read("notes");
        let ends: Vec<&str> = notes.lines().filter(|line| line.starts_with("on-")).collect();
        assert_eq!(ends, [expected], "{output}");
    }
}

#[test]
fn a_limit_has_a_hook_of_its_own_before_that_of_the_failure() {
    let env = project();
    env.agent("a", "exec sleep 600");
    let output = forkhestra(&env, &with_hooks(&["a:5", "--max-time", "3s"], &hooks_of_all_types()));
    assert_eq!(output.code, Some(1), "{output}");
    let notes = env.read("notes");
    let ends: Vec<&str> = notes.lines().filter(|line| line.starts_with("on-")).collect();
    assert_eq!(ends.len(), 2, "{notes}");
    assert!(ends[0].starts_with("on-limit a 1/5"), "{notes}");
    assert!(ends[1].starts_with("on-failure a 1/5"), "{notes}");
}

#[test]
fn several_hooks_of_a_type_run_in_order_and_one_that_fails_stops_nothing() {
    let env = project();
    env.agent("a", DONE).agent_file("second.sh", "echo second >> notes");
    let output = forkhestra(
        &env,
        &[
            "a:1",
            "--hook",
            "on-complete:echo first >> notes; exit 7",
            "--hook",
            "on-complete:./second.sh",
        ],
    );
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(env.read("notes"), "first\nsecond\n");
    assert!(output.stdout.contains("exit 7"), "{output}");
}

#[test]
fn a_hook_that_must_not_fail_ends_the_run_before_an_agent_is_started() {
    let env = project();
    env.agent("a", "touch started");
    crate::support::config(
        &env,
        r#"{"chains": {"c": {
        "hooks": {"pre-iteration": {"run": "exit 9", "onError": "abort"}},
        "steps": [{"agent": "a", "iterations": 3}]}}}"#,
    );
    let output = forkhestra(&env, &["--chain", "c"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert_eq!(reason(&env), "hook_failed");
    assert!(!env.has("started"), "{output}");
}

#[test]
fn show_contains_the_output_of_a_failed_hook() {
    let env = project();
    env.agent("a", DONE);
    let output = forkhestra(&env, &["a:2", "--hook", "post-iteration:echo oh no; exit 3"]);
    assert_eq!(output.code, Some(0), "{output}");
    let shown = forkhestra(&env, &["show", "-v"]);
    let line = shown.stdout.lines().skip_while(|line| *line != "Failed hooks:").nth(1);
    let line = line.unwrap_or_else(|| panic!("no hook failed: {shown}"));
    let words: Vec<&str> = line.split_whitespace().collect();
    assert_eq!(words[..3], ["post-iteration", "exit", "3"], "{shown}");
    assert!(words[3].ends_with("/output/hooks/post-iteration-1-1-1-1"), "{shown}");
}

#[test]
fn a_hook_timeout_ends_the_hook_and_the_run_continues() {
    let env = project();
    env.agent("a", DONE);
    crate::support::config(
        &env,
        r#"{"chains": {"c": {
        "hooks": {"pre-iteration": {"run": "exec sleep 600", "timeout": "200ms"}},
        "steps": [{"agent": "a", "iterations": 3}]}}}"#,
    );
    let output = forkhestra(&env, &["--chain", "c"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(verdicts(&env), ["complete marker"]);
    assert!(events_of(&env, "hook_finished")[0]["failure"].is_string());
}

#[test]
fn a_hook_gets_json_as_well() {
    let env = project();
    env.agent("a", DONE);
    assert_eq!(
        forkhestra(&env, &["a:1", "--hook", "post-iteration:cat > told.json"]).code,
        Some(0)
    );
    let context: serde_json::Value =
        serde_json::from_str(&env.read("told.json")).expect("it is JSON");
    assert_eq!((&context["hook"], &context["iteration"]), (&"post-iteration".into(), &1.into()));
    assert_eq!(context["verdict"], "complete");
}

#[test]
fn a_type_that_does_not_exist_is_an_error_that_lists_the_types() {
    let env = project();
    env.agent("a", "touch started");
    let message =
        ralph(&env, &["--agent", "a", "--max-iterations", "1", "--hook", "on-success:true"]);
    let message = message.failure(3);
    assert!(message.contains("on-success") && message.contains("on-stagnation"), "{message}");
    assert!(!env.has("started"));
}

#[test]
fn a_hook_may_commit_what_an_agent_made() {
    let env = repository();
    env.agent("a", "echo $FORKHESTRA_ITERATION > made; [ $FORKHESTRA_ITERATION = 2 ] && echo FORKHESTRA_COMPLETE; exit 0");
    let hook =
        "post-iteration:git add --all && git commit --quiet -m \"iteration $RALPH_ITERATION\"";
    let output = forkhestra(&env, &["a:5", "--hook", hook]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(git(&env, "log --format=%s"), "iteration 2\niteration 1\nbegin\n");
}
