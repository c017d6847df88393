//! The user's config below the project's: an entry of the project replaces the user's entry of the
//! same name.

use insta::assert_snapshot;
use testkit::TestEnv;

use crate::{CONFIG, FORKHESTRA, ONE_STEP, USER_CONFIG, forkhestra, planned, refused};

/// A project and a user, each with a config.
fn layered(project: &str, user: &str) -> TestEnv {
    let env = TestEnv::new();
    env.write(CONFIG, project).write_home(USER_CONFIG, user).install("tool").install("other");
    env
}

#[test]
fn the_users_config_is_found_in_the_home_directory() {
    let env = TestEnv::new();
    env.install("tool").write_home(
        USER_CONFIG,
        r#"{ "chains": { "mine": { "steps": [{ "agent": "tool", "iterations": 2 }] } } }"#,
    );
    let shown = forkhestra(&env, &["--chain", "mine", "--dry-run", "-v"]).success();
    let expected = "chain: mine  [$TEST/home/.config/forkhestra/chains.json:1:15]\n";
    assert!(shown.contains(expected), "{shown}");
}

#[test]
fn the_users_config_follows_xdg_config_home() {
    let env = TestEnv::new();
    let directory = env.home().join("elsewhere");
    env.install("tool")
        .write_home(
            "elsewhere/forkhestra/chains.json",
            r#"{ "chains": { "there": { "steps": [{ "agent": "tool" }] } } }"#,
        )
        .write_home(USER_CONFIG, "this is not even read");
    let mut command = env.command(FORKHESTRA);
    command.args(["--chain", "there", "--dry-run", "--quiet"]).env("XDG_CONFIG_HOME", directory);
    assert!(env.output_of(&mut command).success().starts_with(ONE_STEP));
}

#[test]
fn a_relative_or_empty_xdg_directory_does_not_count() {
    let env = TestEnv::new();
    env.write_home(USER_CONFIG, r#"{ "chains": { "mine": { "steps": [{ "agent": "tool" }] } } }"#);
    for ignored in ["relative", ""] {
        let mut command = env.command(FORKHESTRA);
        command.args(["--chain", "mine", "--dry-run", "--quiet"]).env("XDG_CONFIG_HOME", ignored);
        assert!(env.output_of(&mut command).success().starts_with(ONE_STEP), "{ignored:?}");
    }
}

#[test]
fn without_a_home_there_is_no_users_config() {
    let env = TestEnv::new();
    let mut command = env.command(FORKHESTRA);
    command.args(["list"]).env_remove("HOME");
    assert_snapshot!(env.output_of(&mut command).success(), @"
    No chains or agents are configured here; looked for `forge/orch/chains.json` and `forge/chains.json`.
    Any program on PATH can be run as an agent all the same.

    Built-in chains:
      build-all       planner:3 -> builder:20
      reviewed-build  planner:3 -> (builder:20 -> reviewer:3):3
      plan-first      (planner:3 -> ?):3 -> builder:20
      build           builder:30
      plan            planner:5
      ralph           planner:3 -> builder:20
      review          reviewer:3 -> fixer:10
      plan-and-build  task-manager:3 -> task-coordinator:15
      quick-pipeline  task-manager -> task-coordinator
      single-task     task-worker:8, needs TASK_ID=…

    Built-in agents, direct spawn of claude:
      planner           Makes tasks of what the specs ask for
      builder           Works on the tasks, one each iteration
      reviewer          Reviews the work, and makes a task of each finding
      fixer             Fixes what a review has found, one finding each iteration
      task-manager      Makes tasks of what its prompt asks for, or the specs
      task-coordinator  Sees every task through, one each iteration
      task-worker       Works on a single task, which `--task ID` names
      `claude` is not installed (not found on PATH)
    ");
}

#[test]
fn mistakes_of_both_files_are_shown_at_once() {
    let env = layered("{ \"chains\": 1 }\n", "{ \"chains\": 2 }\n");
    assert_snapshot!(refused(&env, &["a"]), @r#"
    error: `chains` must be an object, found the number 1
     --> forge/orch/chains.json:1:13
      |
    1 | { "chains": 1 }
      |             ^ expected an object
    error: `chains` must be an object, found the number 2
     --> $TEST/home/.config/forkhestra/chains.json:1:13
      |
    1 | { "chains": 2 }
      |             ^ expected an object
    "#);
}

#[test]
fn a_chain_of_the_project_replaces_that_of_the_user() {
    let env = layered(
        r#"{ "chains": { "build": { "steps": [{ "agent": "tool" }] } } }"#,
        r#"{ "chains": { "build": {
            "prompt": "of the user", "checks": ["exit-code"], "steps": [{ "agent": "other" }]
        } } }"#,
    );
    assert_snapshot!(planned(&env, &["--chain", "build"]), @"
    1. tool - run once
         agent: program $TEST/bin/tool (PATH)
    ");
}

#[test]
fn chains_of_both_files_can_be_run() {
    let env = layered(
        r#"{ "chains": { "ours": { "steps": [{ "agent": "tool" }] } } }"#,
        r#"{ "chains": { "mine": { "steps": [{ "agent": "other" }] } } }"#,
    );
    assert_eq!(crate::headings(&planned(&env, &["--chain", "ours"])), "tool - run once");
    assert_eq!(crate::headings(&planned(&env, &["--chain", "mine"])), "other - run once");
    assert_snapshot!(refused(&env, &["--chain", "min"]), @"
    error: there is no chain called 'min'
    hint: did you mean `mine`?
    hint: available chains: ours, mine
    hint: built-in chains: build-all, reviewed-build, plan-first, build, plan, ralph, review, plan-and-build, quick-pipeline, single-task
    ");
}

#[test]
fn an_agent_of_the_project_replaces_that_of_the_user() {
    let env = layered(
        r#"{ "agents": { "worker": { "command": "tool" } }, "chains": {} }"#,
        r#"{
          "agents": {
            "worker": { "command": "other", "args": ["-x"], "env": { "A": "1" }, "defaultPrompt": "user" },
          },
          "chains": {},
        }"#,
    );
    assert_snapshot!(planned(&env, &["worker"]), @"
    1. worker - run once
         agent: program $TEST/bin/tool (forge/orch/chains.json:1:15)
    ");
}

#[test]
fn an_agent_that_the_project_does_not_define_comes_from_the_user() {
    let env = layered(
        r#"{ "agents": { "another": { "command": "tool" } }, "chains": {} }"#,
        r#"{ "agents": { "worker": { "command": "other", "defaultPrompt": "user" } }, "chains": {} }"#,
    );
    assert_snapshot!(planned(&env, &["worker"]), @r#"
    1. worker - run once
         agent: program $TEST/bin/other ($TEST/home/.config/forkhestra/chains.json:1:15)
         prompt: "user"
    "#);
}

#[test]
fn prompts_of_the_project_are_attached_to_an_agent_of_the_user() {
    let env = layered(
        r#"{ "agents": { "worker": { "defaultPrompt": "of the project" } }, "chains": {} }"#,
        r#"{ "agents": { "worker": { "command": "other", "defaultPrompt": "of the user" } }, "chains": {} }"#,
    );
    assert_snapshot!(planned(&env, &["worker"]), @r#"
    1. worker - run once
         agent: program $TEST/bin/other ($TEST/home/.config/forkhestra/chains.json:1:15)
         prompt: "of the project"
    "#);
}

#[test]
fn prompts_of_the_user_are_attached_to_a_program_on_the_path() {
    let env = layered(
        r#"{ "chains": {} }"#,
        r#"{ "agents": { "tool": { "defaultPrompt": "of the user" } }, "chains": {} }"#,
    );
    assert_snapshot!(planned(&env, &["tool"]), @r#"
    1. tool - run once
         agent: program $TEST/bin/tool (PATH)
         prompt: "of the user"
    "#);
}

#[test]
fn prompts_of_the_project_replace_those_of_the_user() {
    let env = layered(
        r#"{ "agents": { "tool": { "defaultPromptFile": "ours.md" } }, "chains": {} }"#,
        r#"{ "agents": { "tool": { "defaultPrompt": "of the user" } }, "chains": {} }"#,
    );
    env.write("ours.md", "from our file");
    assert_snapshot!(planned(&env, &["tool"]), @r#"
    1. tool - run once
         agent: program $TEST/bin/tool (PATH)
         prompt: file ours.md
           "from our file"
    "#);
}

#[test]
fn a_chain_of_the_user_runs_the_projects_agent_of_that_name() {
    let env = layered(
        r#"{ "agents": { "worker": { "command": "tool" } }, "chains": {} }"#,
        r#"{
          "agents": { "worker": { "command": "other" } },
          "chains": { "mine": { "steps": [{ "agent": "worker", "iterations": 3 }] } },
        }"#,
    );
    assert_snapshot!(planned(&env, &["--chain", "mine"]), @"
    1. worker - loop up to 3 iterations
         agent: program $TEST/bin/tool (forge/orch/chains.json:1:15)
    ");
}

#[test]
fn the_config_on_the_command_line_overrides_the_users() {
    let env = layered(
        "this is not even read",
        r#"{ "chains": { "mine": { "steps": [{ "agent": "tool" }] } } }"#,
    );
    env.write("given.json", r#"{ "chains": { "given": { "steps": [{ "agent": "tool" }] } } }"#);
    for chain in ["given", "mine"] {
        let shown = planned(&env, &["--config", "given.json", "--chain", chain]);
        assert!(shown.starts_with(ONE_STEP), "{shown}");
    }
}

/// A user's agent may be made for other projects, so its files are checked when it is used.
#[test]
fn files_of_user_agents_are_checked_when_the_agent_is_used() {
    let env = layered(
        r#"{ "chains": {} }"#,
        "{\n  \"agents\": { \"worker\": { \"systemPrompt\": \"prompts/foo.md\" } },\n  \"chains\": {}\n}\n",
    );
    planned(&env, &["tool"]);
    assert_snapshot!(refused(&env, &["worker"]), @r#"
    error: Agent 'worker' references systemPrompt 'prompts/foo.md' which does not exist
     --> $TEST/home/.config/forkhestra/chains.json:2:43
      |
    2 |   "agents": { "worker": { "systemPrompt": "prompts/foo.md" } },
      |                                           ^^^^^^^^^^^^^^^^ does not exist
    hint: paths are relative to the working directory (`--cwd`), not to the config file
    "#);
}
