//! Agents that are spawned directly in a dry run, for every backend.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::{forkhestra, planned, project, refused};

#[test]
fn each_backend_is_shown_with_its_configured_settings() {
    let env = project(
        r#"{
          "agents": {
            "one": { "systemPromptText": "", "permissions": "default", "billing": "subscription", "disallowedTools": [] },
            "two": { "systemPromptText": "", "backend": "codex", "model": "o3", "maxTurns": 9 },
            "three": { "systemPromptText": "", "backend": "gemini", "permissions": "skip", "billing": "any" },
            "four": { "systemPromptText": "", "backend": "opencode", "model": "anthropic/claude-x" },
          },
          "chains": {},
        }"#,
    );
    env.install("claude").install("codex").install("opencode");
    assert_snapshot!(planned(&env, &["one -> two -> three -> four"]), @"
    1. one - run once
         agent: direct spawn of claude (forge/orch/chains.json:3:13)
         disallowed tools: none
         permissions: default
         billing: subscription
    2. two - run once
         agent: direct spawn of codex (forge/orch/chains.json:4:13)
         model: o3
         max turns: 9
    3. three - run once
         agent: direct spawn of gemini (forge/orch/chains.json:5:13)
         warning: `gemini` is not installed (not found on PATH): install it with `npm install -g @google/gemini-cli`, or name the program in `GEMINI_PATH`
    4. four - run once
         agent: direct spawn of opencode (forge/orch/chains.json:6:13)
         model: anthropic/claude-x
    ");
}

#[test]
fn the_model_that_codex_is_priced_by_is_shown() {
    let env = project(
        r#"{
          "agents": {
            "own": { "systemPromptText": "", "backend": "codex" },
            "named": { "systemPromptText": "", "backend": "codex", "model": "o3" },
          },
          "chains": {
            "c": { "steps": [{ "agent": "own" }, { "agent": "own", "args": ["-m", "gpt-5"] }, { "agent": "named" }] },
          },
        }"#,
    );
    env.install("codex");
    assert!(!planned(&env, &["own"]).contains("priced as"));
    env.write_home(".codex/config.toml", "model = \"gpt-5.5\"\n");
    assert_snapshot!(planned(&env, &["--chain", "c"]), @"
    1. own - run once
         agent: direct spawn of codex (forge/orch/chains.json:3:13)
         priced as: gpt-5.5  [from the arguments or settings of Codex]
    2. own - run once
         agent: direct spawn of codex (forge/orch/chains.json:3:13)
         priced as: gpt-5  [from the arguments or settings of Codex]
         args: -m gpt-5
    3. named - run once
         agent: direct spawn of codex (forge/orch/chains.json:4:13)
         model: o3
    ");
}

#[test]
fn work_that_is_required_is_shown() {
    let env = project(
        r#"{
          "chains": {
            "c": {
              "requireWork": true,
              "steps": [
                { "agent": "a", "iterations": 3 },
                { "agent": "a", "iterations": 3, "requireWork": false },
                { "agent": "a" },
              ],
            },
          },
        }"#,
    );
    env.install("a");
    assert_snapshot!(planned(&env, &["--chain", "c"]), @"
    1. a - loop up to 3 iterations
         agent: program $TEST/bin/a (PATH)
         work required: yes
    2. a - loop up to 3 iterations
         agent: program $TEST/bin/a (PATH)
    3. a - run once
         agent: program $TEST/bin/a (PATH)
    ");
}

#[test]
fn verbose_shows_defaults_too() {
    let env = project(
        r#"{
          "agents": { "d": { "systemPromptText": "" } },
          "prices": { "x-2": { "input": 1, "output": 2 }, "x-1": { "input": 1, "output": 2 } },
          "chains": {},
        }"#,
    );
    env.install("claude");
    let shown = forkhestra(&env, &["d:2", "--dry-run", "-v"]).success();
    for line in
        ["permissions: skip", "billing: any", "work required: no", "own prices of: x-1, x-2"]
    {
        assert!(shown.lines().any(|shown| shown.trim() == line), "{line}\n{shown}");
    }
}

#[test]
fn a_field_that_the_backend_cannot_honour_is_refused_with_both_places() {
    let env = project(
        r#"{
  "agents": {
    "fixer": {
      "systemPromptText": "You fix.",
      "backend": "codex",
      "allowedTools": ["Read"],
      "billing": "subscription"
    }
  },
  "chains": {}
}
"#,
    );
    assert_snapshot!(refused(&env, &["fixer"]), @r#"
    error: `agents.fixer.allowedTools` cannot be honoured by the backend `codex`
     --> forge/orch/chains.json:6:23
      |
    5 |       "backend": "codex",
      |                  ------- the backend is chosen here
    6 |       "allowedTools": ["Read"],
      |                       ^^^^^^^^ not for Codex
    hint: Codex has no lists of tools; with `"permissions": "default"` its own sandbox limits it
    error: `agents.fixer.billing` cannot be honoured by the backend `codex`
     --> forge/orch/chains.json:7:18
      |
    5 |       "backend": "codex",
      |                  ------- the backend is chosen here
    6 |       "allowedTools": ["Read"],
    7 |       "billing": "subscription"
      |                  ^^^^^^^^^^^^^^ not for Codex
    hint: leave `billing` out, and keep credentials that must not be used out of the environment: only Claude Code says which ones it uses
    "#);
}

#[test]
fn a_limit_of_cost_refuses_steps_whose_cost_cannot_be_known() {
    let env = project(
        r#"{
          "agents": {
            "d": { "systemPromptText": "" },
            "x": { "systemPromptText": "", "backend": "codex", "model": "x-1" },
          },
          "chains": {},
        }"#,
    );
    env.install("claude").install("codex").install("a");
    let args = ["d -> a -> x", "--max-cost", "5", "--dry-run", "--quiet"];
    assert_snapshot!(forkhestra(&env, &args), @"
    ------- stderr -------
    warning: the cost of step 2 may be unknown: its agent is a program
    hint: a program is counted if it prints Claude Code's JSON; time limits hold for every program
    error: the cost of step 3 is limited, but cannot be known: its model `x-1` has no price
    hint: give the price of `x-1` under `prices` in the config file
    hint: or turn the limit off: `--max-cost off`, or `off` for `cost` in the limits of the step or group
    [exit status: 2]
    ");
}

#[test]
fn json_contains_all_settings() {
    let env = project(
        r#"{
  "agents": {
    "d": { "systemPromptText": "", "backend": "gemini", "permissions": "default" },
  },
  "prices": { "x-1": { "input": 3, "output": 15, "cacheRead": 0.3 } },
  "chains": { "c": { "steps": [{ "agent": "d", "iterations": 2, "requireWork": true }] } },
}"#,
    );
    let args = ["--chain", "c", "--dry-run", "--output", "json"];
    let plan: Value =
        serde_json::from_str(&forkhestra(&env, &args).success()).expect("the plan is JSON");
    let agent = &plan["steps"][0]["agent"];
    assert_eq!(agent["backend"], "gemini");
    assert_eq!(agent["command"], "gemini");
    assert_eq!(agent["permissions"], "default");
    assert_eq!(agent["billing"], "any");
    assert_eq!(plan["steps"][0]["requireWork"], true);
    assert_eq!(
        plan["prices"],
        json!({ "x-1": {
            "input": 3.0, "output": 15.0, "cacheRead": 0.3, "cacheWrite": 3.0, "cacheWrite1h": 3.0,
        } })
    );
}

#[test]
fn a_command_with_configured_variables_names_them() {
    let agent = |variables: &str| {
        let agent = format!(r#"{{ "systemPromptText": "", "env": {{ {variables} }} }}"#);
        let env = project(&format!(r#"{{ "agents": {{ "d": {agent} }}, "chains": {{}} }}"#));
        env.install("claude");
        forkhestra(&env, &["d", "--dry-run", "-v"]).success()
    };
    let shown = agent(r#""SECRET": "hunter2", "no name": "x""#);
    assert!(shown.contains("# set SECRET first: its value is in the config\n"), "{shown}");
    assert!(!shown.contains("hunter2"), "{shown}");
    let shown = agent(r#""A": "hunter2", "B": "hunter3""#);
    assert!(shown.contains("# set A and B first: their values are in the config\n"), "{shown}");
}

#[test]
fn a_missing_program_is_shown_with_a_remedy() {
    let env = project(r#"{ "agents": { "d": { "systemPromptText": "" } }, "chains": {} }"#);
    let shown = forkhestra(&env, &["d", "--dry-run"]).success();
    assert!(shown.contains("npm install -g @anthropic-ai/claude-code"), "{shown}");
    let mut command = env.command(crate::FORKHESTRA);
    command.args(["d", "--dry-run"]).env("CLAUDE_PATH", "./nothing");
    let shown = env.output_of(&mut command).success();
    assert!(shown.contains("`CLAUDE_PATH` names it; correct or unset that"), "{shown}");
}

#[test]
fn built_in_prices_have_a_date() {
    let env = project(
        r#"{
          "agents": { "d": { "systemPromptText": "", "backend": "codex", "model": "gpt-5" } },
          "chains": {},
        }"#,
    );
    env.install("codex");
    let shown = forkhestra(&env, &["d", "--dry-run", "-v", "--max-cost", "5"]).success();
    assert!(shown.contains("prices: list prices of 20"), "{shown}");
}
