//! `--output json`: one event per line.

use std::fs;

use serde_json::Value;
use testkit::TestEnv;

use crate::project;
use crate::support::agents_at_work::{DONE, only_run, run};

#[track_caller]
fn lines(env: &TestEnv, args: &[&str]) -> Vec<Value> {
    let output = env.run(crate::FORKHESTRA, &[args, &["--output", "json"]].concat());
    let read = |line: &str| match serde_json::from_str(line) {
        Ok(value) => value,
        Err(error) => panic!("{error}: {line}"),
    };
    output.stdout.lines().map(read).collect()
}

fn names(lines: &[Value]) -> Vec<&str> {
    lines.iter().map(|line| line["event"].as_str().unwrap_or_default()).collect()
}

#[test]
fn every_line_is_an_event_and_the_last_one_is_the_result() {
    let env = TestEnv::new();
    env.agent("a", "echo out").agent("b", &format!("echo out; {DONE}"));
    let lines = lines(&env, &["a -> b:3"]);
    assert_eq!(
        names(&lines),
        [
            "run_started",
            "step_started",
            "iteration_started",
            "agent_started",
            "iteration_finished",
            "step_finished",
            "step_started",
            "iteration_started",
            "agent_started",
            "completion_requested",
            "iteration_finished",
            "step_finished",
            "run_finished",
        ]
    );
    let numbers: Vec<u64> = lines.iter().filter_map(|line| line["seq"].as_u64()).collect();
    assert!(numbers.iter().copied().eq(0..lines.len() as u64), "{numbers:?}");
    assert_eq!(lines[0]["format"], "4.0");
    assert_eq!(lines[lines.len() - 1]["end"]["kind"], "complete");
}

#[test]
fn the_lines_are_those_of_the_journal() {
    let env = TestEnv::new();
    env.agent("a", "echo out; [ -e tried ] || { touch tried; exit 1; }");
    let output = env.command(crate::FORKHESTRA).args(["a:2", "--output", "json"]).output();
    let stdout = output.expect("the program can be started").stdout;
    let journal = fs::read(only_run(&env).join("journal.jsonl")).expect("there is a journal");
    assert!(stdout == journal, "{}", env.normalised(&stdout));
}

#[test]
fn agent_output_is_not_mixed_with_events() {
    let env = TestEnv::new();
    env.agent("a", "echo '{\"event\":\"fake\"}'; printf 'no line break'; echo err >&2");
    let output = run(&env, &["a:2", "--output", "json"]);
    assert_eq!(output.stderr, "err\nerr\n");
    assert!(
        !output.stdout.contains("fake") && !output.stdout.contains("no line break"),
        "{output}"
    );
}

#[test]
fn an_incomplete_run_reports_its_reason() {
    let env = TestEnv::new();
    env.agent("a", "").agent("b", "exit 4");
    let lines = lines(&env, &["a -> b -> a"]);
    let end = &lines[lines.len() - 1]["end"];
    assert_eq!((&end["kind"], &end["reason"]), (&"incomplete".into(), &"failed".into()));
    assert_eq!((&end["step"], &end["end"]["end"]["code"]), (&2.into(), &4.into()));
}

#[test]
fn exit_codes_are_the_same_as_for_the_human_format() {
    let env = project(r#"{ "chains": { "empty": { "steps": [] } } }"#);
    env.agent("good", DONE).agent("bad", "exit 3");
    for (args, code) in [
        (&["good:2"][..], 0),
        (&["--chain", "empty"], 2),
        (&["bad"], 1),
        (&["bad:1"], 1),
        (&["nobody"], 2),
        (&["good:0"], 2),
    ] {
        let output = run(&env, &[args, &["--output", "json"]].concat());
        assert_eq!(output.code, Some(code), "{output}");
        assert_eq!(output.stdout.is_empty(), code == 2, "{output}");
    }
}

#[test]
fn a_warning_is_an_event() {
    let env = TestEnv::new();
    env.agent("a", "echo changed > prompt.md").write("prompt.md", "first");
    let lines = lines(&env, &["a:2", "--prompt-file", "prompt.md"]);
    let warning = lines.iter().find(|line| line["event"] == "warning").expect("there is one");
    assert_eq!(warning["message"], "the prompt of step 1 is not what it was before");
}

#[test]
fn quiet_and_verbose_change_nothing_for_programs() {
    let env = TestEnv::new();
    env.agent("a", "");
    for option in ["--quiet", "-v"] {
        let lines = lines(&env, &["a", option]);
        assert_eq!(names(&lines).len(), 7, "{option}");
    }
}

#[test]
fn json_has_no_colours() {
    let env = TestEnv::new();
    env.agent("a", "");
    assert_eq!(lines(&env, &["a", "--color", "always"]).len(), 7);
}
