//! `--dry-run --output json`: the plan as JSON.

use insta::assert_snapshot;
use serde_json::{Value, json};
use testkit::TestEnv;

use crate::{forkhestra, project, without_name_warning};

#[track_caller]
fn plan(env: &TestEnv, args: &[&str]) -> Value {
    let printed = forkhestra(env, &[&["--dry-run", "--output", "json"], args].concat()).success();
    serde_json::from_str(&printed).expect("the plan is JSON")
}

#[test]
fn a_small_plan_is_printed_whole() {
    let env = TestEnv::new();
    env.install("builder");
    let args = ["builder:3", "-p", "Fix it", "--dry-run", "--output", "json", "--", "--fast"];
    assert_snapshot!(without_name_warning(forkhestra(&env, &args)).success(), @r#"
    {
      "version": 1,
      "chain": null,
      "definition": "builder:3",
      "source": "command line",
      "description": null,
      "workingDirectory": "$TEST/project",
      "stateDirectory": null,
      "taskDatabase": null,
      "steps": [
        {
          "number": 1,
          "agent": {
            "name": "builder",
            "source": "PATH",
            "kind": "program",
            "command": "builder",
            "location": {
              "found": "$TEST/bin/builder"
            },
            "env": []
          },
          "iterations": 3,
          "args": [
            {
              "value": "--fast",
              "source": "command line"
            }
          ],
          "prompt": {
            "value": {
              "text": "Fix it"
            },
            "source": "--prompt"
          },
          "completion": {
            "value": "marker",
            "source": "default"
          },
          "markers": {
            "value": [
              "FORKHESTRA_COMPLETE",
              "ORCHESTRA_COMPLETE",
              "<promise>COMPLETE</promise>",
              "RALPH_STATUS: COMPLETE"
            ],
            "source": "default"
          },
          "doneFile": null,
          "requireWork": false,
          "checks": [
            {
              "value": {
                "check": "tasks",
                "name": null,
                "when": "completion",
                "timeout": 600
              },
              "source": "implied: this agent works through the task database"
            }
          ],
          "limits": {
            "timeout": {
              "value": null,
              "source": "default"
            },
            "idleTimeout": {
              "value": 1800,
              "source": "default"
            },
            "time": {
              "value": null,
              "source": "default"
            },
            "cost": {
              "value": null,
              "source": "default"
            },
            "stagnation": {
              "value": 3,
              "source": "implied: default of builder loops"
            },
            "maxWait": {
              "value": 21600,
              "source": "default"
            }
          }
        }
      ],
      "hooks": [],
      "limits": {
        "time": {
          "value": null,
          "source": "default"
        },
        "cost": {
          "value": null,
          "source": "default"
        }
      },
      "feedback": true,
      "snapshots": true
    }
    "#);
}

#[test]
fn verbosity_does_not_change_the_json() {
    let env = TestEnv::new();
    let expected = plan(&env, &["a:3"]);
    assert_eq!(plan(&env, &["a:3", "--quiet"]), expected);
    assert_eq!(plan(&env, &["a:3", "--verbose"]), expected);
    assert_eq!(plan(&env, &["a:3", "--color", "always"]), expected);
}

#[test]
fn a_chain_of_the_config_has_its_name_and_its_source() {
    let env = project(
        r#"{
  "agents": { "planner": { "systemPromptText": "Plan.", "env": { "KEY": "s3cret" } } },
  "chains": {
    "build": {
      "description": "Plans, then builds",
      "checks": ["file:DONE"],
      "hooks": { "on-failure": { "run": "./tell.sh", "timeout": "off" } },
      "limits": { "cost": 2.5, "time": "90m" },
      "steps": [{ "agent": "planner", "iterations": 3, "prompt": "" }],
    },
  },
}"#,
    );
    env.write_script("tell.sh");
    let plan = plan(&env, &["--chain", "build"]);
    let step = &plan["steps"][0];
    assert_eq!(plan["version"], 1);
    assert_eq!(plan["chain"], "build");
    assert_eq!(plan["definition"], "planner:3");
    assert_eq!(plan["source"], "forge/orch/chains.json:4:5");
    assert_eq!(plan["description"], "Plans, then builds");
    assert_eq!(plan["limits"]["cost"]["value"], 2.5);
    assert_eq!(plan["limits"]["time"]["value"], 5400);
    assert_eq!(
        plan["hooks"],
        json!([{
            "value": {
                "on": "on-failure", "run": "./tell.sh", "timeout": null, "onError": "continue"
            },
            "source": "forge/orch/chains.json:7:41",
        }])
    );
    assert_eq!(step["agent"]["kind"], "direct");
    assert_eq!(step["agent"]["location"], json!({ "missing": "not-on-path" }));
    assert_eq!(step["agent"]["systemPrompt"]["value"], json!({ "text": "Plan." }));
    assert_eq!(step["agent"]["env"], json!(["KEY"]));
    assert_eq!(step["prompt"], json!({ "value": null, "source": "forge/orch/chains.json:9:66" }));
    assert_eq!(step["checks"][0]["value"]["check"], json!({ "file": "DONE" }));
}

#[test]
fn control_characters_and_colours_never_leave_json_unescaped() {
    let env = TestEnv::new();
    let prompt = "\u{1b}[2J\u{7}";
    let args = ["a", "-p", prompt, "--dry-run", "--output", "json", "--color", "always"];
    let printed = forkhestra(&env, &args).success();
    assert!(!printed.contains(|c: char| c.is_control() && c != '\n'), "{printed:?}");
    let plan: Value = serde_json::from_str(&printed).expect("the plan is JSON");
    assert_eq!(plan["steps"][0]["prompt"]["value"]["text"], prompt);
}

#[test]
fn errors_go_to_standard_error_and_no_json_is_printed() {
    let env = TestEnv::new();
    let output = forkhestra(&env, &["a:0", "--dry-run", "--output", "json"]);
    let message = output.failure(2);
    assert!(message.starts_with("error: step 1: the count `0` must be at least 1\n"), "{message}");
}

#[test]
fn the_json_plan_is_complete() {
    let env = TestEnv::new();
    let prompt = "a\u{7f}b\u{85}c";
    let json = forkhestra(&env, &["a", "-p", prompt, "--dry-run", "--output", "json"]).success();
    let plan: Value = serde_json::from_str(&json).expect("it is JSON");
    assert_eq!(plan["steps"][0]["prompt"]["value"]["text"], prompt);
}
