//! The fallback of a step in a dry run, and mistakes in naming one.

use insta::assert_snapshot;
use testkit::TestEnv;

use crate::{forkhestra, planned, project, refused};

const CONFIG: &str = r#"{
  "agents": {
    "maker": { "systemPromptText": "Make.", "model": "opus", "args": ["--verbose"], "env": { "ANTHROPIC_API_KEY": "x", "MODE": "y" } },
    "judge": { "systemPromptText": "Judge.", "backend": "codex" },
    "limited": { "systemPromptText": "Read.", "allowedTools": ["Read"] },
    "script": { "command": "./deploy.sh" },
  },
  "chains": {
    "both": { "fallback": "codex", "steps": [{ "agent": "maker" }, { "agent": "judge" }] },
    "own": { "steps": [{ "agent": "judge", "fallback": "codex" }] },
    "program": { "steps": [{ "agent": "script", "fallback": "codex" }] },
    "tools": { "steps": [{ "agent": "limited", "fallback": "codex" }] },
  },
}"#;

fn with_agents() -> TestEnv {
    let env = project(CONFIG);
    env.install("claude").install("codex").agent("deploy.sh", "true");
    env.write("deploy.sh", "#!/bin/sh\n");
    env
}

/// Codex has no list of tools, and a built-in agent is not refused for it.
#[test]
fn a_dry_run_says_that_a_built_in_agent_loses_its_list_of_tools() {
    let env = with_agents();
    let shown = planned(&env, &["fk:reviewer:2", "--fallback", "codex"]);
    assert!(shown.contains("allowed tools: "), "{shown}");
    let fallback = shown.lines().find(|line| line.contains("at a usage limit: codex"));
    let fallback = fallback.unwrap_or_else(|| panic!("{shown}"));
    assert!(fallback.contains("it does not get the list of allowed tools"), "{shown}");
}

#[test]
fn a_dry_run_says_what_takes_over_and_what_it_does_not_get() {
    let env = with_agents();
    let shown = forkhestra(&env, &["--dry-run", "--quiet", "--chain", "both"]);
    assert_snapshot!(shown.stdout, @r#"
    1. maker - run once
         agent: direct spawn of claude (forge/orch/chains.json:3:5)
         system prompt: "Make."
         model: opus
         env: ANTHROPIC_API_KEY, MODE
         args: --verbose
         at a usage limit: codex, with its own model; it does not get the arguments and ANTHROPIC_API_KEY
    2. judge - run once
         agent: direct spawn of codex (forge/orch/chains.json:4:5)
         system prompt: "Judge."
    "#);
    assert_snapshot!(shown.stderr, @r#"
    warning: step 1: `--verbose` is not passed to Codex, the fallback: arguments belong to one agent program
    hint: for another back-end with settings of its own, use another agent: "NAME:20 else OTHER:20"
    warning: `"fallback": "codex"` does not apply everywhere: step 2: `judge` is run by Codex itself
     --> forge/orch/chains.json:9:27
      |
    9 |     "both": { "fallback": "codex", "steps": [{ "agent": "maker" }, { "agent": "judge" }] },
      |                           ^^^^^^^ not for every step
    hint: the other steps wait at a usage limit
    "#);
    let verbose = forkhestra(&env, &["--dry-run", "-v", "maker", "--fallback", "codex"]);
    let lines = verbose.stdout.lines().skip_while(|line| !line.contains("command of the fallback"));
    let command = lines.skip(1).find(|line| line.contains("exec")).unwrap_or_default();
    assert!(command.contains("codex") && !command.contains("opus"), "{verbose}");
}

#[test]
fn a_fallback_that_is_not_installed_is_named() {
    let env = with_agents();
    let shown = planned(&env, &["judge", "--fallback", "gemini"]);
    assert!(shown.contains("warning: `gemini` is not installed (not found on PATH)"), "{shown}");
    let refused = forkhestra(&env, &["judge", "--fallback", "gemini"]).failure(2);
    assert!(refused.contains("step 1, the fallback: `gemini` is not installed"), "{refused}");
}

#[test]
fn mistakes_are_explained() {
    let env = with_agents();
    assert_snapshot!(refused(&env, &["--chain", "own"]), @r#"
    error: `"fallback": "codex"` of step 1 has no effect: `judge` is run by Codex itself
      --> forge/orch/chains.json:10:56
       |
    10 |     "own": { "steps": [{ "agent": "judge", "fallback": "codex" }] },
       |                                                        ^^^^^^^ nothing to fall back to
    hint: name another one: `claude`, `gemini` or `opencode`
    "#);
    assert_snapshot!(refused(&env, &["--chain", "program"]), @r#"
    error: `"fallback": "codex"` of step 1 has no effect: `script` is a program of its own, which no other agent program replaces
      --> forge/orch/chains.json:11:61
       |
    11 |     "program": { "steps": [{ "agent": "script", "fallback": "codex" }] },
       |                                                             ^^^^^^^ nothing to fall back to
    hint: a fallback is for built-in agents, agents with a system prompt, and `claude`, `codex`, `gemini` or `opencode` without arguments of their own
    "#);
    assert_snapshot!(refused(&env, &["--chain", "tools"]), @r#"
    error: step 1 cannot fall back to Codex: `agents.limited.allowedTools` cannot be honoured by the backend `codex`
     --> forge/orch/chains.json:5:63
      |
    5 |     "limited": { "systemPromptText": "Read.", "allowedTools": ["Read"] },
      |                                                               ^^^^^^^^ not for Codex
    hint: Codex has no lists of tools; with `"permissions": "default"` its own sandbox limits it
    hint: for another back-end with settings of its own, use another agent: "NAME:20 else OTHER:20"
    "#);
    assert_snapshot!(refused(&env, &["judge", "--fallback", "codex"]), @"
    error: `--fallback codex` has no effect: step 1: `judge` is run by Codex itself
    hint: name another one: `claude`, `gemini` or `opencode`
    ");
    assert_snapshot!(forkhestra(&env, &["maker", "--fallback", "codxe"]).failure(2), @"
    error: invalid value 'codxe' for '--fallback <NAME>' [possible values: claude, codex, gemini, opencode, off]
    hint: for the options and their values see `forkhestra --help`
    ");
}
