//! Verbs, misspelt verbs, and options before a verb.

use insta::assert_snapshot;
use testkit::{CommandOutput, TestEnv};

use crate::support::agents_at_work::run;
use crate::{CONFIG, FORKHESTRA, forkhestra, project};

/// Runs `forkhestra` with the programs of the system on PATH, after those of the test.
fn with_system_programs(env: &TestEnv, args: &[&str]) -> CommandOutput {
    let mut command = env.command(FORKHESTRA);
    let own = env.project().parent().expect("a test has a directory").join("bin");
    let path = format!("{}:/usr/bin:/bin", own.display());
    env.output_of(command.args(args).env("PATH", path))
}

#[test]
fn common_verbs_of_other_programs_are_aliases() {
    let env = project(r#"{ "agents": { "a": { "command": "tool" } }, "chains": {} }"#);
    env.agent("tool", "echo worked");
    assert_eq!(run(&env, &["a"]).code, Some(0));
    for (word, verb, expected) in [
        ("status", "show", "a"),
        ("log", "logs", "worked"),
        ("ls", "list", "Agents:"),
        ("ps", "runs", "complete"),
    ] {
        let output = run(&env, &[word]);
        assert_eq!(output.code, Some(0), "{word}: {output}");
        assert!(output.stdout.contains(expected), "{word}: {output}");
        assert_eq!(output.stdout, run(&env, &[verb]).stdout, "{word}");
    }
    let output = forkhestra(&env, &["attach", "nothing-like-this"]);
    assert_eq!(output.stderr, forkhestra(&env, &["watch", "nothing-like-this"]).stderr);
}

#[test]
fn a_system_program_is_an_agent_only_if_configured() {
    let env = TestEnv::new();
    assert_snapshot!(with_system_programs(&env, &["tail"]).failure(2), @"
    error: `tail` is not a known agent, but a system program (/usr/bin/tail)
    hint: did you mean `forkhestra logs`?
    hint: to run the program as an agent: forkhestra run tail
    ");
    assert_eq!(with_system_programs(&env, &["stat", "--dry-run"]).code, Some(2));
    let dry = |args: &[&str]| with_system_programs(&env, &[args, &["--dry-run"]].concat()).code;
    for args in [
        &["run", "true"][..],
        &["true:2"],
        &["true -> true"],
        &["/usr/bin/true"],
        &["true", "-p", "Do it"],
        &["true", "--", "-x"],
    ] {
        assert_eq!(dry(args), Some(0), "{args:?}");
    }
    env.write(CONFIG, r#"{ "agents": { "true": { "command": "true" } }, "chains": {} }"#);
    assert_eq!(dry(&["true"]), Some(0), "a config defines it");
    env.write(CONFIG, r#"{ "chains": { "c": { "steps": [{ "agent": "true" }] } } }"#);
    assert_eq!(dry(&["true"]), Some(0), "a chain of the config has it");
    env.install("my-agent");
    assert_eq!(dry(&["my-agent"]), Some(0), "it is a program of the user");
}

#[test]
fn suggestions_offer_verbs_and_agents_and_no_system_programs() {
    let env = project(r#"{ "agents": { "examiner": { "command": "tool" } }, "chains": {} }"#);
    env.install("my-agent");
    for (word, expected) in [
        ("resum", Some("resume")),
        ("start", Some("run")),
        ("statu", Some("status")),
        ("planer", Some("planner")),
        ("examinr", Some("examiner")),
        ("my-agnt", Some("my-agent")),
        // Similar to `login` and `sleep`, which are programs of the system.
        ("slep", None),
    ] {
        let message = with_system_programs(&env, &[word]).failure(2);
        let meant = message.lines().find_map(|line| line.strip_prefix("hint: did you mean `"));
        assert_eq!(meant.map(|meant| meant.trim_end_matches("`?")), expected, "{word}: {message}");
    }
    // With a count it cannot be a verb.
    let message = with_system_programs(&env, &["resum:3"]).failure(2);
    assert!(!message.contains("did you mean"), "{message}");
}

#[test]
fn options_may_stand_before_a_verb() {
    let env = TestEnv::new();
    env.agent("tool", "echo worked");
    assert_eq!(run(&env, &["--state-dir", "kept", "run", "tool"]).code, Some(0));
    let before = run(&env, &["--state-dir", "kept", "runs"]);
    assert_eq!(before.code, Some(0), "{before}");
    assert!(before.stdout.contains("tool"), "{before}");
    assert_eq!(before.stdout, run(&env, &["runs", "--state-dir", "kept"]).stdout);
}

#[test]
fn option_values_and_agent_arguments_are_not_taken_for_verbs() {
    let env = TestEnv::new();
    env.agent("tool", "echo \"got $*.\"").write("list/file", "");
    for (args, expected) in [
        (&["--cwd", "list", "run", "tool", "-p", "run"][..], "got run."),
        (&["-p", "run", "run", "tool"], "got run."),
        (&["--cwd", "list", "run", "tool", "--", "run"], "got run."),
        (&["--cwd", "list", "show-agent", "tool"], "tool, in a loop"),
        (&["--cwd", "list", "list", "--json"], "{"),
    ] {
        let output = run(&env, args);
        assert_eq!(output.code, Some(0), "{args:?} {output}");
        assert!(output.stdout.contains(expected), "{args:?} {output}");
    }
}
