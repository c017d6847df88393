//! Tests that hooks are called at their points, in order.

use std::fs;
use std::process::Command;

use rustix::process::Signal;

use crate::support::{PlannedRun, kill, project};

/// A chain of one looping agent, and all hooks, each of which writes its name to a file.
fn with_all_hooks(step: &str) -> String {
    let points = [
        "pre-iteration",
        "post-iteration",
        "on-complete",
        "on-stagnation",
        "on-failure",
        "on-interrupt",
        "on-limit",
    ];
    let hooks: Vec<String> =
        points.iter().map(|point| format!(r#""{point}": ["echo {point} >> order"]"#)).collect();
    let hooks = hooks.join(", ");
    format!(r#""hooks": {{{hooks}}}, "steps": [{{"agent": "worker", {step}}}]"#)
}

fn order(run: &mut PlannedRun) -> Vec<String> {
    run.end();
    run.text("order").lines().map(str::to_owned).collect()
}

const AGENT: &str = "echo agent >> order; ";

#[test]
fn every_iteration_has_a_hook_before_and_after_it_and_the_run_one_at_its_end() {
    let twice = format!("{AGENT}[ $FORKHESTRA_ITERATION = 2 ] || exit 0; ");
    let step = r#""iterations": 3, "checks": ["command:echo check >> order"]"#;
    let mut run = PlannedRun::chain(&twice, &with_all_hooks(step));
    let iteration = ["pre-iteration", "agent", "post-iteration"];
    let last = ["pre-iteration", "agent", "check", "post-iteration", "on-complete"];
    assert_eq!(order(&mut run), [&iteration[..], &last[..]].concat());
}

#[test]
fn a_failed_run_calls_its_failure_hooks() {
    let mut run = PlannedRun::chain("exit 0; ", &with_all_hooks(r#""iterations": 1"#));
    assert_eq!(order(&mut run), ["pre-iteration", "post-iteration", "on-failure"]);
}

#[test]
fn a_limit_hook_runs_before_the_failure_hook() {
    let step = r#""iterations": 1, "limits": {"time": "2s"}"#;
    let mut run = PlannedRun::chain("sleep 100; ", &with_all_hooks(step));
    let expected = ["pre-iteration", "post-iteration", "on-limit", "on-failure"];
    assert_eq!(order(&mut run), expected);
}

#[test]
fn a_stagnated_run_calls_its_stagnation_hooks() {
    let step = r#""iterations": 5, "limits": {"stagnation": 1}"#;
    let directory = project("exit 0; ", &with_all_hooks(step));
    let git = Command::new("git").args(["init", "-q"]).arg(directory.path()).status();
    assert!(git.is_ok_and(|status| status.success()), "there is a git");
    // Files of the run must not count as work.
    fs::write(directory.path().join(".gitignore"), "*\n").expect("the directory is ours");
    let mut run = PlannedRun::start("plan", directory);
    assert_eq!(order(&mut run), ["pre-iteration", "post-iteration", "on-stagnation"]);
}

#[test]
fn an_interrupted_run_calls_only_the_hook_of_its_end() {
    let mut run =
        PlannedRun::chain("echo x > on; sleep 100; ", &with_all_hooks(r#""iterations": 3"#));
    run.file("on");
    kill(run.guard, Signal::INT);
    assert_eq!(order(&mut run), ["pre-iteration", "on-interrupt"]);
}

#[test]
fn hooks_of_one_point_run_in_sequence_whatever_they_return() {
    let hooks = r#""hooks": {"pre-iteration": [
        "echo 1 >> order; exit 1",
        {"run": "echo 2 >> order; sleep 100", "timeout": "2s"},
        "echo 3 >> order"
    ]}, "steps": [{"agent": "worker"}]"#;
    let mut run = PlannedRun::chain(AGENT, hooks);
    let (lines, end) = run.end();
    let ends: Vec<&String> = lines.iter().filter(|line| line.contains(" ended: ")).collect();
    assert_eq!(
        ends,
        [
            "pre-iteration 1 of 1.1.1 ended: exit 1",
            "pre-iteration 2 of 1.1.1 ended: took too long",
            "pre-iteration 3 of 1.1.1 ended: well",
        ]
    );
    assert_eq!(run.text("order"), "1\n2\n3\nagent\n");
    assert_eq!(end.code(), Some(0));
}

#[test]
fn a_hook_that_must_not_fail_ends_the_run() {
    let hooks = r#""hooks": {"pre-iteration": [{"run": "exit 1", "onError": "abort"}]},
        "steps": [{"agent": "worker"}]"#;
    let mut run = PlannedRun::chain(AGENT, hooks);
    let (lines, end) = run.end();
    assert!(!lines.iter().any(|line| line.starts_with("iteration")), "{lines:#?}");
    assert_eq!((run.text("order").as_str(), end.code()), ("", Some(1)));
}

#[test]
fn an_interrupted_hook_leaves_nothing() {
    let hooks = r#""hooks": {
            "pre-iteration": ["(setsid sleep 100 &); echo x > on; sleep 100"],
            "on-interrupt": ["echo told >> order"]
        }, "steps": [{"agent": "worker"}]"#;
    let mut run = PlannedRun::chain(AGENT, hooks);
    run.file("on");
    kill(run.guard, Signal::INT);
    let (lines, end) = run.end();
    assert_eq!(run.processes(), []);
    assert!(!lines.iter().any(|line| line.starts_with("iteration")), "{lines:#?}");
    assert_eq!((run.text("order").as_str(), end.code()), ("told\n", Some(130)));
}

#[test]
fn a_hook_that_leaves_a_process_with_its_pipes_blocks_nothing() {
    let hooks = r#""hooks": {"post-iteration": ["(setsid sleep 100 &)"]},
        "steps": [{"agent": "worker"}]"#;
    let mut run = PlannedRun::chain(AGENT, hooks);
    let (lines, end) = run.end();
    assert!(lines.contains(&"post-iteration 1 of 1.1.1 ended: well".to_owned()), "{lines:#?}");
    assert_eq!(run.processes(), []);
    assert_eq!(end.code(), Some(0));
}
