//! The values of the config file: each has a type, and a wrong value is pointed at.

use insta::assert_snapshot;

use crate::{forkhestra, project, refused};

/// The error message for a config with one wrong step.
#[track_caller]
fn wrong_step(step: &str) -> String {
    let config = format!("{{\n  \"chains\": {{\n    \"c\": {{ \"steps\": [{step}] }}\n  }}\n}}\n");
    refused(&project(&config), &["--chain", "c"])
}

#[test]
fn the_config_must_be_an_object() {
    assert_snapshot!(refused(&project("[]"), &["a"]), @"
    error: the config file must be an object, found an array
     --> forge/orch/chains.json:1:1
      |
    1 | []
      | ^^ expected an object
    ");
}

#[test]
fn every_key_may_be_missing() {
    for config in ["{}", "{ \"agents\": {} }", "{ \"chains\": {} }"] {
        let output = forkhestra(&project(config), &["a", "--dry-run", "--quiet"]);
        assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""), "{config}: {output}");
    }
}

#[test]
fn chains_must_be_an_object() {
    assert_snapshot!(refused(&project("{ \"chains\": [] }"), &["a"]), @r#"
    error: `chains` must be an object, found an array
     --> forge/orch/chains.json:1:13
      |
    1 | { "chains": [] }
      |             ^^ expected an object
    "#);
}

#[test]
fn a_chain_needs_steps() {
    assert_snapshot!(refused(&project("{ \"chains\": { \"c\": {} } }"), &["a"]), @r#"
    error: missing key `chains.c.steps`
     --> forge/orch/chains.json:1:20
      |
    1 | { "chains": { "c": {} } }
      |                    ^ this object needs `steps`
    "#);
}

#[test]
fn a_step_needs_an_agent() {
    assert_snapshot!(wrong_step("{ \"iterations\": 3 }"), @r#"
    error: `chains.c.steps[0]` has no `agent`, `group`, `parallel` or `ask`
     --> forge/orch/chains.json:3:22
      |
    3 |     "c": { "steps": [{ "iterations": 3 }] }
      |                      ^ this entry needs `agent`, `group`, `parallel` or `ask`
    "#);
}

#[test]
fn an_agents_name_must_not_be_empty() {
    assert_snapshot!(wrong_step("{ \"agent\": \"\" }"), @r#"
    error: `chains.c.steps[0].agent` must be a name, found an empty string
     --> forge/orch/chains.json:3:33
      |
    3 |     "c": { "steps": [{ "agent": "" }] }
      |                                 ^^ this value
    "#);
}

#[test]
fn an_agent_is_not_defined_under_an_empty_name() {
    let env = project("{ \"agents\": { \"\": { \"command\": \"a\" } }, \"chains\": {} }");
    assert_snapshot!(refused(&env, &["a"]), @r#"
    error: a key of `agents` must be a name, found an empty string
     --> forge/orch/chains.json:1:15
      |
    1 | { "agents": { "": { "command": "a" } }, "chains": {} }
      |               ^^ this key
    "#);
}

#[test]
fn iterations_must_not_be_zero() {
    assert_snapshot!(wrong_step("{ \"agent\": \"a\", \"iterations\": 0 }"), @r#"
    error: `chains.c.steps[0].iterations` must be a positive whole number, found the number 0
     --> forge/orch/chains.json:3:52
      |
    3 |     "c": { "steps": [{ "agent": "a", "iterations": 0 }] }
      |                                                    ^ expected a positive whole number
    "#);
}

#[test]
fn iterations_must_not_be_a_fraction() {
    assert_snapshot!(wrong_step("{ \"agent\": \"a\", \"iterations\": 1.5 }"), @r#"
    error: `chains.c.steps[0].iterations` must be a positive whole number, found the number 1.5
     --> forge/orch/chains.json:3:52
      |
    3 |     "c": { "steps": [{ "agent": "a", "iterations": 1.5 }] }
      |                                                    ^^^ expected a positive whole number
    "#);
}

#[test]
fn iterations_must_not_be_a_string() {
    assert_snapshot!(wrong_step("{ \"agent\": \"a\", \"iterations\": \"3\" }"), @r#"
    error: `chains.c.steps[0].iterations` must be a positive whole number, found the string "3"
     --> forge/orch/chains.json:3:52
      |
    3 |     "c": { "steps": [{ "agent": "a", "iterations": "3" }] }
      |                                                    ^^^ expected a positive whole number
    "#);
}

#[test]
fn iterations_must_not_be_null() {
    assert_snapshot!(wrong_step("{ \"agent\": \"a\", \"iterations\": null }"), @r#"
    error: `chains.c.steps[0].iterations` must be a positive whole number, found `null`
     --> forge/orch/chains.json:3:52
      |
    3 |     "c": { "steps": [{ "agent": "a", "iterations": null }] }
      |                                                    ^^^^ expected a positive whole number
    "#);
}

#[test]
fn prompts_must_be_strings() {
    assert_snapshot!(wrong_step("{ \"agent\": \"a\", \"prompt\": [\"x\"] }"), @r#"
    error: `chains.c.steps[0].prompt` must be a string, found an array
     --> forge/orch/chains.json:3:48
      |
    3 |     "c": { "steps": [{ "agent": "a", "prompt": ["x"] }] }
      |                                                ^^^^^ expected a string
    "#);
    assert_snapshot!(wrong_step("{ \"agent\": \"a\", \"promptFile\": true }"), @r#"
    error: `chains.c.steps[0].promptFile` must be a path, found `true`
     --> forge/orch/chains.json:3:52
      |
    3 |     "c": { "steps": [{ "agent": "a", "promptFile": true }] }
      |                                                    ^^^^ expected a path
    "#);
}

#[test]
fn arguments_must_be_strings_and_the_wrong_one_is_pointed_at() {
    assert_snapshot!(wrong_step("{ \"agent\": \"a\", \"args\": [\"--jobs\", 4] }"), @r#"
    error: `chains.c.steps[0].args[1]` must be a string, found the number 4
     --> forge/orch/chains.json:3:57
      |
    3 |     "c": { "steps": [{ "agent": "a", "args": ["--jobs", 4] }] }
      |                                                         ^ expected a string
    "#);
    assert_snapshot!(wrong_step("{ \"agent\": \"a\", \"args\": \"--jobs\" }"), @r#"
    error: `chains.c.steps[0].args` must be an array, found the string "--jobs"
     --> forge/orch/chains.json:3:46
      |
    3 |     "c": { "steps": [{ "agent": "a", "args": "--jobs" }] }
      |                                              ^^^^^^^^ expected an array
    "#);
}

#[test]
fn an_invalid_model_is_refused_with_a_suggestion() {
    let env = project(
        "{\n  \"agents\": {\n    \"p\": { \"systemPromptText\": \"\", \"model\": \"sonet\" }\n  },\n  \"chains\": {}\n}\n",
    );
    assert_snapshot!(refused(&env, &["p"]), @r#"
    error: `agents.p.model` must be `sonnet`, `opus`, `haiku` or a full model id, found "sonet"
     --> forge/orch/chains.json:3:45
      |
    3 |     "p": { "systemPromptText": "", "model": "sonet" }
      |                                             ^^^^^^^ not a model
    hint: did you mean `sonnet`?
    "#);
}

#[test]
fn direct_spawn_settings_of_a_program_are_refused() {
    let env = project("{\n  \"agents\": { \"p\": { \"maxTurns\": 5 } },\n  \"chains\": {}\n}\n");
    assert_snapshot!(refused(&env, &["p"]), @r#"
    error: `agents.p.maxTurns` has no effect: there is no agent called `p`
     --> forge/orch/chains.json:2:34
      |
    2 |   "agents": { "p": { "maxTurns": 5 } },
      |                                  ^ nothing to adjust
    hint: to make it an agent of its own, add `systemPrompt` or `systemPromptText`
    "#);
    env.install("p");
    assert_snapshot!(refused(&env, &["p"]), @r#"
    error: `agents.p.maxTurns` has no effect: `p` is the program `$TEST/bin/p`
     --> forge/orch/chains.json:2:34
      |
    2 |   "agents": { "p": { "maxTurns": 5 } },
      |                                  ^ only for built-in agents and agents with a system prompt
    hint: to make it an agent of its own, add `systemPrompt` or `systemPromptText`
    "#);
}

#[test]
fn an_entry_that_no_step_uses_never_refuses_a_run() {
    let env =
        project("{\n  \"agents\": { \"bulder\": { \"maxTurns\": 5 } },\n  \"chains\": {}\n}\n");
    env.install("other");
    let output = forkhestra(&env, &["other", "--dry-run", "--quiet"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_snapshot!(output.stderr, @r#"
    warning: `agents.bulder.maxTurns` has no effect: there is no agent called `bulder`
     --> forge/orch/chains.json:2:39
      |
    2 |   "agents": { "bulder": { "maxTurns": 5 } },
      |                                       ^ nothing to adjust
    hint: did you mean `builder`?
    hint: to make it an agent of its own, add `systemPrompt` or `systemPromptText`
    "#);
}

#[test]
fn an_agent_is_a_program_or_a_system_prompt_but_not_both() {
    let env = project(
        "{\n  \"agents\": { \"p\": { \"command\": \"a\", \"systemPromptText\": \"\" } },\n  \"chains\": {}\n}\n",
    );
    assert_snapshot!(refused(&env, &["p"]), @r#"
    error: `agents.p` has both a system prompt and a `command`
     --> forge/orch/chains.json:2:33
      |
    2 |   "agents": { "p": { "command": "a", "systemPromptText": "" } },
      |                                 ^^^ a program takes no system prompt
    hint: remove one of the two
    "#);
}

#[test]
fn a_hook_that_would_never_run_is_refused_with_a_suggestion() {
    let env = project(
        "{\n  \"chains\": { \"c\": { \"hooks\": { \"on-complet\": \"./tell.sh\" }, \"steps\": [] } }\n}\n",
    );
    assert_snapshot!(refused(&env, &["--chain", "c"]), @r#"
    error: unknown hook type `chains.c.hooks.on-complet`
     --> forge/orch/chains.json:2:33
      |
    2 |   "chains": { "c": { "hooks": { "on-complet": "./tell.sh" }, "steps": [] } }
      |                                 ^^^^^^^^^^^^ not a hook type
    hint: did you mean `on-complete`?
    hint: the hook types are `pre-iteration`, `post-iteration`, `on-complete`, `on-stagnation`, `on-failure`, `on-interrupt`, `on-limit` and `on-question`
    "#);
}

#[test]
fn limits_need_units_and_must_be_more_than_zero() {
    let env = project(
        r#"{
  "chains": {
    "c": {
      "limits": {
        "timeout": 5,
        "idleTimeout": "5",
        "time": "soon",
        "cost": "20",
        "stagnation": 0,
        "maxWait": "0s"
      },
      "steps": []
    }
  }
}
"#,
    );
    assert_snapshot!(refused(&env, &["--chain", "c"]), @r#"
    error: `chains.c.limits.timeout` must be a duration such as "30m", or "off", found the number 5
     --> forge/orch/chains.json:5:20
      |
    5 |         "timeout": 5,
      |                    ^ expected a duration such as "30m", or "off"
    error: `chains.c.limits.idleTimeout` needs a unit, as in `90s`, `30m` or `1h 30m`
     --> forge/orch/chains.json:6:24
      |
    6 |         "idleTimeout": "5",
      |                        ^^^ this value
    error: `chains.c.limits.time` is not a duration in hours, minutes and seconds such as `90s` or `1h 30m`, or `off`
     --> forge/orch/chains.json:7:17
      |
    7 |         "time": "soon",
      |                 ^^^^^^ this value
    error: `chains.c.limits.cost` must be an amount in US dollars such as 2.50, or "off", found the string "20"
     --> forge/orch/chains.json:8:17
      |
    8 |         "cost": "20",
      |                 ^^^^ expected an amount in US dollars such as 2.50, or "off"
    error: `chains.c.limits.stagnation` must be more than zero; `off` turns the limit off
     --> forge/orch/chains.json:9:23
      |
    9 |         "stagnation": 0,
      |                       ^ this value
    error: `chains.c.limits.maxWait` must be more than zero; `off` turns the limit off
      --> forge/orch/chains.json:10:20
       |
    10 |         "maxWait": "0s"
       |                    ^^^^ this value
    "#);
}

#[test]
fn a_quota_names_windows_and_shares() {
    let env = project(
        r#"{
  "chains": {
    "c": {
      "limits": { "quota": "90%" },
      "steps": [
        { "agent": "a", "limits": { "quota": { "5h": "190%", "7d": 90 } } },
        { "agent": "a", "limits": { "quota": {} } },
        { "agent": "a", "limits": { "quota": { "5d": "90%" } } }
      ]
    }
  }
}
"#,
    );
    assert_snapshot!(refused(&env, &["--chain", "c"]), @r#"
    error: `chains.c.limits.quota` must be an object such as { "5h": "90%" }, or "off", found the string "90%"
     --> forge/orch/chains.json:4:28
      |
    4 |       "limits": { "quota": "90%" },
      |                            ^^^^^ expected an object such as { "5h": "90%" }, or "off"
    error: `chains.c.steps[0].limits.quota.5h` is more than the whole window; write `1%` to `100%`, or `even`
     --> forge/orch/chains.json:6:54
      |
    6 |         { "agent": "a", "limits": { "quota": { "5h": "190%", "7d": 90 } } },
      |                                                      ^^^^^^ this value
    error: `chains.c.steps[0].limits.quota.7d` must be a share such as "90%", or "even", found the number 90
     --> forge/orch/chains.json:6:68
      |
    6 |         { "agent": "a", "limits": { "quota": { "5h": "190%", "7d": 90 } } },
      |                                                                    ^^ expected a share such as "90%", or "even"
    error: `chains.c.steps[1].limits.quota` must name a window, as in { "5h": "90%" }, or be "off"
     --> forge/orch/chains.json:7:46
      |
    7 |         { "agent": "a", "limits": { "quota": {} } },
      |                                              ^^ this value
    error: `chains.c.steps[2].limits.quota` must name a window, as in { "5h": "90%" }, or be "off"
     --> forge/orch/chains.json:8:46
      |
    8 |         { "agent": "a", "limits": { "quota": { "5d": "90%" } } }
      |                                              ^^^^^^^^^^^^^^^ this value
    warning: unknown key `chains.c.steps[2].limits.quota.5d`
     --> forge/orch/chains.json:8:48
      |
    8 |         { "agent": "a", "limits": { "quota": { "5d": "90%" } } }
      |                                                ^^^^ not a key of quota; it is ignored
    "#);
}

/// The fields of 002, each with a value of a wrong type.
#[test]
fn every_field_of_an_agent_has_its_type() {
    let table = [
        ("defaultPrompt", "3", "a string"),
        ("defaultPromptFile", "{}", "a path"),
        ("systemPrompt", "[]", "a path"),
        ("systemPromptText", "null", "a string"),
        ("mcpConfig", "{}", "a path"),
        ("settings", "{}", "a path"),
        ("backend", "4", "`claude`, `codex`, `gemini`, `opencode` or `replay`"),
        ("model", "4", "the name of a model"),
        ("maxTurns", "2.5", "a positive whole number"),
        ("allowedTools", "\"Read\"", "an array"),
        ("disallowedTools", "{}", "an array"),
        ("permissions", "true", "`skip` or `default`"),
        ("billing", "[]", "`any`, `subscription` or `api-key`"),
        ("command", "[]", "a name"),
        ("args", "\"-x\"", "an array"),
        ("env", "[\"A=1\"]", "an object"),
    ];
    for (key, value, expected) in table {
        let config =
            format!("{{ \"agents\": {{ \"p\": {{ \"{key}\": {value} }} }}, \"chains\": {{}} }}");
        let text = refused(&project(&config), &["p"]);
        let message = format!("error: `agents.p.{key}` must be {expected}, found ");
        assert!(text.starts_with(&message), "{text}");
    }
}
