//! The `tasks` check that steps get by default when their agent works through a task database.

use std::fs;

use insta::assert_snapshot;
use testkit::TestEnv;

use crate::{FORKHESTRA, forkhestra, planned, project, without_name_warning};

const IMPLIED_CHECK: &str =
    "check: tasks  [added because this agent works through the task database]\n";

/// A project with a task database, in which `builder` is installed.
fn with_tasks() -> TestEnv {
    let env = TestEnv::new();
    env.install("builder").write("forge/tasks/task-001.md", "");
    env
}

/// Makes a directory of the project a repository.
fn make_repository(env: &TestEnv, path: &str) {
    fs::create_dir_all(env.project().join(path).join(".git")).expect("the project is ours");
}

#[test]
fn a_loop_of_a_task_agent_gets_the_check() {
    assert_snapshot!(planned(&with_tasks(), &["builder:20"]), @"
    1. builder - loop up to 20 iterations
         agent: program $TEST/bin/builder (PATH)
         check: tasks  [added because this agent works through the task database]
         stagnation: at most 3  [default of builder loops]
    ");
}

#[test]
fn exactly_the_names_of_task_agents_get_the_check() {
    let env = with_tasks();
    env.write("forge/orch/specs/PLAN.md", "A shop.\n");
    let shown = |agent: &str| planned(&env, &[&format!("{agent}:2")]);
    for agent in ["builder", "fk:builder", "task-coordinator", "forge-task-coordinator"] {
        assert!(shown(agent).contains(IMPLIED_CHECK), "{agent}");
    }
    for agent in ["planner", "task-manager", "task-worker", "mybuilder", "./builder", "fk:planner"]
    {
        assert!(!shown(agent).contains("check: tasks"), "{agent}");
    }
}

#[test]
fn the_plan_does_not_depend_on_an_existing_database() {
    let env = TestEnv::new();
    env.install("builder").write("forge/tasks", "a file is not a database");
    assert!(planned(&env, &["builder:20"]).contains(IMPLIED_CHECK));
}

#[test]
fn a_step_that_runs_once_gets_no_check() {
    assert!(!planned(&with_tasks(), &["builder"]).contains("check:"));
}

#[test]
fn a_configured_agent_of_that_name_gets_the_check() {
    let env = with_tasks();
    env.install("claude").write(
        crate::CONFIG,
        r#"{ "agents": { "fk:builder": { "systemPromptText": "Build." } }, "chains": {} }"#,
    );
    assert!(planned(&env, &["fk:builder:20"]).contains(IMPLIED_CHECK));
}

#[test]
fn checks_of_step_or_chain_replace_the_check_and_an_empty_list_disables_it() {
    let env = project(
        r#"{
          "chains": {
            "implied": { "steps": [{ "agent": "builder", "iterations": 2 }] },
            "own": { "steps": [{ "agent": "builder", "iterations": 2, "checks": ["exit-code"] }] },
            "off": { "steps": [{ "agent": "builder", "iterations": 2, "checks": [] }] },
            "of-chain": { "checks": ["exit-code"], "steps": [{ "agent": "builder", "iterations": 2 }] },
            "off-for-all": { "checks": [], "steps": [{ "agent": "builder", "iterations": 2 }] },
          },
        }"#,
    );
    env.install("builder").write("forge/tasks/task-001.md", "");
    let checks = |chain: &str| {
        let shown = planned(&env, &["--chain", chain]);
        let lines = shown.lines().map(str::trim).filter(|line| line.starts_with("check:"));
        lines.map(|line| line.to_owned() + "\n").collect::<String>()
    };
    assert_eq!(checks("implied"), IMPLIED_CHECK);
    assert_eq!(checks("own"), "check: exit-code\n");
    assert_eq!(checks("off"), "");
    assert_eq!(checks("of-chain"), "check: exit-code\n");
    assert_eq!(checks("off-for-all"), "");
}

#[test]
fn a_check_of_the_command_line_is_added() {
    assert_snapshot!(planned(&with_tasks(), &["builder:20", "--check", "exit-code"]), @"
    1. builder - loop up to 20 iterations
         agent: program $TEST/bin/builder (PATH)
         check: tasks  [added because this agent works through the task database]
         check: exit-code
         stagnation: at most 3  [default of builder loops]
    ");
}

/// The database that a run in a directory would use now.
fn database(env: &TestEnv, directory: &str) -> String {
    let args = ["builder:2", "--cwd", directory, "--dry-run", "--output", "json"];
    database_of(&without_name_warning(forkhestra(env, &args)).success())
}

fn database_of(plan: &str) -> String {
    let plan: serde_json::Value = serde_json::from_str(plan).expect("it is JSON");
    plan["taskDatabase"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn the_database_is_searched_upwards_to_the_top_of_the_repository() {
    let env = with_tasks();
    make_repository(&env, ".");
    env.write("deep/down/file", "");
    assert_eq!(database(&env, "deep/down"), "$TEST/project/forge/tasks");
}

#[test]
fn the_database_is_not_searched_above_the_repository() {
    let env = with_tasks();
    make_repository(&env, "deep");
    env.write("deep/down/file", "");
    assert_eq!(database(&env, "deep/down"), "");
    env.write("deep/forge/tasks/task-001.md", "");
    assert_eq!(database(&env, "deep/down"), "$TEST/project/deep/forge/tasks");
}

#[test]
fn outside_of_a_repository_only_the_working_directory_is_searched() {
    let env = with_tasks();
    env.write("deep/file", "");
    assert_eq!(database(&env, "deep"), "");
}

#[test]
fn the_environment_may_name_the_database() {
    let env = with_tasks();
    env.write("elsewhere/tasks/task-001.md", "").write("sub/file", "");
    let found = |directory: &str, named: &str| {
        let mut command = env.command(FORKHESTRA);
        command.args(["builder:2", "--dry-run", "--output", "json", "--cwd", directory]);
        let output = env.output_of(command.env("FORGE_TASKS_DIR", named));
        !database_of(&without_name_warning(output).success()).is_empty()
    };
    let absolute = env.project().join("elsewhere/tasks");
    let absolute = absolute.to_str().expect("temporary directories have plain names");
    assert!(found("sub", absolute));
    assert!(found("sub", "../elsewhere/tasks"), "relative to the working directory");
    assert!(!found(".", "no/such/directory"), "what is named and not there is not guessed");
}

#[test]
fn the_list_shows_the_check() {
    let env = project(
        r#"{ "chains": { "build": { "steps": [{ "agent": "builder", "iterations": 30 }] } } }"#,
    );
    env.install("builder").write("forge/tasks/task-001.md", "");
    assert_snapshot!(forkhestra(&env, &["list"]).success(), @"
    Chains:
      build  [forge/orch/chains.json:1:15]
        builder:30
        builder is complete when no task is left (check `tasks`)

    Agents:
      builder
        program $TEST/bin/builder
        the built-in agent of this name is `fk:builder`; built-in chains use it

    Built-in chains:
      build-all       planner:3 -> builder:20
      reviewed-build  planner:3 -> (builder:20 -> reviewer:3):3
      plan-first      (planner:3 -> ?):3 -> builder:20
      plan            planner:5
      ralph           planner:3 -> builder:20
      review          reviewer:3 -> fixer:10
      plan-and-build  task-manager:3 -> task-coordinator:15
      quick-pipeline  task-manager -> task-coordinator
      single-task     task-worker:8, needs TASK_ID=…

    Built-in agents, direct spawn of claude:
      planner           Makes tasks of what the specs ask for
      reviewer          Reviews the work, and makes a task of each finding
      fixer             Fixes what a review has found, one finding each iteration
      task-manager      Makes tasks of what its prompt asks for, or the specs
      task-coordinator  Sees every task through, one each iteration
      task-worker       Works on a single task, which `--task ID` names
      `claude` is not installed (not found on PATH)
    ");
}

#[test]
fn an_empty_forge_tasks_dir_names_no_database() {
    let env = TestEnv::new();
    env.install("builder");
    let mut command = env.command(FORKHESTRA);
    command.args(["builder:2", "--dry-run", "--output", "json"]).env("FORGE_TASKS_DIR", "");
    let shown = without_name_warning(env.output_of(&mut command)).success();
    assert_eq!(database_of(&shown), "");
}

#[test]
fn the_search_starts_at_the_resolved_working_directory() {
    let env = with_tasks();
    make_repository(&env, ".");
    env.write("other/forge/tasks/x", "").write("sub/x", "");
    let shown = planned(&env, &["builder:2", "--cwd", "other/../sub"]);
    assert!(shown.contains(IMPLIED_CHECK), "{shown}");
    let json =
        forkhestra(&env, &["builder:2", "--cwd", "other/../sub", "--dry-run", "--output", "json"]);
    let json = without_name_warning(json).success();
    assert!(json.contains(r#""taskDatabase": "$TEST/project/forge/tasks""#), "{json}");
}
