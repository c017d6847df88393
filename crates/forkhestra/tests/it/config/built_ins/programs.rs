//! Programs with the name of a built-in agent or of an agent program.

use insta::assert_snapshot;
use testkit::TestEnv;

use crate::run::direct_spawn::{RECORD_INVOCATION, arguments};
use crate::support::agents_at_work::run;
use crate::{CONFIG, forkhestra, planned};

/// An environment with the agent program and a program of this name on PATH.
fn with_program_called(name: &str, script: &str) -> TestEnv {
    let env = TestEnv::new();
    env.agent("claude", RECORD_INVOCATION).agent(name, script);
    env.write("forge/orch/specs/PLAN.md", "# Plan\n\nA calculator.\n");
    env
}

#[test]
fn a_program_on_path_does_not_replace_an_agent_of_a_built_in_chain() {
    let env = with_program_called("planner", "echo GUI: $@");
    let output = run(&env, &["--chain", "plan"]);
    assert!(!output.stdout.contains("GUI"), "{output}");
    assert!(arguments(&env).iter().any(|arg| arg.contains("# Planner")), "{output}");
    let warning = "warning: a program `planner` is on PATH ($TEST/bin/planner); the built-in chain \
                   uses the built-in agent\n";
    assert!(output.stderr.starts_with(warning), "{output}");
    assert_snapshot!(forkhestra(&env, &["--chain", "plan", "--dry-run", "--quiet"]), @r##"
      1. planner - loop up to 5 iterations
           agent: direct spawn of claude (built-in)
           system prompt: "# Planner" (+62 lines)
           model: sonnet
           max turns: 50
           allowed tools: Read, Grep, Glob, Bash
           check: planned  [added because this agent makes tasks]
           stagnation: at most 2  [default of planner loops]
    ------- stderr -------
    warning: a program `planner` is on PATH ($TEST/bin/planner); the built-in chain uses the built-in agent
    hint: to use the program: "planner": { "command": "planner" } under `agents` in the config file
    "##);
}

#[test]
fn the_config_can_replace_an_agent_of_a_built_in_chain_by_a_program() {
    let env = with_program_called("planner", "echo GUI: $@\necho FORKHESTRA_COMPLETE");
    env.write(CONFIG, r#"{ "agents": { "planner": { "command": "planner" } }, "chains": {} }"#);
    let output = run(&env, &["--chain", "plan"]);
    assert!(output.stdout.contains("GUI"), "{output}");
    assert!(!output.stderr.contains("planner"), "{output}");
}

#[test]
fn a_typed_name_means_the_program_and_a_warning_names_the_built_in_agent() {
    let env = with_program_called("planner", "echo FORKHESTRA_COMPLETE");
    env.install("builder");
    let warned = |chain: &str| forkhestra(&env, &[chain, "--dry-run"]).stderr;
    assert_snapshot!(warned("planner:3"), @"warning: `planner` means the program `$TEST/bin/planner`; the built-in agent is `fk:planner`");
    assert_snapshot!(warned("planner:3 -> builder:3"), @"warning: `planner` and `builder` mean programs on PATH; the built-in agents are `fk:planner` and `fk:builder`");
    assert_eq!(warned("fk:planner:3"), "");
}

#[test]
fn list_and_doctor_report_a_program_with_the_name_of_a_built_in_agent() {
    let env = with_program_called("planner", "echo");
    let listed = forkhestra(&env, &["list"]).success();
    let note = "the built-in agent of this name is `fk:planner`; built-in chains use it";
    assert!(listed.contains(&format!("    {note}\n")), "{listed}");
    let output = forkhestra(&env, &["doctor"]);
    assert!(output.stdout.contains(&format!("agent `planner`: {note}")), "{output}");
}

#[test]
fn a_wrapper_given_as_a_path_is_a_plain_program() {
    let env = TestEnv::new();
    env.write_script("claude").install("claude");
    env.write(CONFIG, r#"{ "agents": { "wrapped": { "command": "./claude" } }, "chains": {} }"#);
    for agent in ["./claude", "wrapped"] {
        let shown = planned(&env, &[agent]);
        assert!(shown.contains("agent: program $TEST/project/claude"), "{shown}");
    }
    let shown = planned(&env, &["claude"]);
    assert!(shown.contains("direct spawn"), "{shown}");
}
