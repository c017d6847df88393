//! `--dry-run`: the plan, in the format of the founding documents, with all values resolved.

use insta::assert_snapshot;
use testkit::TestEnv;

use crate::{forkhestra, planned, project, without_name_warning};

/// The config of the sample of 001.
const FULL_WORKFLOW: &str = r#"{
  "chains": {
    "full-workflow": {
      "description": "Planning and execution with tailored prompts",
      "steps": [
        {
          "agent": "task-manager",
          "iterations": 2,
          "prompt": "Break down requirements.md into atomic tasks with clear ACs"
        },
        {
          "agent": "task-coordinator",
          "iterations": 15,
          "prompt": "Implement tasks in dependency order, running tests after each"
        }
      ]
    }
  }
}"#;

#[test]
fn steps_with_their_prompts_are_shown() {
    let env = project(FULL_WORKFLOW);
    env.install("task-manager").install("task-coordinator");
    assert_snapshot!(without_name_warning(forkhestra(&env, &["--chain", "full-workflow", "--dry-run"])).success(), @r#"
    [forkhestra] Dry run - would execute the following chain:

      1. task-manager - loop up to 2 iterations
           agent: program $TEST/bin/task-manager (PATH)
           prompt: "Break down requirements.md into atomic tasks with clear ACs"
           stagnation: at most 2  [default of task-manager loops]
      2. task-coordinator - loop up to 15 iterations
           agent: program $TEST/bin/task-coordinator (PATH)
           prompt: "Implement tasks in dependency order, running tests after each"
           check: tasks  [added because this agent works through the task database]
           stagnation: at most 3  [default of task-coordinator loops]

    [forkhestra] Dry run complete. No agents were executed.
    "#);
}

/// 001 has no `agent:` lines and no checks; every other line is the same.
#[test]
fn the_sample_of_the_guide_is_printed_line_by_line() {
    let env = project(FULL_WORKFLOW);
    env.install("task-manager").install("task-coordinator");
    let shown = without_name_warning(forkhestra(&env, &["--chain", "full-workflow", "--dry-run"]))
        .success();
    // Our additions to the sample: the agent, a check, and a default limit.
    let is_ours = |line: &&str| {
        let begins = ["agent: ", "check: ", "stagnation: "];
        begins.iter().any(|begin| line.trim_start().starts_with(begin))
    };
    let lines: Vec<&str> = shown.lines().filter(|line| !is_ours(line)).collect();
    let sample = "\
[forkhestra] Dry run - would execute the following chain:

  1. task-manager - loop up to 2 iterations
       prompt: \"Break down requirements.md into atomic tasks with clear ACs\"
  2. task-coordinator - loop up to 15 iterations
       prompt: \"Implement tasks in dependency order, running tests after each\"

[forkhestra] Dry run complete. No agents were executed.";
    assert_eq!(lines.join("\n"), sample);
}

#[test]
fn run_once_and_loop_are_distinguished_and_one_iteration_is_singular() {
    let env = TestEnv::new();
    env.install("a").install("b").install("c");
    assert_snapshot!(forkhestra(&env, &["a -> b:1 -> c:2", "--dry-run"]).success(), @"
    [forkhestra] Dry run - would execute the following chain:

      1. a - run once
           agent: program $TEST/bin/a (PATH)
      2. b - loop up to 1 iteration
           agent: program $TEST/bin/b (PATH)
      3. c - loop up to 2 iterations
           agent: program $TEST/bin/c (PATH)

    [forkhestra] Dry run complete. No agents were executed.
    ");
}

#[test]
fn an_agent_that_is_not_installed_is_a_warning_under_its_step() {
    let env = TestEnv::new();
    assert_snapshot!(forkhestra(&env, &["tester -> deployer:1", "--dry-run"]), @"
    [forkhestra] Dry run - would execute the following chain:

      1. tester - run once
           warning: `tester` is not installed (not found on PATH)
      2. deployer - loop up to 1 iteration
           warning: `deployer` is not installed (not found on PATH)

    [forkhestra] Dry run complete. No agents were executed.
    ");
}

#[test]
fn options_of_the_whole_run_are_shown() {
    let env = TestEnv::new();
    env.install("a");
    let args = ["a", "--state-dir", "state", "--no-feedback", "--max-time", "8h"];
    assert_snapshot!(planned(&env, &args), @"
    1. a - run once
         agent: program $TEST/bin/a (PATH)

    run time: at most 8h
    state directory: state
    feedback of checks: off
    ");
}

#[test]
fn run_is_an_alias() {
    let env = TestEnv::new();
    env.install("a");
    assert_eq!(
        forkhestra(&env, &["run", "a:3", "--dry-run"]).success(),
        forkhestra(&env, &["a:3", "--dry-run"]).success()
    );
}

#[test]
fn quiet_leaves_out_the_frame() {
    let env = project(FULL_WORKFLOW);
    env.install("task-manager").install("task-coordinator");
    let args = ["--chain", "full-workflow", "--dry-run", "--quiet"];
    assert_snapshot!(without_name_warning(forkhestra(&env, &args)).success(), @r#"
    1. task-manager - loop up to 2 iterations
         agent: program $TEST/bin/task-manager (PATH)
         prompt: "Break down requirements.md into atomic tasks with clear ACs"
         stagnation: at most 2  [default of task-manager loops]
    2. task-coordinator - loop up to 15 iterations
         agent: program $TEST/bin/task-coordinator (PATH)
         prompt: "Implement tasks in dependency order, running tests after each"
         check: tasks  [added because this agent works through the task database]
         stagnation: at most 3  [default of task-coordinator loops]
    "#);
}

#[test]
fn arguments_are_quoted_as_a_shell_would_read_them() {
    let env = project(
        r#"{
          "chains": {
            "quoting": {
              "steps": [
                { "agent": "a", "args": ["--flag", "two words", "it's", "", "$HOME", "*", "a=b:c"] },
              ],
            },
          },
        }"#,
    );
    env.install("a");
    assert_snapshot!(planned(&env, &["--chain", "quoting"]), @r"
    1. a - run once
         agent: program $TEST/bin/a (PATH)
         args: --flag 'two words' 'it'\''s' '' '$HOME' '*' a=b:c
    ");
}

#[test]
fn arguments_come_from_the_agent_then_the_step_then_the_command_line() {
    let env = project(
        r#"{
          "agents": { "a": { "command": "a", "args": ["--of-agent"] } },
          "chains": {
            "ordered": { "steps": [{ "agent": "a", "args": ["--of-step"] }, { "agent": "b" }] },
          },
        }"#,
    );
    env.install("a").install("b");
    assert_snapshot!(planned(&env, &["--chain", "ordered", "--", "--dry-run", "--", "last"]), @"
    1. a - run once
         agent: program $TEST/bin/a (forge/orch/chains.json:2:23)
         args: --of-agent --of-step --dry-run -- last
    2. b - run once
         agent: program $TEST/bin/b (PATH)
         args: --dry-run -- last
    ");
}

#[test]
fn verbose_names_the_source_of_every_value() {
    let env = TestEnv::new();
    env.install("builder");
    let args = ["builder:20", "-p", "Fix it", "--check", "exit-code", "--max-cost", "5"];
    let args = [&args[..], &["--dry-run", "--verbose", "--", "--fast"]].concat();
    assert_snapshot!(without_name_warning(forkhestra(&env, &args)), @"
    [forkhestra] Dry run - would execute the following chain:

      1. builder - loop up to 20 iterations
           agent: program $TEST/bin/builder (PATH)
           args: --fast  [command line]
           prompt:  [--prompt]
             | Fix it
           check: tasks  [added because this agent works through the task database, timeout 10m]
           check: exit-code  [timeout 10m, --check]
           completed by: marker  [default]
           markers: `FORKHESTRA_COMPLETE`, `ORCHESTRA_COMPLETE`, `<promise>COMPLETE</promise>` or `RALPH_STATUS: COMPLETE`  [default]
           work required: no
           iteration time: no limit  [default]
           idle time: at most 30m  [default]
           stagnation: at most 3  [default of builder loops]
           step time: no limit  [default]
           step cost: no limit  [default]
           wait for usage limits: at most 6h  [default]
           account quota: no limit  [default]

      run time: no limit  [default]
      run cost: at most $5.00  [--max-cost]
      feedback of checks: on
      snapshots: on
      chain: builder:20  [command line]
      working directory: $TEST/project

    [forkhestra] Dry run complete. No agents were executed.
    ------- stderr -------
    warning: the cost of step 1 may be unknown: its agent is a program
    hint: a program is counted if it prints Claude Code's JSON; time limits hold for every program
    ");
}

#[test]
fn the_short_flag_is_as_verbose_as_the_long_one() {
    let env = TestEnv::new();
    env.install("a");
    assert_eq!(
        forkhestra(&env, &["a", "--dry-run", "-v"]).success(),
        forkhestra(&env, &["a", "--dry-run", "--verbose"]).success()
    );
}

#[test]
fn verbose_names_the_config_lines_of_the_values() {
    let env = project(
        r#"{
  "agents": {
    "a": { "command": "tool", "args": ["--of-agent"], "defaultPrompt": "unused" },
  },
  "chains": {
    "sourced": {
      "prompt": "For all of us",
      "markers": ["DONE"],
      "limits": { "timeout": "1h", "time": "8h" },
      "hooks": { "pre-iteration": { "run": "./notify.sh", "onError": "abort" } },
      "steps": [
        {
          "agent": "a",
          "iterations": 4,
          "args": ["--of-step"],
          "completion": "checks",
          "checks": [{ "check": "exit-code", "timeout": "5m" }],
          "limits": { "timeout": "10m" },
        },
      ],
    },
  },
}"#,
    );
    env.install("tool").write_script("notify.sh");
    let args = ["--chain", "sourced", "--dry-run", "-v", "--state-dir", "state", "--no-feedback"];
    assert_snapshot!(forkhestra(&env, &args).success(), @"
    [forkhestra] Dry run - would execute the following chain:

      1. a - loop up to 4 iterations
           agent: program $TEST/bin/tool (forge/orch/chains.json:3:5)
           args: --of-agent --of-step  [forge/orch/chains.json:3:40, forge/orch/chains.json:15:20]
           prompt:  [forge/orch/chains.json:7:17]
             | For all of us
           check: exit-code  [timeout 5m, forge/orch/chains.json:17:22]
           completed by: checks  [forge/orch/chains.json:16:25]
           markers: `DONE`  [forge/orch/chains.json:8:18]
           work required: no
           iteration time: at most 10m  [forge/orch/chains.json:18:34]
           idle time: at most 30m  [default]
           stagnation: no limit  [default]
           step time: no limit  [default]
           step cost: no limit  [default]
           wait for usage limits: at most 6h  [default]
           account quota: no limit  [default]

      hook: pre-iteration: ./notify.sh (ends the run if it fails)  [timeout 1m, on error abort, forge/orch/chains.json:10:44]
      run time: at most 8h  [forge/orch/chains.json:9:44]
      run cost: no limit  [default]
      state directory: state
      feedback of checks: off
      snapshots: on
      chain: sourced  [forge/orch/chains.json:6:5]
      working directory: $TEST/project

    [forkhestra] Dry run complete. No agents were executed.
    ");
}
