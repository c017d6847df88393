//! `forkhestra schema`: the JSON Schema of the config file, generated from the types of its reader.

use std::collections::BTreeSet;

use jsonc_parser::{ParseOptions, parse_to_serde_value};
use jsonschema::Validator;
use serde_json::{Value, json};
use testkit::{CommandOutput, TestEnv};

use crate::{forkhestra, project};

fn schema() -> Value {
    let printed = forkhestra(&TestEnv::new(), &["schema"]).success();
    serde_json::from_str(&printed).expect("the schema is JSON")
}

fn validator() -> Validator {
    jsonschema::validator_for(&schema()).expect("the schema is a JSON Schema")
}

/// Whether the program accepts a config without a message.
fn is_accepted_silently(config: &Value) -> bool {
    let output = listed(config);
    output.code == Some(0) && output.stderr.is_empty()
}

/// The output of `list` for a config, in a project with a recording.
fn listed(config: &Value) -> CommandOutput {
    let env = project(&config.to_string());
    let recording = json!({
        "format": "1.0", "run": "abcdefgh", "started": "2026-11-15T12:00:00.000Z", "program": "0.1.0",
        "chain": null, "definition": "a", "steps": [{ "number": 1, "agent": "a", "backend": null }],
    });
    env.write("rec/recording.json", recording.to_string());
    forkhestra(&env, &["list"])
}

/// A config with every key.
fn config_with_every_key() -> Value {
    let limits = json!({
        "timeout": "1h 30m", "idleTimeout": "off", "time": "8h", "cost": 2.5, "stagnation": 3,
        "maxWait": "90s", "quota": { "5h": "90%", "7d": "even" },
    });
    let room = json!({ "setup": "npm ci", "keep": ["target", "./web/cache/"], "timeout": "10m" });
    let step = json!({
        "agent": "direct", "iterations": 3, "args": ["-x"], "prompt": "", "promptFile": "p.md",
        "markers": ["STEP DONE"], "completion": "checks", "checks": ["tasks"],
        "requireWork": false, "limits": limits,
        "cleanRoom": true, "protect": ["spec.md"], "onProtectedChange": "refuse",
        "onCycle": "report", "sandbox": "auto",
        "if": "planned", "fallback": "codex", "else": { "agent": "other" },
        "lanes": 2, "lane": { "setup": "npm ci", "copy": [".env"], "keep": [], "timeout": "5m" },
    });
    let best = json!({ "agent": "other", "iterations": 2, "best": 2, "pick": "cheapest" });
    let parallel = json!({ "parallel": [[{ "agent": "other" }], "program"], "lane": {} });
    let question = json!({
        "ask": "Is ${PLAN} right?", "timeout": "8h", "onTimeout": "deny", "if": "tasks",
        "else": { "agent": "other" },
    });
    let group = json!({
        "group": [{ "group": "other:2 -> ? else program" }, question], "rounds": 3,
        "checks": ["tasks"], "cleanRoom": false, "limits": { "cost": 5 },
        "if": { "check": "file:plan.md" }, "else": [{ "agent": "program" }],
    });
    let checks = json!([
        "exit-code",
        { "check": "command:make", "name": "make", "when": "always", "mustFailFirst": true, "timeout": "5m" },
    ]);
    json!({
        "$schema": "chains.schema.json",
        "agents": {
            "direct": {
                "defaultPrompt": "Plan", "systemPromptText": "You plan.", "model": "sonnet",
                "maxTurns": 50, "allowedTools": ["Read", "Bash(git *)"], "disallowedTools": ["Write"],
                "backend": "claude", "permissions": "default", "billing": "api-key",
                "args": ["--verbose"], "env": { "KEY": "value" }, "sandbox": "guard",
            },
            "other": {
                "systemPromptText": "", "backend": "codex", "model": "o3", "maxTurns": 5,
                "permissions": "skip", "billing": "any",
            },
            "program": { "command": "tool", "args": [], "env": {}, "defaultPromptFile": "p.md" },
            "recorded": {
                "backend": "replay", "recording": "rec", "speed": 10,
            },
        },
        "notify": [
            "terminal",
            { "to": "slack", "url": "https://hooks.example.com/x", "on": ["complete", "failure"] },
            { "to": "ntfy", "urlEnv": "MY_TOPIC" },
        ],
        "sandbox": {
            "level": "strict", "writable": ["~/x"], "hosts": ["example.org"], "env": ["KEY"],
        },
        "prices": {
            "o3": {
                "input": 3, "output": 15, "cacheRead": 0.3, "cacheWrite": 3.75, "cacheWrite1h": 6,
            },
        },
        "chains": {
            "all": {
                "requireWork": true, "calibrate": true, "protectScripts": false,
                "description": "Everything", "prompt": "Do it", "promptFile": "p.md",
                "markers": ["DONE", "/^ok$/"], "completion": "marker",
                "checks": checks,
                "hooks": {
                    "on-complete": "./a.sh",
                    "on-failure": ["./b.sh", { "run": "./c.sh", "timeout": "5s", "onError": "continue" }],
                },
                "cleanRoom": room, "protect": ["tests/**", ".ci/"], "onProtectedChange": "allow",
                "onCycle": "stop", "snapshots": false, "sandbox": "workspace",
                "limits": limits, "fallback": "gemini",
                "steps": [step, question, group, best, parallel], "lane": {},
            },
            "one line": { "steps": "other:3 -> ? -> (direct -> program):3 else other" },
        },
    })
}

#[test]
fn the_schema_is_a_valid_json_schema() {
    let schema = schema();
    assert!(jsonschema::meta::is_valid(&schema));
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
}

#[test]
fn the_examples_are_valid_and_accepted() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/chains.json");
    let text = std::fs::read_to_string(path).expect("the example is part of the repository");
    let example: Value = parse_to_serde_value(&text, &ParseOptions::default())
        .expect("the example is JSON with comments");
    if let Err(error) = validator().validate(&example) {
        panic!("{path}, at {}: {error}", error.instance_path());
    }
    forkhestra(&project(&text), &["list"]).success();
}

#[test]
fn a_config_with_every_key_is_valid_and_accepted() {
    let everything = config_with_every_key();
    assert!(validator().is_valid(&everything));
    assert!(is_accepted_silently(&everything));
}

/// Otherwise the other tests of this file would miss a key.
#[test]
fn the_config_with_every_key_has_every_key_of_the_schema() {
    let mut of_schema = BTreeSet::new();
    collect_properties(&schema(), &mut of_schema);
    let mut written = BTreeSet::new();
    collect_keys(&config_with_every_key(), &mut written);
    // File paths are interchangeable; existing files are tested elsewhere.
    let elsewhere = ["systemPrompt", "mcpConfig", "settings"];
    let hooks = [
        "pre-iteration",
        "post-iteration",
        "on-stagnation",
        "on-interrupt",
        "on-limit",
        "on-question",
    ];
    let missing: Vec<&String> = of_schema
        .difference(&written)
        .filter(|key| !elsewhere.contains(&key.as_str()) && !hooks.contains(&key.as_str()))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// Puts wrong values at every position of a config: schema and program must agree.
#[test]
fn schema_and_program_refuse_the_same_values() {
    let validator = validator();
    let everything = config_with_every_key();
    let mut refused = 0;
    for place in pointers(&everything) {
        for wrong in [json!(null), json!(true), json!(-1), json!([]), json!({})] {
            let mut config = everything.clone();
            *config.pointer_mut(&place).expect("the place is from this config") = wrong.clone();
            let valid = validator.is_valid(&config);
            assert_eq!(is_accepted_silently(&config), valid, "{wrong} at {place}");
            refused += usize::from(!valid);
        }
    }
    assert!(refused > 200, "only {refused} wrong configs were tried");
}

#[test]
fn schema_and_program_agree_on_boundary_values() {
    let step = |key: &str, value: Value| json!({ "chains": { "c": { "steps": [{ "agent": "a", key: value }] } } });
    let chain = |key: &str, value: Value| json!({ "chains": { "c": { key: value, "steps": [] } } });
    let entries = |steps: Value| json!({ "chains": { "c": { "steps": steps } } });
    let agent = |entry: Value| json!({ "agents": { "a": entry }, "chains": {} });
    let looping = |keys: Value| {
        let mut step = json!({ "agent": "a", "iterations": 2 });
        let object = step.as_object_mut().expect("a step is an object");
        object.extend(keys.as_object().cloned().unwrap_or_default());
        json!({ "chains": { "c": { "steps": [step] } } })
    };
    let limits = |key: &str, value: Value| chain("limits", json!({ key: value }));
    let right = [
        json!({}),
        json!({ "agents": {} }),
        json!({ "chains": {} }),
        json!({ "agents": {}, "chains": { "c": { "steps": [] } } }),
        step("iterations", json!(1)),
        step("iterations", json!(4_294_967_295_u32)),
        step("prompt", json!("")),
        looping(json!({ "lanes": 2, "lane": { "timeout": "off" } })),
        looping(json!({ "best": 64, "pick": "./score.sh" })),
        chain("lane", json!({})),
        entries(json!([{ "parallel": ["a", "b"], "else": { "agent": "c" } }])),
        entries(json!([{ "group": "a", "rounds": 9, "lanes": 2, "lane": {} }])),
        step("args", json!([])),
        step("else", json!({ "ask": "" })),
        step("else", json!([{ "group": "a -> b", "rounds": 2 }, { "agent": "c" }])),
        step("if", json!({ "check": "tasks" })),
        step("fallback", json!("opencode")),
        chain("fallback", json!("claude")),
        entries(json!("a:3 -> (b -> ?):2 else c")),
        entries(json!([{ "group": [{ "ask": "a", "timeout": "8h", "onTimeout": "approve" }] }])),
        entries(json!([{ "ask": "a", "timeout": "off" }])),
        entries(json!([{ "group": "a", "rounds": 2, "checks": [], "cleanRoom": {} }])),
        entries(json!([{ "group": "a", "limits": {}, "if": "tasks", "else": { "agent": "b" } }])),
        chain("checks", json!([])),
        chain("hooks", json!({})),
        chain("description", json!("")),
        limits("stagnation", json!("off")),
        limits("cost", json!(0.01)),
        limits("time", json!("off")),
        agent(json!({})),
        agent(json!({ "systemPromptText": "" })),
        agent(json!({ "systemPromptText": "", "model": "claude-sonnet-4-5" })),
        agent(json!({ "env": { "EMPTY": "" } })),
        agent(json!({ "backend": "codex" })),
        agent(json!({ "model": "gpt", "maxTurns": 3 })),
        agent(json!({ "command": "x", "permissions": "skip" })),
        agent(json!({ "command": "x", "billing": "any" })),
        agent(json!({ "systemPromptText": "", "allowedTools": ["Bash(echo (a), (b))"] })),
        agent(json!({ "systemPromptText": "", "backend": "codex", "model": "gpt" })),
        agent(json!({ "systemPromptText": "", "backend": "gemini", "billing": "any" })),
        agent(json!({ "backend": "replay", "recording": "rec" })),
        agent(json!({ "backend": "replay", "recording": "rec", "speed": 0.5 })),
        agent(json!({
            "backend": "replay", "recording": "rec", "speed": "max", "defaultPrompt": "x",
        })),
        agent(
            json!({ "systemPromptText": "", "backend": "gemini", "allowedTools": ["run_shell_command(git log)"] }),
        ),
        agent(
            json!({ "systemPromptText": "", "backend": "gemini", "disallowedTools": ["write_file"] }),
        ),
        agent(
            json!({ "systemPromptText": "", "backend": "opencode", "allowedTools": ["edit(docs/*)"] }),
        ),
        agent(
            json!({ "systemPromptText": "", "backend": "opencode", "disallowedTools": ["bash(rm *)"] }),
        ),
        agent(
            json!({ "systemPromptText": "", "backend": "opencode", "disallowedTools": ["task"] }),
        ),
        step("cleanRoom", json!({})),
        step("cleanRoom", json!({ "keep": [], "setup": "x" })),
        chain("cleanRoom", json!({ "keep": [".cache", "a..b", ".github"] })),
        chain("protect", json!([])),
        chain(
            "protect",
            json!(["./a/", "a, b", "**/*.{snap,gold}", ".gitignore", "é".repeat(1000)]),
        ),
        json!({ "chains": {}, "prices": {} }),
        json!({ "chains": {}, "notify": [] }),
        json!({ "chains": {}, "notify": [{ "to": "desktop", "on": ["limit"] }] }),
        json!({ "chains": {}, "notify": [{ "to": "webhook", "url": "HTTP://me:x@h:80/a?b#c" }] }),
        json!({ "chains": {}, "notify": [{ "to": "webhook", "url": "http://[::1]:80/" }] }),
        json!({ "chains": {}, "prices": { "m": { "input": 0, "output": 10000 } } }),
    ];
    let wrong = [
        json!([]),
        json!("chains"),
        json!({ "chains": { "": { "steps": [] } } }),
        json!({ "chains": { "c": {} } }),
        json!({ "chains": { "c": { "steps": [{}] } } }),
        json!({ "chains": { "c": { "steps": [{ "agent": "" }] } } }),
        json!({ "agents": { "": {} }, "chains": {} }),
        step("else", json!([])),
        step("else", json!("b")),
        step("else", json!({})),
        step("if", json!("")),
        step("fallback", json!("replay")),
        step("ask", json!("b")),
        step("group", json!("b")),
        step("rounds", json!(2)),
        step("lanes", json!(2)),
        step("best", json!(2)),
        step("pick", json!("first")),
        step("lane", json!({})),
        step("parallel", json!([])),
        looping(json!({ "lanes": 1 })),
        looping(json!({ "lanes": 65 })),
        looping(json!({ "lanes": 2, "best": 2 })),
        looping(json!({ "best": 2, "pick": "frist" })),
        looping(json!({ "lanes": 2, "lane": { "copy": ["!a"] } })),
        chain("lane", json!(true)),
        entries(json!([{ "parallel": ["a", []] }])),
        entries(json!([{ "parallel": ["a", "b"], "if": "tasks" }])),
        entries(json!([{ "group": "a", "lanes": 2 }])),
        chain("fallback", json!("replay")),
        entries(json!("")),
        entries(json!(" ")),
        entries(json!([{ "ask": 1 }])),
        entries(json!([{ "ask": "a", "rounds": 2 }])),
        entries(json!([{ "ask": "a", "timeout": 3 }])),
        entries(json!([{ "ask": "a", "timeout": "1h", "onTimeout": "yes" }])),
        entries(json!([{ "group": [] }])),
        entries(json!([{ "group": "" }])),
        entries(json!([{ "group": "a", "checks": ["tasks"] }])),
        entries(json!([{ "group": "a", "cleanRoom": true }])),
        entries(json!([{ "group": "a", "rounds": 0 }])),
        entries(json!([{ "group": "a", "iterations": 2 }])),
        entries(json!([{ "parallel": [[{ "agent": "a" }]] }])),
        step("iterations", json!(0)),
        step("iterations", json!(1.5)),
        step("iterations", json!("3")),
        step("iterations", json!(4_294_967_296_u64)),
        step("promptFile", json!("")),
        step("args", json!(["a", 1])),
        step("markers", json!([""])),
        step("markers", json!([])),
        step("completion", json!("tests")),
        step("checks", json!([""])),
        chain("hooks", json!({ "on-success": "./x.sh" })),
        chain("hooks", json!({ "on-limit": "" })),
        chain("hooks", json!({ "on-limit": { "run": "x", "onError": "ignore" } })),
        chain("checks", json!([{ "check": "tasks", "when": "never" }])),
        limits("stagnation", json!(0)),
        limits("stagnation", json!("3")),
        limits("cost", json!(0)),
        limits("cost", json!("5")),
        limits("time", json!(30)),
        agent(json!({ "systemPromptText": "", "model": "gpt" })),
        agent(json!({ "systemPromptText": "", "maxTurns": 0 })),
        agent(json!({ "systemPromptText": "", "backend": "codex", "model": "" })),
        agent(json!({ "systemPromptText": "", "backend": "codex", "model": "g 5" })),
        agent(json!({ "systemPromptText": "", "backend": "aider" })),
        agent(json!({ "systemPromptText": "", "permissions": "ask" })),
        agent(json!({ "systemPromptText": "", "billing": "me" })),
        agent(json!({ "backend": "replay" })),
        agent(json!({ "backend": "replay", "recording": "" })),
        agent(json!({ "backend": "replay", "recording": "rec", "model": "sonnet" })),
        agent(json!({ "backend": "replay", "recording": "rec", "systemPromptText": "" })),
        agent(json!({ "backend": "replay", "recording": "rec", "args": [] })),
        agent(json!({ "backend": "replay", "recording": "rec", "speed": 0 })),
        agent(json!({ "backend": "replay", "recording": "rec", "speed": "fast" })),
        agent(json!({ "systemPromptText": "", "recording": "rec" })),
        agent(json!({ "command": "x", "speed": 1 })),
        agent(json!({ "systemPromptText": "", "allowedTools": ["Read,Write"] })),
        agent(json!({ "systemPromptText": "", "allowedTools": ["Read Write"] })),
        agent(json!({ "systemPromptText": "", "disallowedTools": ["Bash("] })),
        agent(json!({ "systemPromptText": "", "disallowedTools": ["Bash()"] })),
        agent(
            json!({ "systemPromptText": "", "backend": "gemini", "allowedTools": ["write_file(docs)"] }),
        ),
        agent(
            json!({ "systemPromptText": "", "backend": "gemini", "disallowedTools": ["run_shell_command(rm *)"] }),
        ),
        agent(
            json!({ "systemPromptText": "", "backend": "gemini", "allowedTools": ["run_shell_command(rm:)"] }),
        ),
        agent(json!({ "systemPromptText": "", "backend": "gemini", "disallowedTools": ["Write"] })),
        agent(
            json!({ "systemPromptText": "", "backend": "opencode", "allowedTools": ["bash(git *)"] }),
        ),
        agent(
            json!({ "systemPromptText": "", "backend": "opencode", "allowedTools": ["b*(git *)"] }),
        ),
        agent(
            json!({ "systemPromptText": "", "backend": "opencode", "allowedTools": ["task(general)"] }),
        ),
        agent(
            json!({ "systemPromptText": "", "backend": "opencode", "disallowedTools": ["Bash(rm *)"] }),
        ),
        step("cleanRoom", json!("yes")),
        step("cleanRoom", json!({ "setup": " " })),
        step("cleanRoom", json!({ "keep": [""] })),
        step("cleanRoom", json!({ "keep": ["."] })),
        step("cleanRoom", json!({ "keep": ["././/"] })),
        step("cleanRoom", json!({ "keep": ["/tmp"] })),
        step("cleanRoom", json!({ "keep": ["a/../b"] })),
        step("cleanRoom", json!({ "keep": ["a/.git"] })),
        chain("cleanRoom", json!({ "setup": "x", "timeout": "soon" })),
        chain("protect", json!(["ok", ""])),
        chain("protect", json!(["/etc/**"])),
        chain("protect", json!([".."])),
        chain("protect", json!(["{a,../b}"])),
        chain("protect", json!(["!a"])),
        chain("protect", json!(["./!a"])),
        chain("protect", json!([".git/hooks/**"])),
        chain("protect", json!(["a".repeat(1001)])),
        chain("onProtectedChange", json!("deny")),
        chain("onCycle", json!("end")),
        chain("snapshots", json!("off")),
        step("requireWork", json!("yes")),
        chain("requireWork", json!(1)),
        json!({ "chains": {}, "notify": "slack" }),
        json!({ "chains": {}, "notify": ["none"] }),
        json!({ "chains": {}, "notify": [{ "url": "https://h" }] }),
        json!({ "chains": {}, "notify": [{ "to": "slack", "url": "h/x" }] }),
        json!({ "chains": {}, "notify": [{ "to": "slack", "url": "https://" }] }),
        json!({ "chains": {}, "notify": [{ "to": "slack", "url": "https:///x" }] }),
        json!({ "chains": {}, "notify": [{ "to": "slack", "url": "https://:80/" }] }),
        json!({ "chains": {}, "notify": [{ "to": "slack", "url": "https://me@/" }] }),
        json!({ "chains": {}, "notify": [{ "to": "slack", "url": "https://h/a b" }] }),
        json!({ "chains": {}, "notify": [{ "to": "slack", "urlEnv": "1A" }] }),
        json!({ "chains": {}, "notify": [{ "to": "slack", "urlEnv": "A", "url": "https://h" }] }),
        json!({ "chains": {}, "notify": [{ "to": "terminal", "urlEnv": "A" }] }),
        json!({ "chains": {}, "notify": [{ "to": "terminal", "on": [] }] }),
        json!({ "chains": {}, "notify": [{ "to": "terminal", "on": ["done"] }] }),
        json!({ "chains": {}, "prices": { "m": { "input": 1 } } }),
        json!({ "chains": {}, "prices": { "m": { "input": -1, "output": 1 } } }),
        json!({ "chains": {}, "prices": { "m": { "input": 1, "output": 10001 } } }),
        json!({ "chains": {}, "prices": { "": { "input": 1, "output": 1 } } }),
        agent(json!({ "command": "" })),
        agent(json!({ "env": { "A=B": "" } })),
        agent(json!({ "env": { "A": 1 } })),
    ];
    let validator = validator();
    for config in right {
        assert!(validator.is_valid(&config), "the schema refuses {config}");
        assert!(is_accepted_silently(&config), "the program does not take {config}");
    }
    for config in wrong {
        assert!(!validator.is_valid(&config), "the schema takes {config}");
        let output = forkhestra(&project(&config.to_string()), &["list"]);
        assert_eq!(output.code, Some(2), "the program takes {config}");
    }
}

/// Both refuse the same settings for each backend, and without one.
#[test]
fn schema_and_program_allow_settings_for_the_same_backends() {
    let validator = validator();
    let settings = [
        ("model", json!("x-1")),
        ("maxTurns", json!(3)),
        ("allowedTools", json!(["x"])),
        ("disallowedTools", json!(["x"])),
        ("mcpConfig", json!("file.json")),
        ("settings", json!("file.json")),
        ("permissions", json!("default")),
        ("billing", json!("api-key")),
    ];
    let mut refused = 0;
    for (key, value) in settings {
        for backend in [None, Some("claude"), Some("codex"), Some("gemini"), Some("opencode")] {
            let mut entry = json!({ "systemPromptText": "", key: value });
            if let Some(backend) = backend {
                entry["backend"] = json!(backend);
            }
            let config = json!({ "agents": { "a": entry }, "chains": {} });
            let env = project(&config.to_string());
            env.write("file.json", "{}");
            let output = forkhestra(&env, &["list"]);
            assert_eq!(output.code == Some(0), validator.is_valid(&config), "{config}");
            refused += usize::from(output.code != Some(0));
        }
    }
    assert_eq!(refused, 11);
}

/// An editor marks an empty list; the program warns and continues.
#[test]
fn an_empty_whitelist_is_a_schema_error_and_a_program_warning() {
    let config =
        json!({ "agents": { "a": { "systemPromptText": "", "allowedTools": [] } }, "chains": {} });
    assert!(!validator().is_valid(&config));
    let output = listed(&config);
    assert_eq!(output.code, Some(0), "{output}");
    assert!(output.stderr.starts_with("warning: `agents.a.allowedTools` is empty"), "{output}");
}

/// An editor marks an unknown key; the program warns and continues.
#[test]
fn unknown_keys_are_a_schema_error_and_a_program_warning() {
    let validator = validator();
    let everything = config_with_every_key();
    for place in [
        "",
        "/agents/direct",
        "/prices/o3",
        "/chains/all",
        "/chains/all/steps/0",
        "/chains/all/steps/1",
        "/chains/all/steps/2",
        "/chains/all/steps/2/else/0",
        "/chains/all/steps/0/lane",
        "/chains/all/steps/3",
        "/chains/all/steps/4",
        "/chains/all/limits",
        "/chains/all/cleanRoom",
        "/chains/all/checks/1",
        "/chains/all/hooks/on-failure/1",
    ] {
        let mut config = everything.clone();
        let object = config.pointer_mut(place).expect("the place is there");
        object["unknown"] = json!(1);
        assert!(!validator.is_valid(&config), "{place}");
        let output = listed(&config);
        assert_eq!(output.code, Some(0), "{place}");
        assert!(output.stderr.starts_with("warning: unknown key `"), "{place}: {output}");
    }
}

/// The pointers to all values of a JSON document except its root.
fn pointers(value: &Value) -> Vec<String> {
    let children: Vec<(String, &Value)> = match value {
        Value::Object(members) => members.iter().map(|(key, value)| (key.clone(), value)).collect(),
        Value::Array(elements) => {
            elements.iter().enumerate().map(|(index, value)| (index.to_string(), value)).collect()
        }
        _ => Vec::new(),
    };
    let mut all = Vec::new();
    for (key, child) in children {
        let here = format!("/{key}");
        all.extend(pointers(child).into_iter().map(|below| format!("{here}{below}")));
        all.push(here);
    }
    all
}

/// The names of all properties in a schema.
fn collect_properties(schema: &Value, names: &mut BTreeSet<String>) {
    match schema {
        Value::Object(members) => {
            if let Some(Value::Object(properties)) = members.get("properties") {
                names.extend(properties.keys().cloned());
            }
            members.values().for_each(|member| collect_properties(member, names));
        }
        Value::Array(elements) => {
            elements.iter().for_each(|element| collect_properties(element, names));
        }
        _ => {}
    }
}

/// The keys of all objects in a document.
fn collect_keys(value: &Value, keys: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            keys.extend(members.keys().cloned());
            members.values().for_each(|member| collect_keys(member, keys));
        }
        Value::Array(elements) => elements.iter().for_each(|element| collect_keys(element, keys)),
        _ => {}
    }
}
