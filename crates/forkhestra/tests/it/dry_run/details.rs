//! Agents, prompts, checks, hooks and limits in a dry run.

use insta::assert_snapshot;
use testkit::TestEnv;

use crate::{forkhestra, planned, project};

#[test]
fn an_agent_that_is_spawned_directly_is_shown_with_all_its_settings() {
    let env = project(
        r#"{
          "agents": {
            "fk:planner": {
              "systemPrompt": "prompts/planner.md",
              "mcpConfig": "mcp.json",
              "settings": "settings.json",
              "model": "sonnet",
              "maxTurns": 50,
              "allowedTools": ["Read", "Grep", "Bash(git log:*)"],
              "disallowedTools": ["Write"],
              "args": ["--verbose"],
              "env": { "API_KEY": "s3cret" },
              "defaultPrompt": "Plan the work",
            },
          },
          "chains": {},
        }"#,
    );
    env.install("claude")
        .write("prompts/planner.md", "# Planner\n\nYou plan. You do not build.\n")
        .write("mcp.json", "{}")
        .write("settings.json", "{}");
    assert_snapshot!(planned(&env, &["fk:planner:3"]), @r##"
    1. fk:planner - loop up to 3 iterations
         agent: direct spawn of claude (forge/orch/chains.json:3:13)
         system prompt: file prompts/planner.md
           "# Planner" (+2 lines)
         model: sonnet
         max turns: 50
         allowed tools: Read, Grep, Bash(git log:*)
         disallowed tools: Write
         MCP config: mcp.json
         settings: settings.json
         env: API_KEY
         args: --verbose
         prompt: "Plan the work"
         stagnation: at most 2  [default of fk:planner loops]
    "##);
}

#[test]
fn a_system_prompt_may_be_written_in_the_config_and_wins_over_the_file() {
    let env = project(
        r#"{
          "agents": {
            "both": { "systemPromptText": "You are terse.", "systemPrompt": "never-read.md" },
            "empty": { "systemPromptText": "" },
          },
          "chains": {},
        }"#,
    );
    env.install("claude");
    assert_snapshot!(planned(&env, &["both -> empty"]), @r#"
    1. both - run once
         agent: direct spawn of claude (forge/orch/chains.json:3:13)
         system prompt: "You are terse."
    2. empty - run once
         agent: direct spawn of claude (forge/orch/chains.json:4:13)
    "#);
}

#[test]
fn claude_that_is_not_installed_is_a_warning_under_the_step() {
    let env = project(
        r#"{ "agents": { "planner": { "systemPromptText": "Plan.", "model": "opus" } }, "chains": {} }"#,
    );
    assert_snapshot!(planned(&env, &["planner:3"]), @r#"
    1. planner - loop up to 3 iterations
         agent: direct spawn of claude (forge/orch/chains.json:1:15)
         system prompt: "Plan."
         model: opus
         stagnation: at most 2  [default of planner loops]
         warning: `claude` is not installed (not found on PATH): install it with `npm install -g @anthropic-ai/claude-code`, or name the program in `CLAUDE_PATH`
    "#);
}

#[test]
fn the_first_line_of_a_long_prompt_is_shown_and_verbose_shows_all_of_it() {
    let env = TestEnv::new();
    env.install("a")
        .write("prompts/task.md", "Build the parser.\n\n- small steps\n- tests first\n");
    assert_snapshot!(planned(&env, &["a", "--prompt-file", "prompts/task.md"]), @r#"
    1. a - run once
         agent: program $TEST/bin/a (PATH)
         prompt: file prompts/task.md
           "Build the parser." (+3 lines)
    "#);
    let verbose = ["a", "--prompt-file", "prompts/task.md", "--dry-run", "-v"];
    let shown = forkhestra(&env, &verbose).success();
    let prompt: Vec<&str> = shown.lines().skip_while(|line| !line.contains("prompt:")).collect();
    assert_snapshot!(prompt[..5].join("\n"), @"
    prompt: file prompts/task.md  [--prompt-file]
      | Build the parser.
      | 
      | - small steps
      | - tests first
    ");
}

#[test]
fn a_very_long_line_is_cut() {
    let env = TestEnv::new();
    env.install("a");
    let prompt = "é".repeat(200);
    let expected = format!("prompt: \"{}…\"", "é".repeat(159));
    let shown = planned(&env, &["a", "-p", &prompt]);
    assert!(shown.lines().any(|line| line.trim() == expected), "{shown}");
}

#[test]
fn no_prompt_an_empty_prompt_and_an_empty_file_are_distinguished() {
    let env = project(
        r#"{
          "chains": {
            "silent": {
              "steps": [
                { "agent": "a" },
                { "agent": "a", "prompt": "" },
                { "agent": "a", "promptFile": "empty.md" },
                { "agent": "a", "promptFile": "blank.md" },
              ],
            },
          },
        }"#,
    );
    env.install("a").write("empty.md", "").write("blank.md", "\n \n");
    assert_snapshot!(planned(&env, &["--chain", "silent"]), @"
    1. a - run once
         agent: program $TEST/bin/a (PATH)
    2. a - run once
         agent: program $TEST/bin/a (PATH)
         prompt: none
    3. a - run once
         agent: program $TEST/bin/a (PATH)
         prompt: file empty.md
           (empty)
    4. a - run once
         agent: program $TEST/bin/a (PATH)
         prompt: file blank.md
           (empty)
    ");
}

#[test]
fn environment_variables_are_shown_by_name_and_never_by_value() {
    let env = project(
        r#"{
          "agents": {
            "program": { "command": "a", "env": { "TOKEN": "s3cret", "HTTP_PROXY": "s3cret" } },
            "direct": { "systemPromptText": "", "env": { "API_KEY": "s3cret" } },
          },
          "chains": { "both": { "steps": [{ "agent": "program" }, { "agent": "direct" }] } },
        }"#,
    );
    env.install("a").install("claude");
    assert_snapshot!(planned(&env, &["--chain", "both"]), @"
    1. program - run once
         agent: program $TEST/bin/a (forge/orch/chains.json:3:13)
         env: HTTP_PROXY, TOKEN
    2. direct - run once
         agent: direct spawn of claude (forge/orch/chains.json:4:13)
         env: API_KEY
    ");
    let everywhere = [
        vec!["--chain", "both", "--dry-run", "-v"],
        vec!["--chain", "both", "--dry-run", "--output", "json"],
        vec!["list"],
        vec!["list", "--json"],
    ];
    for args in everywhere {
        let shown = forkhestra(&env, &args).success();
        assert!(!shown.contains("s3cret"), "{args:?} shows a secret:\n{shown}");
    }
}

#[test]
fn checks_completion_markers_and_limits_of_a_chain_are_shown_under_each_step() {
    let env = project(
        r#"{
          "chains": {
            "verified": {
              "markers": ["ALL DONE", "/^ok \\d+$/"],
              "checks": [
                "command:\"cargo test\"",
                { "check": "exit-code", "when": "always", "name": "clean exit" },
              ],
              "limits": {
                "timeout": "1h 30m", "idleTimeout": "off", "stagnation": 3, "maxWait": "90s",
                "quota": { "7d": "even", "5h": "90%" }, "time": "8h", "cost": 20,
              },
              "steps": [
                { "agent": "a", "iterations": 20 },
                {
                  "agent": "a",
                  "iterations": 5,
                  "completion": "checks",
                  "checks": ["file:DONE.md", "marker:all \\d+ passed", "tasks"],
                  "markers": ["STEP DONE"],
                  "limits": { "time": "20m", "cost": 0.5, "stagnation": "off" },
                },
              ],
            },
          },
        }"#,
    );
    env.install("a");
    let args = ["--dry-run", "--quiet", "--chain", "verified"];
    assert_snapshot!(forkhestra(&env, &args), @r#"
      1. a - loop up to 20 iterations
           agent: program $TEST/bin/a (PATH)
           check: command:"cargo test"
           check: clean exit: exit-code, after every iteration
           markers: `ALL DONE` or `/^ok \d+$/`
           iteration time: at most 1h 30m
           idle time: no limit
           stagnation: at most 3
           wait for usage limits: at most 1m 30s
           account quota: at most 5h=90%,7d=even
      2. a - loop up to 5 iterations
           agent: program $TEST/bin/a (PATH)
           check: file:DONE.md
           check: marker:all \d+ passed
           check: tasks
           completed by: checks
           markers: `STEP DONE`
           iteration time: at most 1h 30m
           idle time: no limit
           stagnation: no limit
           step time: at most 20m
           step cost: at most $0.50
           wait for usage limits: at most 1m 30s
           account quota: at most 5h=90%,7d=even

      run time: at most 8h
      run cost: at most $20.00
    ------- stderr -------
    warning: the cost of steps 1 and 2 may be unknown: their agents are programs
    hint: a program is counted if it prints Claude Code's JSON; time limits hold for every program
    warning: quota may not be enforced for steps 1 and 2: their agents are programs
    hint: a program is delayed if it prints Claude Code's stream of a subscription
    "#);
}

#[test]
fn the_command_line_overrides_limits_and_markers_of_the_config() {
    let env = project(
        r#"{
          "chains": {
            "limited": {
              "markers": ["FROM CONFIG"],
              "limits": { "timeout": "1h", "stagnation": 9, "cost": 20, "time": "8h" },
              "steps": [{ "agent": "a", "iterations": 2, "limits": { "timeout": "2h" } }],
            },
          },
        }"#,
    );
    env.install("a");
    let args = "--dry-run --quiet --chain limited --timeout 90s --idle-timeout off \
                --stagnation 2 --max-cost 2.50 --max-time off --max-wait 1h --marker FROM_FLAG \
                --marker /^done$/ --done-file out/done.txt";
    let args: Vec<&str> = args.split_whitespace().collect();
    assert_snapshot!(forkhestra(&env, &args), @"
      1. a - loop up to 2 iterations
           agent: program $TEST/bin/a (PATH)
           markers: `FROM_FLAG` or `/^done$/`
           done file: out/done.txt
           iteration time: at most 1m 30s
           idle time: no limit
           stagnation: at most 2
           wait for usage limits: at most 1h

      run time: no limit
      run cost: at most $2.50
    ------- stderr -------
    warning: the cost of step 1 may be unknown: its agent is a program
    hint: a program is counted if it prints Claude Code's JSON; time limits hold for every program
    ");
}

#[test]
fn hooks_are_shown_in_the_order_in_which_they_would_run() {
    let env = project(
        r#"{
          "chains": {
            "hooked": {
              "hooks": {
                "on-complete": ["./first.sh", { "run": "./second.sh", "timeout": "5s" }],
                "pre-iteration": "git fetch",
              },
              "steps": [{ "agent": "a" }],
            },
          },
        }"#,
    );
    env.install("a").write_script("first.sh").write_script("second.sh").write_script("third.sh");
    let args =
        ["--chain", "hooked", "--hook", "on-complete:./third.sh", "--hook", "on-limit:echo a:b"];
    assert_snapshot!(planned(&env, &args), @"
    1. a - run once
         agent: program $TEST/bin/a (PATH)

    hook: pre-iteration: git fetch
    hook: on-complete: ./first.sh
    hook: on-complete: ./second.sh
    hook: on-complete: ./third.sh
    hook: on-limit: echo a:b
    ");
}
