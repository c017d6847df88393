//! Built-in agents with settings of the config file or the command line.

use insta::assert_snapshot;
use testkit::TestEnv;

use crate::run::direct_spawn::{RECORD_INVOCATION, arguments};
use crate::support::agents_at_work::run;
use crate::{forkhestra, planned, project, refused};

#[test]
fn an_entry_without_a_prompt_adjusts_a_built_in_agent() {
    let env = project(
        r#"{
          "agents": { "builder": { "model": "opus", "env": { "KEY": "value" } } },
          "chains": {},
        }"#,
    );
    env.agent("claude", RECORD_INVOCATION);
    assert_snapshot!(planned(&env, &["--chain", "build"]), @r##"
    1. builder - loop up to 30 iterations
         agent: direct spawn of claude (built-in)
         system prompt: "# Builder" (+59 lines)
         model: opus  [forge/orch/chains.json:2:45]
         max turns: 100
         env: KEY  [forge/orch/chains.json:2:60]
         check: tasks
         stagnation: at most 3  [default of builder loops]
    "##);
    let listed = forkhestra(&env, &["list"]).success();
    let line = "  builder is adjusted: env, model opus  [forge/orch/chains.json]\n";
    assert!(listed.contains(line), "{listed}");
    assert_eq!(run(&env, &["builder:1", "-p", "Build it."]).code, Some(0));
    let args = arguments(&env);
    let model = args.iter().position(|arg| arg == "--model").expect("it gets a model");
    assert_eq!(args[model + 1], "opus", "{args:?}");
    assert!(args.iter().any(|arg| arg.contains("# Builder")), "{args:?}");
}

#[test]
fn a_config_with_only_an_adjusted_agent_is_valid() {
    let env = project(r#"{"agents":{"builder":{"model":"opus"}}}"#);
    env.agent("claude", RECORD_INVOCATION);
    for typed in [&["--chain", "build"][..], &["builder:3"], &["fk:builder:3"]] {
        let shown = planned(&env, typed);
        assert!(shown.contains("model: opus  [forge/orch/chains.json:1:31]\n"), "{shown}");
    }
    let output = forkhestra(&env, &["doctor"]);
    assert!(output.stdout.contains("forge/orch/chains.json adjusts `builder`"), "{output}");
    assert!(!output.stdout.contains("adds"), "{output}");
    let empty = project("{}");
    empty.agent("claude", RECORD_INVOCATION);
    assert!(planned(&empty, &["--chain", "build"]).contains("builder - loop"), "{{}}");
}

#[test]
fn a_model_of_another_backend_is_a_warning() {
    let env = project(r#"{"agents":{"builder":{"model":"opus"}}}"#);
    let warned = |options: &[&str]| {
        let options = [&["builder:3", "--dry-run", "--quiet"], options].concat();
        let output = forkhestra(&env, &options);
        assert_eq!(output.code, Some(0), "{output}");
        output.stderr
    };
    assert_snapshot!(warned(&["--backend", "codex"]), @r#"
    warning: `agents.builder.model` is a model of Claude Code, and `builder` is run by Codex
     --> forge/orch/chains.json:1:31
      |
    1 | {"agents":{"builder":{"model":"opus"}}}
      |                               ^^^^^^ not a model of Codex
    hint: name a model of Codex, or none to use its default
    "#);
    assert_snapshot!(warned(&["--backend", "codex", "--model", "haiku"]), @"
    warning: `haiku` is a model of Claude Code, and `builder` is run by Codex
    hint: name a model of Codex, or none to use its default
    ");
    assert_eq!(warned(&["--backend", "codex", "--model", "gpt-5"]), "");
    assert_eq!(warned(&[]), "");
}

#[test]
fn a_model_is_chosen_on_the_command_line() {
    let env = TestEnv::new();
    env.agent("claude", RECORD_INVOCATION).install("tool");
    let shown = planned(&env, &["builder:3", "--model", "opus"]);
    assert!(shown.contains("model: opus  [--model]\n"), "{shown}");
    assert_eq!(
        run(&env, &["builder:1", "-p", "Build it.", "--model", "claude-opus-4-5"]).code,
        Some(0)
    );
    let args = arguments(&env);
    let model = args.iter().position(|arg| arg == "--model").expect("it gets a model");
    assert_eq!(args[model + 1], "claude-opus-4-5", "{args:?}");
    assert_snapshot!(refused(&env, &["tool", "--model", "opus"]), @"
    error: `--model opus` has no effect: every agent of the chain is a command of its own
    hint: `--model` is for built-in agents, and for agents that have a system prompt
    hint: give a program its own option after `--`: forkhestra AGENT -- --model NAME
    ");
    assert_snapshot!(refused(&env, &["builder", "--model", "son net"]), @"
    error: `--model son net` is not a model of Claude Code
    hint: did you mean `sonnet`?
    hint: expected `sonnet`, `opus`, `haiku` or a full model id
    ");
    let output = run(&env, &["builder:1", "-p", "Build it.", "--model", "sonnet[1m]"]);
    assert_eq!(output.code, Some(0), "{output}");
    let warning = "warning: `--model sonnet[1m]` is not a known model of Claude Code\n";
    assert!(output.stderr.contains(warning), "{output}");
    assert!(arguments(&env).contains(&"sonnet[1m]".to_owned()), "{output}");
}
