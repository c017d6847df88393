//! `forkhestra list`: chains and agents, where they are defined, and whether they are installed.

use insta::assert_snapshot;
use serde_json::{Value, json};
use testkit::TestEnv;

use crate::{USER_CONFIG, forkhestra, project};

/// A project with every kind of entry.
fn project_with_everything() -> TestEnv {
    let env = project(
        r#"{
  "agents": {
    "fk:planner": { "systemPrompt": "prompts/planner.md", "model": "sonnet" },
    "worker": { "command": "tool", "args": ["--fast"], "env": { "TOKEN": "s3cret" } },
    "absent": { "command": "not-installed" },
    "task-manager": { "defaultPrompt": "Create tasks" },
  },
  "chains": {
    "plan-and-build": {
      "description": "Plan, then build",
      "steps": [
        { "agent": "fk:planner", "iterations": 3 },
        { "agent": "builder", "iterations": 20 },
      ],
    },
    "single-task": {
      "steps": [
        { "agent": "worker", "args": ["--task", "${TASK_ID}"], "prompt": "In ${PLACE}: ${TASK_ID}" },
      ],
    },
    "broken": {
      "promptFile": "prompts/missing.md",
      "steps": [{ "agent": "worker" }, { "agent": "./agents/fix.sh", "iterations": 2 }],
    },
    "nothing": { "steps": [] },
  },
}"#,
    );
    env.install("claude")
        .install("tool")
        .write("prompts/planner.md", "You plan.")
        .write("forge/tasks/task-001.md", "")
        .write_script("agents/fix.sh")
        .write_home(
            USER_CONFIG,
            r#"{
  "agents": { "mine": { "command": "tool" } },
  "chains": { "nothing": { "steps": [{ "agent": "hidden" }] }, "mine": { "steps": [{ "agent": "mine" }] } },
}"#,
        );
    env
}

/// The entries of the project and its user: everything before the built-in ones.
#[track_caller]
fn listed(env: &TestEnv, args: &[&str]) -> String {
    let shown = forkhestra(env, &[&["list"], args].concat()).success();
    let (own, _) = shown.split_once("\nBuilt-in chains:\n").expect("these are always there");
    own.to_owned()
}

/// The same as JSON.
#[track_caller]
fn listed_as_json(env: &TestEnv) -> Value {
    let printed = forkhestra(env, &["list", "--json"]).success();
    let mut listed: Value = serde_json::from_str(&printed).expect("the list is JSON");
    for key in ["chains", "agents"] {
        let entries = listed[key].as_array_mut().expect("both are lists");
        entries.retain(|entry| entry["source"] != "built-in");
    }
    listed
}

#[test]
fn chains_and_agents_are_listed_with_their_places_and_problems() {
    assert_snapshot!(forkhestra(&project_with_everything(), &["list"]).success(), @"
    Chains:
      plan-and-build  [forge/orch/chains.json:9:5]
        fk:planner:3 -> builder:20
        Plan, then build
        builder is complete when no task is left (check `tasks`)
      single-task  [forge/orch/chains.json:16:5]
        worker
        needs PLACE=… TASK_ID=…
      broken  [forge/orch/chains.json:21:5]
        worker -> ./agents/fix.sh:2
        cannot run: Prompt file not found: prompts/missing.md
      nothing  [forge/orch/chains.json:25:5]
        (no steps)
        cannot run: the chain 'nothing' has no steps
      mine  [$TEST/home/.config/forkhestra/chains.json:3:64]
        mine

    Agents:
      fk:planner  [forge/orch/chains.json:3:5]
        direct spawn of claude
      worker  [forge/orch/chains.json:4:5]
        program $TEST/bin/tool
      absent  [forge/orch/chains.json:5:5]
        `not-installed` is not installed (not found on PATH)
      mine  [$TEST/home/.config/forkhestra/chains.json:2:15]
        program $TEST/bin/tool
      ./agents/fix.sh
        program $TEST/project/agents/fix.sh

    Built-in chains:
      build-all       planner:3 -> builder:20
      reviewed-build  planner:3 -> (builder:20 -> reviewer:3):3
      plan-first      (planner:3 -> ?):3 -> builder:20
      build           builder:30
      plan            planner:5
      ralph           planner:3 -> builder:20
      review          reviewer:3 -> fixer:10
      quick-pipeline  task-manager -> task-coordinator

    Built-in agents, direct spawn of claude:
      planner           Makes tasks of what the specs ask for
      builder           Works on the tasks, one each iteration
      reviewer          Reviews the work, and makes a task of each finding
      fixer             Fixes what a review has found, one finding each iteration
      task-manager      Makes tasks of what its prompt asks for, or the specs
      task-coordinator  Sees every task through, one each iteration
      task-worker       Works on a single task, which `--task ID` names
      task-manager has a default prompt  [forge/orch/chains.json:6:40]
    ");
}

#[test]
fn programs_get_the_same_as_json() {
    let listed = listed_as_json(&project_with_everything());
    let names = |key: &str| -> Vec<&str> {
        let entries = listed[key].as_array().expect("both are lists");
        entries.iter().filter_map(|entry| entry["name"].as_str()).collect()
    };
    assert_eq!(names("chains"), ["plan-and-build", "single-task", "broken", "nothing", "mine"]);
    assert_eq!(names("agents"), ["fk:planner", "worker", "absent", "mine", "./agents/fix.sh"]);
    let [build, single, broken, ..] = listed["chains"].as_array().expect("a list").as_slice()
    else {
        panic!("{listed}");
    };
    assert_eq!(
        build,
        &json!({
            "name": "plan-and-build",
            "definition": "fk:planner:3 -> builder:20",
            "description": "Plan, then build",
            "source": "forge/orch/chains.json:9:5",
            "variables": [],
            "steps": [
                {
                    "agent": "fk:planner", "iterations": 3,
                    "checks": [], "tasksCheckImplied": false, "requireWork": false,
                    "cleanRoom": false, "protect": [],
                },
                {
                    "agent": "builder", "iterations": 20,
                    "checks": ["tasks"], "tasksCheckImplied": true, "requireWork": false,
                    "cleanRoom": false, "protect": [],
                },
            ],
            "problems": [],
        })
    );
    assert_eq!(single["variables"], json!(["PLACE", "TASK_ID"]));
    assert_eq!(broken["problems"], json!(["Prompt file not found: prompts/missing.md"]));
}

#[test]
fn direct_spawn_agents_are_listed_with_program_and_settings() {
    let env = project(
        r#"{
  "agents": {
    "a": { "systemPromptText": "", "permissions": "default", "billing": "subscription" },
    "b": { "systemPromptText": "", "backend": "codex" },
    "c": { "systemPromptText": "", "backend": "gemini", "permissions": "default" },
  },
  "chains": {
    "work": { "requireWork": true, "steps": [{ "agent": "b", "iterations": 2 }, { "agent": "a" }] },
  },
}"#,
    );
    env.install("claude").install("codex");
    assert_snapshot!(listed(&env, &[]), @"
    Chains:
      work  [forge/orch/chains.json:8:5]
        b:2 -> a
        b is complete only after some work (`requireWork`)

    Agents:
      a  [forge/orch/chains.json:3:5]
        direct spawn of claude, permissions default, billing subscription
      b  [forge/orch/chains.json:4:5]
        direct spawn of codex
      c  [forge/orch/chains.json:5:5]
        direct spawn of gemini, permissions default; `gemini` is not installed (not found on PATH)
    ");
}

#[test]
fn clean_room_and_protected_files_are_listed() {
    let env = project(
        r#"{
  "chains": {
    "work": { "steps": [
      { "agent": "a", "iterations": 2, "checks": ["file:x"], "cleanRoom": true,
        "protect": ["tests/**", "*.lock"] },
      { "agent": "b", "protect": ["docs/**"], "onProtectedChange": "allow" },
    ] },
  },
}"#,
    );
    env.install("a").install("b");
    let message = forkhestra(&env, &["list"]).success();
    assert!(
        message.contains(
            "    a:2 -> b\n    a is checked by `file:x`\n    \
             a is complete only with what is committed (`cleanRoom`)\n    \
             a may not change `tests/**` and `*.lock` (`protect`)\n\n"
        ),
        "{message}"
    );
    let listed = forkhestra(&env, &["list", "--json"]).success();
    let listed: Value = serde_json::from_str(&listed).expect("it is JSON");
    let steps = &listed["chains"][0]["steps"];
    assert_eq!(steps[0]["cleanRoom"], json!(true));
    assert_eq!(steps[0]["protect"], json!(["tests/**", "*.lock"]));
    assert_eq!(steps[1]["protect"], json!([]), "a change is only reported");
}

#[test]
fn a_small_list_is_printed_whole() {
    let env = project(
        r#"{
  "agents": { "worker": { "command": "tool", "env": { "TOKEN": "s3cret" } } },
  "chains": { "work": { "steps": [{ "agent": "worker", "iterations": 2, "args": ["${WHAT}"] }] } }
}"#,
    );
    env.install("tool");
    let listed = serde_json::to_string_pretty(&listed_as_json(&env)).expect("it was JSON");
    assert_snapshot!(listed, @r#"
    {
      "agents": [
        {
          "command": "tool",
          "defaultPrompt": null,
          "env": [
            "TOKEN"
          ],
          "kind": "program",
          "location": {
            "found": "$TEST/bin/tool"
          },
          "name": "worker",
          "problems": [],
          "source": "forge/orch/chains.json:2:15"
        }
      ],
      "chains": [
        {
          "definition": "worker:2",
          "description": null,
          "name": "work",
          "problems": [],
          "source": "forge/orch/chains.json:3:15",
          "steps": [
            {
              "agent": "worker",
              "checks": [],
              "cleanRoom": false,
              "iterations": 2,
              "protect": [],
              "requireWork": false,
              "tasksCheckImplied": false
            }
          ],
          "variables": [
            "WHAT"
          ]
        }
      ],
      "version": 1
    }
    "#);
}

#[test]
fn without_a_config_the_searched_paths_are_listed() {
    assert_snapshot!(forkhestra(&TestEnv::new(), &["list"]).success(), @"
    No chains or agents are configured here; looked for `forge/orch/chains.json`, `forge/chains.json` and `$TEST/home/.config/forkhestra/chains.json`.
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
fn without_a_config_json_lists_the_built_ins() {
    let env = TestEnv::new();
    assert_eq!(listed_as_json(&env), json!({ "version": 1, "chains": [], "agents": [] }));
    let printed = forkhestra(&env, &["list", "--json"]).success();
    let listed: Value = serde_json::from_str(&printed).expect("the list is JSON");
    let (chains, agents) = (&listed["chains"], &listed["agents"]);
    assert_eq!(chains.as_array().map(Vec::len), Some(10));
    assert_eq!(agents.as_array().map(Vec::len), Some(7));
    assert_eq!(chains[9]["variables"], json!(["TASK_ID"]));
    assert_eq!(agents[0]["name"], "planner");
    assert_eq!(agents[0]["description"], "Makes tasks of what the specs ask for");
    assert_eq!(agents[0]["backend"], "claude");
}

#[test]
fn an_empty_config_is_named() {
    assert_snapshot!(listed(&project(r#"{ "chains": {} }"#), &[]), @"
    No chains or agents are configured in `forge/orch/chains.json`.
    Any program on PATH can be run as an agent all the same.
    ");
}

#[test]
fn a_config_without_chains_lists_its_agents() {
    let env = project(r#"{ "agents": { "worker": { "command": "tool" } }, "chains": {} }"#);
    env.install("tool");
    assert_snapshot!(listed(&env, &[]), @"
    Agents:
      worker  [forge/orch/chains.json:1:15]
        program $TEST/bin/tool
    ");
}

#[test]
fn warnings_do_not_disturb_the_json() {
    let env = project(r#"{ "chains": {}, "unknown": 1 }"#);
    let output = forkhestra(&env, &["list", "--json"]);
    assert_eq!(output.code, Some(0));
    assert!(output.stderr.starts_with("warning: unknown key `unknown`\n"), "{output}");
    serde_json::from_str::<Value>(&output.stdout).expect("the list is JSON");
}

#[test]
fn another_directory_and_another_config_can_be_listed() {
    let env = TestEnv::new();
    env.write("other.json", r#"{ "chains": { "other": { "steps": [] } } }"#)
        .write("sub/forge/orch/chains.json", r#"{ "chains": { "below": { "steps": [] } } }"#);
    assert_snapshot!(listed(&env, &["--cwd", "sub"]), @"
    Chains:
      below  [sub/forge/orch/chains.json:1:15]
        (no steps)
        cannot run: the chain 'below' has no steps
    ");
    assert_snapshot!(listed(&env, &["--config", "other.json"]), @"
    Chains:
      other  [other.json:1:15]
        (no steps)
        cannot run: the chain 'other' has no steps
    ");
}

#[test]
fn a_broken_config_is_explained_and_nothing_is_listed() {
    let message = forkhestra(&project("{"), &["list"]).failure(2);
    assert!(message.starts_with("error: `forge/orch/chains.json` is not JSON: "), "{message}");
}

#[test]
fn an_entry_with_only_warnings_is_runnable() {
    let env = project(r#"{ "chains": { "c": { "steps": [{ "agent": "builder:3" }] } } }"#);
    let shown = forkhestra(&env, &["list"]).success();
    assert!(!shown.contains("cannot run"), "{shown}");
}

#[test]
fn a_user_agent_with_missing_files_is_not_runnable() {
    let env = TestEnv::new();
    env.write_home(
        ".config/forkhestra/chains.json",
        r#"{ "agents": { "u": { "systemPrompt": "nope.md" } }, "chains": {} }"#,
    );
    assert_snapshot!(listed(&env, &[]), @"
    Agents:
      u  [$TEST/home/.config/forkhestra/chains.json:1:15]
        direct spawn of claude; `claude` is not installed (not found on PATH)
        cannot run: Agent 'u' references systemPrompt 'nope.md' which does not exist
    ");
}

#[test]
fn the_checks_of_a_step_are_listed() {
    let env = project(
        r#"{
  "chains": {
    "work": {
      "steps": [
        { "agent": "a", "iterations": 2, "checks": ["command:make test", "file:DONE.md"] },
        { "agent": "b" },
      ],
    },
  },
}"#,
    );
    env.install("a").install("b");
    let listed = forkhestra(&env, &["list"]).success();
    assert!(listed.contains("    a is checked by `make test` and `file:DONE.md`\n"), "{listed}");
    assert!(!listed.contains("b is checked"), "{listed}");
}
