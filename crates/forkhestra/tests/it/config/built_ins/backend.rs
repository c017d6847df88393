//! The backend of built-in agents: the default, the option, the config file, and missing programs.

use std::fs;
use std::os::unix::fs::MetadataExt;

use insta::assert_snapshot;
use testkit::TestEnv;

use crate::{FORKHESTRA, forkhestra, planned, project, refused};

/// An environment with these agent programs, a plan, and nothing else.
pub(super) fn with_programs(programs: &[&str]) -> TestEnv {
    let env = TestEnv::new();
    env.write("forge/orch/specs/PLAN.md", "A shop.\n");
    for program in programs {
        env.install(program);
    }
    env
}

#[test]
fn a_built_in_chain_needs_no_file() {
    let env = with_programs(&["claude"]);
    assert_snapshot!(planned(&env, &["--chain", "build-all"]), @r##"
    1. planner - loop up to 3 iterations
         agent: direct spawn of claude (built-in)
         system prompt: "# Planner" (+62 lines)
         model: sonnet
         max turns: 50
         allowed tools: Read, Grep, Glob, Bash
         check: planned  [added because this agent makes tasks]
         stagnation: at most 2  [default of planner loops]
    2. builder - loop up to 20 iterations
         agent: direct spawn of claude (built-in)
         system prompt: "# Builder" (+59 lines)
         model: sonnet
         max turns: 100
         check: tasks
         stagnation: at most 3  [default of builder loops]
    "##);
}

#[test]
fn a_backend_is_chosen_on_the_command_line() {
    let env = with_programs(&["gemini"]);
    assert_snapshot!(planned(&env, &["planner:3 -> builder:2", "--backend", "gemini"]), @r##"
    1. planner - loop up to 3 iterations
         agent: direct spawn of gemini (built-in)
         system prompt: "# Planner" (+62 lines)
         max turns: 50
         allowed tools: read_file, grep_search, glob, list_directory, run_shell_command
         check: planned  [added because this agent makes tasks]
         stagnation: at most 2  [default of planner loops]
    2. builder - loop up to 2 iterations
         agent: direct spawn of gemini (built-in)
         system prompt: "# Builder" (+59 lines)
         max turns: 100
         check: tasks  [added because this agent works through the task database]
         stagnation: at most 3  [default of builder loops]
    "##);
}

#[test]
fn a_backend_is_chosen_in_the_config_file() {
    let env = project(r#"{ "backend": "codex", "chains": {} }"#);
    env.install("codex");
    assert_snapshot!(planned(&env, &["fk:reviewer:3"]), @r##"
    1. fk:reviewer - loop up to 3 iterations
         agent: direct spawn of codex (built-in)
         system prompt: "# Reviewer" (+54 lines)
         max turns: 100
         stagnation: at most 3  [default of fk:reviewer loops]
    "##);
}

#[test]
fn an_invalid_backend_is_reported_with_its_position() {
    let env = project(r#"{ "backend": "copilot", "chains": {} }"#);
    assert_snapshot!(refused(&env, &["planner"]), @r#"
    error: `backend` must be `claude`, `codex`, `gemini` or `opencode`, found the string "copilot"
     --> forge/orch/chains.json:1:14
      |
    1 | { "backend": "copilot", "chains": {} }
      |              ^^^^^^^^^ expected `claude`, `codex`, `gemini` or `opencode`
    "#);
}

#[test]
fn a_backend_without_a_built_in_agent_is_a_warning() {
    let env = with_programs(&["tool"]);
    let output = forkhestra(&env, &["tool", "--backend", "codex", "--dry-run"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_snapshot!(output.stderr, @"
    warning: `--backend codex` has no effect: no agent of the chain is built in
    hint: an agent of the config file names its program by its own `backend`
    ");
}

#[test]
fn an_installed_backend_is_suggested_if_the_default_is_missing() {
    let env = with_programs(&["codex"]);
    assert_snapshot!(forkhestra(&env, &["planner:3"]).failure(2), @"
    error: step 1: `claude` is not installed (not found on PATH)
      |
    1 | planner:3
      | ^^^^^^^ cannot be started
    hint: install it with `npm install -g @anthropic-ai/claude-code`, or name the program in `CLAUDE_PATH`
    hint: Codex is installed: `--backend codex` lets it do the work
    ");
    let shown = planned(&env, &["planner:3"]);
    let warning = shown.lines().find(|line| line.contains("warning:")).expect("there is one");
    assert!(
        warning.ends_with("; Codex is installed: `--backend codex` lets it do the work"),
        "{warning}"
    );
}

#[test]
fn a_misspelt_agent_gets_a_suggestion() {
    let message = forkhestra(&with_programs(&["claude"]), &["bulider:3"]).failure(2);
    assert!(message.contains("did you mean `builder`?"), "{message}");
}

#[test]
fn a_later_step_that_skips_permissions_is_refused_to_root() {
    let env = TestEnv::new();
    env.install("claude");
    if fs::metadata(env.project()).is_ok_and(|ours| ours.uid() != 0) {
        return;
    }
    let mut command = env.command(FORKHESTRA);
    command.args(["claude -> builder:2", "-p", "Work."]).env_remove("IS_SANDBOX");
    let output = env.output_of(&mut command);
    assert_eq!(output.code, Some(2), "{output}");
    assert!(
        output.stderr.contains("error: step 2: ") && output.stderr.contains("root"),
        "{output}"
    );
}
