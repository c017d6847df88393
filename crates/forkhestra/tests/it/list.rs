//! `forkhestra list`: what can be run here, where it is defined, and whether it is installed.

use insta::assert_snapshot;
use serde_json::{Value, json};
use testkit::TestEnv;

use crate::{USER_CONFIG, forkhestra, project};

/// A project with a bit of everything.
fn rich() -> TestEnv {
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

#[test]
fn chains_and_agents_are_listed_with_their_places_and_problems() {
    let listed = forkhestra(&rich(), &["list"]).success();
    assert_snapshot!(listed, @"
    Chains:
      plan-and-build  [forge/orch/chains.json:9:5]
        fk:planner:3 -> builder:20
        Plan, then build
        builder is done when no task is left (check `tasks`)
      single-task  [forge/orch/chains.json:16:5]
        worker
        needs PLACE=… TASK_ID=…
      broken  [forge/orch/chains.json:21:5]
        worker -> ./agents/fix.sh:2
        cannot run: Prompt file not found: prompts/missing.md
      nothing  [forge/orch/chains.json:25:5]
        (no steps)
      mine  [$TEST/home/.config/forkhestra/chains.json:3:64]
        mine

    Agents:
      fk:planner  [forge/orch/chains.json:3:5]
        direct spawn of claude
      worker  [forge/orch/chains.json:4:5]
        program $TEST/bin/tool
      absent  [forge/orch/chains.json:5:5]
        `not-installed` is not installed (not found on PATH)
      task-manager
        `task-manager` is not installed (not found on PATH)
        default prompt  [forge/orch/chains.json:6:40]
      mine  [$TEST/home/.config/forkhestra/chains.json:2:15]
        program $TEST/bin/tool
      builder
        `builder` is not installed (not found on PATH)
      ./agents/fix.sh
        program $TEST/project/agents/fix.sh
    ");
}

#[test]
fn programs_get_the_same_as_json() {
    let printed = forkhestra(&rich(), &["list", "--json"]).success();
    let listed: Value = serde_json::from_str(&printed).expect("the list is JSON");
    let names = |key: &str| -> Vec<&str> {
        let entries = listed[key].as_array().expect("both are lists");
        entries.iter().filter_map(|entry| entry["name"].as_str()).collect()
    };
    assert_eq!(names("chains"), ["plan-and-build", "single-task", "broken", "nothing", "mine"]);
    assert_eq!(
        names("agents"),
        ["fk:planner", "worker", "absent", "task-manager", "mine", "builder", "./agents/fix.sh"]
    );
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
                },
                {
                    "agent": "builder", "iterations": 20,
                    "checks": ["tasks"], "tasksCheckImplied": true, "requireWork": false,
                },
            ],
            "problems": [],
        })
    );
    assert_eq!(single["variables"], json!(["PLACE", "TASK_ID"]));
    assert_eq!(broken["problems"], json!(["Prompt file not found: prompts/missing.md"]));
}

#[test]
fn agents_that_are_spawned_directly_say_which_program_they_are_for_and_what_was_chosen() {
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
    assert_snapshot!(forkhestra(&env, &["list"]).success(), @"
    Chains:
      work  [forge/orch/chains.json:8:5]
        b:2 -> a
        b is done only after some work (`requireWork`)

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
fn a_small_list_is_printed_whole() {
    let env = project(
        r#"{
  "agents": { "worker": { "command": "tool", "env": { "TOKEN": "s3cret" } } },
  "chains": { "work": { "steps": [{ "agent": "worker", "iterations": 2, "args": ["${WHAT}"] }] } }
}"#,
    );
    env.install("tool");
    assert_snapshot!(forkhestra(&env, &["list", "--json"]).success(), @r#"
    {
      "version": 1,
      "chains": [
        {
          "name": "work",
          "definition": "worker:2",
          "description": null,
          "source": "forge/orch/chains.json:3:15",
          "variables": [
            "WHAT"
          ],
          "steps": [
            {
              "agent": "worker",
              "iterations": 2,
              "checks": [],
              "tasksCheckImplied": false,
              "requireWork": false
            }
          ],
          "problems": []
        }
      ],
      "agents": [
        {
          "name": "worker",
          "source": "forge/orch/chains.json:2:15",
          "kind": "program",
          "command": "tool",
          "location": {
            "found": "$TEST/bin/tool"
          },
          "env": [
            "TOKEN"
          ],
          "defaultPrompt": null,
          "problems": []
        }
      ]
    }
    "#);
}

#[test]
fn in_a_project_without_a_config_the_places_that_were_looked_at_are_named() {
    assert_snapshot!(forkhestra(&TestEnv::new(), &["list"]).success(), @"
    No chains or agents are configured here; looked for `forge/orch/chains.json`, `forge/chains.json` and `$TEST/home/.config/forkhestra/chains.json`.
    Any program on PATH can be run as an agent all the same.
    ");
}

#[test]
fn in_a_project_without_a_config_programs_get_empty_lists() {
    let printed = forkhestra(&TestEnv::new(), &["list", "--json"]).success();
    let listed: Value = serde_json::from_str(&printed).expect("the list is JSON");
    assert_eq!(listed, json!({ "version": 1, "chains": [], "agents": [] }));
}

#[test]
fn an_empty_config_is_named() {
    assert_snapshot!(forkhestra(&project(r#"{ "chains": {} }"#), &["list"]).success(), @"
    No chains or agents are configured in `forge/orch/chains.json`.
    Any program on PATH can be run as an agent all the same.
    ");
}

#[test]
fn a_config_without_chains_lists_its_agents() {
    let env = project(r#"{ "agents": { "worker": { "command": "tool" } }, "chains": {} }"#);
    env.install("tool");
    assert_snapshot!(forkhestra(&env, &["list"]).success(), @"
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
    assert_snapshot!(forkhestra(&env, &["list", "--cwd", "sub"]).success(), @"
    Chains:
      below  [sub/forge/orch/chains.json:1:15]
        (no steps)
    ");
    assert_snapshot!(forkhestra(&env, &["list", "--config", "other.json"]).success(), @"
    Chains:
      other  [other.json:1:15]
        (no steps)
    ");
}

#[test]
fn a_broken_config_is_explained_and_nothing_is_listed() {
    let said = forkhestra(&project("{"), &["list"]).failure(2);
    assert!(said.starts_with("error: `forge/orch/chains.json` is not JSON: "), "{said}");
}

#[test]
fn what_is_only_doubtful_can_be_run() {
    let env = project(r#"{ "chains": { "c": { "steps": [{ "agent": "builder:3" }] } } }"#);
    let shown = forkhestra(&env, &["list"]).success();
    assert!(!shown.contains("cannot run"), "{shown}");
}

#[test]
fn an_agent_of_the_users_whose_files_are_missing_cannot_be_run() {
    let env = TestEnv::new();
    env.write_home(
        ".config/forkhestra/chains.json",
        r#"{ "agents": { "u": { "systemPrompt": "nope.md" } }, "chains": {} }"#,
    );
    assert_snapshot!(forkhestra(&env, &["list"]), @"
    Agents:
      u  [$TEST/home/.config/forkhestra/chains.json:1:15]
        direct spawn of claude; `claude` is not installed (not found on PATH)
        cannot run: Agent 'u' references systemPrompt 'nope.md' which does not exist
    ");
}

#[test]
fn what_a_step_is_checked_by_is_listed() {
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
