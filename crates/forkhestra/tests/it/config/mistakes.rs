//! Mistakes of a config as a whole: all at once, with both positions where there are two, and
//! warnings where the run can continue.

use insta::assert_snapshot;

use crate::{ONE_STEP, forkhestra, planned, project, refused};

#[test]
fn a_duplicate_key_is_refused_with_both_positions() {
    let env = project(
        r#"{
  "chains": {
    "build": { "steps": [{ "agent": "a" }] },
    "build": { "steps": [{ "agent": "b" }] }
  }
}
"#,
    );
    assert_snapshot!(refused(&env, &["--chain", "build"]), @r#"
    error: duplicate key `chains.build`
     --> forge/orch/chains.json:4:5
      |
    3 |     "build": { "steps": [{ "agent": "a" }] },
      |     ------- first given here
    4 |     "build": { "steps": [{ "agent": "b" }] }
      |     ^^^^^^^ given again here
    "#);
}

#[test]
fn unknown_keys_are_a_warning_with_a_suggestion() {
    let env = project(
        r#"{
  "agents": { "a": { "defaultPromt": "Do it" } },
  "chains": {
    "c": {
      "steps": [{ "agent": "a", "iteration": 3 }]
    }
  },
  "author": "me"
}
"#,
    );
    env.install("a");
    assert_snapshot!(forkhestra(&env, &["--chain", "c", "--dry-run", "--quiet"]), @r#"
      1. a - run once
           agent: program $TEST/bin/a (PATH)
    ------- stderr -------
    warning: unknown key `agents.a.defaultPromt`
     --> forge/orch/chains.json:2:22
      |
    2 |   "agents": { "a": { "defaultPromt": "Do it" } },
      |                      ^^^^^^^^^^^^^^ not a key of an agent; it is ignored
    hint: did you mean `defaultPrompt`?
    warning: unknown key `chains.c.steps[0].iteration`
     --> forge/orch/chains.json:5:33
      |
    5 |       "steps": [{ "agent": "a", "iteration": 3 }]
      |                                 ^^^^^^^^^^^ not a key of a step; it is ignored
    hint: did you mean `iterations`?
    warning: unknown key `author`
     --> forge/orch/chains.json:8:3
      |
    8 |   "author": "me"
      |   ^^^^^^^^ not a key of the config file; it is ignored
    "#);
}

#[test]
fn keys_ignored_by_a_step_that_runs_once_are_a_warning() {
    let env = project(
        r#"{
  "chains": {
    "c": {
      "steps": [{ "agent": "a", "completion": "marker", "markers": ["DONE"] }]
    }
  }
}
"#,
    );
    env.install("a");
    assert_snapshot!(forkhestra(&env, &["--chain", "c", "--dry-run", "--quiet"]), @r#"
      1. a - run once
           agent: program $TEST/bin/a (PATH)
    ------- stderr -------
    warning: `chains.c.steps[0].completion` has no effect: the step runs once
     --> forge/orch/chains.json:4:47
      |
    4 |       "steps": [{ "agent": "a", "completion": "marker", "markers": ["DONE"] }]
      |                                               ^^^^^^^^ only a step that loops looks at this
    hint: add `iterations` to make it loop
    warning: `markers` of step 1 has no effect: the step runs once
     --> forge/orch/chains.json:4:68
      |
    4 |       "steps": [{ "agent": "a", "completion": "marker", "markers": ["DONE"] }]
      |                                                                    ^^^^^^^^ for a loop, or the last stage of a repeated group
    hint: add `iterations` to make it loop
    "#);
}

#[test]
fn all_mistakes_of_a_config_are_shown_at_once_in_the_order_of_the_text() {
    let env = project(
        r#"{
  "agents": {
    "p": { "systemPrompt": "", "maxTurns": 0, "allowedTools": "Read" }
  },
  "chains": {
    "one": { "steps": [{ "agent": "a", "iterations": "3" }, {}] },
    "two": { "prompt": 7, "steps": {}, "completion": "tests" }
  }
}
"#,
    );
    assert_snapshot!(refused(&env, &["a"]), @r#"
    error: `agents.p.systemPrompt` must be a path, found an empty string
     --> forge/orch/chains.json:3:28
      |
    3 |     "p": { "systemPrompt": "", "maxTurns": 0, "allowedTools": "Read" }
      |                            ^^ this value
    error: `agents.p.maxTurns` must be a positive whole number, found the number 0
     --> forge/orch/chains.json:3:44
      |
    3 |     "p": { "systemPrompt": "", "maxTurns": 0, "allowedTools": "Read" }
      |                                            ^ expected a positive whole number
    error: `agents.p.allowedTools` must be an array, found the string "Read"
     --> forge/orch/chains.json:3:63
      |
    3 |     "p": { "systemPrompt": "", "maxTurns": 0, "allowedTools": "Read" }
      |                                                               ^^^^^^ expected an array
    error: `chains.one.steps[0].iterations` must be a positive whole number, found the string "3"
     --> forge/orch/chains.json:6:54
      |
    6 |     "one": { "steps": [{ "agent": "a", "iterations": "3" }, {}] },
      |                                                      ^^^ expected a positive whole number
    error: `chains.one.steps[1]` has no `agent`, `group`, `parallel` or `ask`
     --> forge/orch/chains.json:6:61
      |
    6 |     "one": { "steps": [{ "agent": "a", "iterations": "3" }, {}] },
      |                                                             ^ this entry needs `agent`, `group`, `parallel` or `ask`
    error: `chains.two.prompt` must be a string, found the number 7
     --> forge/orch/chains.json:7:24
      |
    7 |     "two": { "prompt": 7, "steps": {}, "completion": "tests" }
      |                        ^ expected a string
    error: `chains.two.steps` must be an array or a chain such as "planner:3 -> builder", found an object
     --> forge/orch/chains.json:7:36
      |
    7 |     "two": { "prompt": 7, "steps": {}, "completion": "tests" }
      |                                    ^^ expected an array or a chain such as "planner:3 -> builder"
    error: `chains.two.completion` must be `marker` or `checks`, found the string "tests"
     --> forge/orch/chains.json:7:54
      |
    7 |     "two": { "prompt": 7, "steps": {}, "completion": "tests" }
      |                                                      ^^^^^^^ expected `marker` or `checks`
    "#);
}

#[test]
fn conflicting_keys_are_found_beside_other_mistakes() {
    let env = project(
        r#"{
  "agents": {
    "both": { "systemPromptText": "", "command": "a", "maxTurns": 0 },
    "neither": { "model": "opus", "args": 3, "env": { "A=B": "", "C": 1 } }
  },
  "chains": { "c": { "markers": [], "steps": [{}] } }
}
"#,
    );
    let message = refused(&env, &["a"]);
    for expected in [
        "`agents.both` has both a system prompt and a `command`",
        "`agents.both.maxTurns` must be a positive whole number",
        "`agents.neither.args` must be an array",
        "`agents.neither.env.A=B` is not a variable's name",
        "`agents.neither.env.C` must be a string",
        "`chains.c.markers` holds no marker",
        "`chains.c.steps[0]` has no `agent`, `group`, `parallel` or `ask`",
    ] {
        assert!(message.contains(&format!("error: {expected}")), "{expected}:\n{message}");
    }
    assert_eq!(message.matches("error: ").count(), 7, "{message}");
}

#[test]
fn a_secret_beside_a_mistake_is_not_shown() {
    let env = project(
        r#"{
  "agents": { "a": { "env": { "TOKEN": "s3cret" }, "maxTurns": 0 } },
  "chains": {}
}
"#,
    );
    assert_snapshot!(refused(&env, &["a"]), @r#"
    error: `agents.a.maxTurns` must be a positive whole number, found the number 0
     --> forge/orch/chains.json:2:64
      |
    2 |   "agents": { "a": { "env": { "TOKEN": "******" }, "maxTurns": 0 } },
      |                                                                ^ expected a positive whole number
    "#);
}

#[test]
fn a_mistake_in_a_chain_that_is_not_run_counts_too() {
    let env = project(
        r#"{ "chains": { "good": { "steps": [] }, "bad": { "steps": [{ "agent": 3 }] } } }"#,
    );
    let message = refused(&env, &["--chain", "good"]);
    assert!(message.contains("`chains.bad.steps[0].agent` must be a name"), "{message}");
}

#[test]
fn the_schema_may_be_named_for_editors() {
    let env = project(
        r#"{ "$schema": "chains.schema.json", "chains": { "c": { "steps": [{ "agent": "tool" }] } } }"#,
    );
    assert!(planned(&env, &["--chain", "c"]).starts_with(ONE_STEP));
}

#[test]
fn a_secret_is_masked_even_where_the_file_is_not_json() {
    for config in [
        r#"{ "agents": { "a": { "env": { "T": "s3cret" "U": "x" } } }, "chains": {} }"#,
        r#"{ "agents": { "a": { "Env": { "T": "s3cret" }, "args": ["${MISSING}"] } }, "chains": {} }"#,
    ] {
        let env = project(config);
        let message = forkhestra(&env, &["a", "--dry-run"]).stderr;
        assert!(message.contains("\"******\""), "{message}");
        assert!(!message.contains("s3cret"), "{message}");
    }
}

#[test]
fn of_very_many_mistakes_the_first_are_shown_and_the_rest_is_counted() {
    let steps = "{},".repeat(1_000);
    let message = refused(
        &project(&format!(r#"{{ "chains": {{ "c": {{ "steps": [{steps}] }} }} }}"#)),
        &["a"],
    );
    assert_eq!(message.matches("has no `agent`, `group`, `parallel` or `ask`").count(), 200);
    assert!(
        message.ends_with("… and 800 more messages like these\n"),
        "{}",
        &message[message.len() - 200..]
    );
}

#[test]
fn very_many_warnings_do_not_hide_an_error() {
    let unknown: String = (0..300).map(|key| format!("\"x{key}\": 1,")).collect();
    let env = project(&format!(r#"{{ {unknown} "chains": 1 }}"#));
    let message = refused(&env, &["a"]);
    assert!(message.starts_with("error: `chains` must be an object"), "{}", &message[..200]);
    assert!(
        message.ends_with("… and 101 more messages like these\n"),
        "{}",
        &message[message.len() - 200..]
    );
}
