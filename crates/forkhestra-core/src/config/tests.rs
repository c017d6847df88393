mod backends;
mod control_flow;
mod lanes;
mod notify;
mod prices;
mod replay;
mod tools;
mod work_tree_rules;

use proptest::prelude::*;

use super::*;
use crate::diagnostic::{Diagnostic, has_errors};

/// Parses a config that must be valid.
fn good(text: &str) -> Config {
    let parsed = read("chains.json", text.as_bytes().to_vec());
    let diagnostics = parsed.diagnostics;
    parsed.config.unwrap_or_else(|| panic!("{text}\n{diagnostics:#?}"))
}

/// Parses a config and formats each diagnostic as `line:column under-the-caret message`.
fn shown(text: &str) -> Vec<String> {
    let parsed = read("chains.json", text.as_bytes().to_vec());
    assert_eq!(parsed.config.is_none(), has_errors(&parsed.diagnostics));
    parsed.diagnostics.iter().map(show).collect()
}

fn show(diagnostic: &Diagnostic) -> String {
    let label = diagnostic.label.as_ref().expect("everything in a file has a place");
    let (line, column) = label.source.line_and_column(label.span.start);
    let under = &label.source.text[label.span.range()];
    format!("{line}:{column} {under} | {}", diagnostic.message)
}

/// A config with one step that has these members besides its agent.
fn step(members: &str) -> String {
    format!(r#"{{"chains": {{"c": {{"steps": [{{"agent": "a", {members}}}]}}}}}}"#)
}

/// A config with one agent that has these members.
fn agent(members: &str) -> String {
    format!(r#"{{"chains": {{}}, "agents": {{"a": {{{members}}}}}}}"#)
}

#[track_caller]
fn check_message(text: &str, expected: &str) {
    let messages: Vec<String> = shown(text)
        .into_iter()
        .map(|line| line.split_once(" | ").expect("a message").1.to_owned())
        .collect();
    assert_eq!(messages, [expected], "{text}");
}

#[test]
fn a_valid_file_is_read() {
    let config = good(
        r#"{
          "chains": {
            "build": {
              "description": "all of it",
              "steps": [
                { "agent": "planner", "iterations": 3 },
                { "agent": "builder", "args": ["--task", "${TASK_ID}"], "prompt": "go" },
              ],
            },
          },
        }"#,
    );
    let (_, chain) = config.chain("build").expect("the chain is there");
    let steps: Vec<&StepEntry> = chain.agent_steps().collect();
    assert_eq!(steps[0].iterations.as_ref().map(|count| count.value.get()), Some(3));
    assert_eq!(steps[1].iterations, None);
    let args = steps[1].args.as_ref().expect("args are there");
    assert_eq!(args.value[1].value, "${TASK_ID}");
}

#[test]
fn comments_trailing_commas_and_a_byte_order_mark_are_welcome() {
    good("\u{feff}// mine\n{ /* none yet */ \"chains\": {}, }");
}

#[test]
fn a_byte_order_mark_does_not_move_the_carets() {
    let with_mark = read("c", "\u{feff}{ 1 }".as_bytes().to_vec());
    let without = read("c", "{ 1 }".as_bytes().to_vec());
    assert_eq!(show(&with_mark.diagnostics[0]), show(&without.diagnostics[0]));
}

#[test]
fn invalid_json_is_pointed_at() {
    let table = [
        ("", "`chains.json` is empty"),
        ("// nothing\n", "`chains.json` is empty"),
        ("{", "`chains.json` is not JSON: unterminated object"),
        (
            "{ \"chains\": {} } x",
            "`chains.json` is not JSON: text cannot contain more than one JSON value",
        ),
        ("{ 'chains': {} }", "`chains.json` is not JSON: single-quoted strings are not allowed"),
        ("{ chains: {} }", "`chains.json` is not JSON: expected string for object property"),
        ("{ \"a\": 1 \"b\": 2 }", "`chains.json` is not JSON: expected comma"),
        ("{ \"a\": 0x1F }", "`chains.json` is not JSON: hexadecimal numbers are not allowed"),
    ];
    for (text, expected) in table {
        check_message(text, expected);
    }
}

#[test]
fn a_deeply_nested_file_is_refused_and_does_not_overflow_the_stack() {
    let text = "[".repeat(200_000);
    check_message(&text, "`chains.json` is not JSON: maximum nesting depth exceeded");
}

#[test]
fn bytes_that_are_not_utf8_are_pointed_at() {
    let parsed = read("chains.json", b"{ \"ch\xffains\": {} }".to_vec());
    assert_eq!(parsed.config, None);
    assert_eq!(show(&parsed.diagnostics[0]), "1:6 \u{fffd} | `chains.json` is not UTF-8 text");
}

#[test]
fn iterations_must_be_a_positive_whole_number() {
    for (written, found) in [
        ("0", "the number 0"),
        ("-2", "the number -2"),
        ("1.5", "the number 1.5"),
        ("1e3", "the number 1e3"),
        ("\"3\"", "the string \"3\""),
        ("null", "`null`"),
        ("true", "`true`"),
        ("[3]", "an array"),
    ] {
        let expected = format!(
            "`chains.c.steps[0].iterations` must be a positive whole number, found {found}"
        );
        check_message(&step(&format!("\"iterations\": {written}")), &expected);
    }
}

#[test]
fn types_are_strict() {
    let table = [
        ("[]", "the config file must be an object, found an array"),
        (r#"{"chains": []}"#, "`chains` must be an object, found an array"),
        (r#"{"chains": {"c": 1}}"#, "`chains.c` must be an object, found the number 1"),
        (r#"{"chains": {"c": {}}}"#, "missing key `chains.c.steps`"),
        (
            r#"{"chains": {"c": {"steps": {}}}}"#,
            "`chains.c.steps` must be an array or a chain such as \"planner:3 -> builder\", found an object",
        ),
        (
            r#"{"chains": {"c": {"steps": [{}]}}}"#,
            "`chains.c.steps[0]` has no `agent`, `group`, `parallel` or `ask`",
        ),
        (
            r#"{"chains": {"c": {"steps": [{"agent": ""}]}}}"#,
            "`chains.c.steps[0].agent` must be a name, found an empty string",
        ),
        (
            r#"{"chains": {"": {"steps": []}}}"#,
            "a key of `chains` must be a name, found an empty string",
        ),
        (
            r#"{"chains": {}, "agents": {"": {}}}"#,
            "a key of `agents` must be a name, found an empty string",
        ),
        (
            r#"{"chains": {"c": {"prompt": 3, "steps": []}}}"#,
            "`chains.c.prompt` must be a string, found the number 3",
        ),
        (
            r#"{"chains": {"c": {"promptFile": "", "steps": []}}}"#,
            "`chains.c.promptFile` must be a path, found an empty string",
        ),
    ];
    for (text, expected) in table {
        check_message(text, expected);
    }
}

#[test]
fn members_of_a_step_are_strict() {
    let table = [
        (
            "\"args\": \"--x\"",
            "`chains.c.steps[0].args` must be an array, found the string \"--x\"",
        ),
        ("\"args\": [1]", "`chains.c.steps[0].args[0]` must be a string, found the number 1"),
        ("\"prompt\": false", "`chains.c.steps[0].prompt` must be a string, found `false`"),
        (
            "\"prompt\": \"a\\u0000\"",
            "`chains.c.steps[0].prompt` contains a NUL character, which no program can be given",
        ),
        ("\"promptFile\": 1", "`chains.c.steps[0].promptFile` must be a path, found the number 1"),
        (
            "\"iterations\": 2, \"completion\": \"exit\"",
            "`chains.c.steps[0].completion` must be `marker` or `checks`, found the string \"exit\"",
        ),
        (
            "\"iterations\": 2, \"requireWork\": \"yes\"",
            "`chains.c.steps[0].requireWork` must be `true` or `false`, found the string \"yes\"",
        ),
        ("\"iterations\": 2, \"markers\": []", "`chains.c.steps[0].markers` holds no marker"),
        (
            "\"iterations\": 2, \"markers\": [\"/(/\"]",
            "`chains.c.steps[0].markers[0]` is not a regular expression: unclosed group",
        ),
        (
            "\"checks\": [\"command:\"]",
            "`chains.c.steps[0].checks[0]` is incomplete; write `command:…`",
        ),
        (
            "\"checks\": [{\"check\": \"tasks\", \"when\": \"never\"}]",
            "`chains.c.steps[0].checks[0].when` must be `completion`, `always` or `landing`, found the string \"never\"",
        ),
        ("\"checks\": [{}]", "missing key `chains.c.steps[0].checks[0].check`"),
        (
            "\"limits\": {\"timeout\": 30}",
            "`chains.c.steps[0].limits.timeout` must be a duration such as \"30m\", or \"off\", found the number 30",
        ),
        (
            "\"limits\": {\"idleTimeout\": \"30\"}",
            "`chains.c.steps[0].limits.idleTimeout` needs a unit, as in `90s`, `30m` or `1h 30m`",
        ),
        (
            "\"limits\": {\"cost\": -1}",
            "`chains.c.steps[0].limits.cost` must be more than zero; `off` turns the limit off",
        ),
        (
            "\"limits\": {\"stagnation\": 0}",
            "`chains.c.steps[0].limits.stagnation` must be more than zero; `off` turns the limit off",
        ),
    ];
    for (members, expected) in table {
        check_message(&step(members), expected);
    }
}

#[test]
fn every_kind_of_limit_check_and_hook_is_read() {
    let config = good(
        r#"{"chains": {"c": {
          "markers": ["DONE", "/^FIN/"],
          "limits": {"timeout": "1h", "idleTimeout": "off", "time": "8h", "cost": 12.5, "stagnation": 3, "maxWait": "6h", "quota": {"5h": "90%", "7d": "even"}},
          "checks": ["command:\"cargo test\"", {"check": "tasks", "name": "all tasks", "when": "always", "timeout": "5m"}],
          "hooks": {"on-complete": "./notify.sh", "pre-iteration": ["a", {"run": "b", "timeout": "10s", "onError": "abort"}]},
          "steps": [{"agent": "a", "iterations": 2, "completion": "checks"}],
        }}}"#,
    );
    let (_, chain) = config.chain("c").expect("the chain is there");
    let hooks = &chain.hooks.as_ref().expect("hooks are there").value.0;
    assert_eq!(hooks.values().map(Vec::len).collect::<Vec<_>>(), [2, 1]);
    let checks = &chain.checks.as_ref().expect("checks are there").value;
    assert_eq!(checks[1].value.0.when.as_ref().map(|when| when.value), Some(CheckWhen::Always));
}

#[test]
fn an_unknown_hook_type_is_an_error_that_lists_the_known_ones() {
    let text = r#"{"chains": {"c": {"steps": [], "hooks": {"on-sucess": "x"}}}}"#;
    check_message(text, "unknown hook type `chains.c.hooks.on-sucess`");
    let parsed = read("c", text.as_bytes().to_vec());
    assert!(parsed.diagnostics[0].hints.iter().any(|hint| hint.contains("`on-complete`")));
}

#[test]
fn a_hook_that_cannot_end_the_run_any_more_is_warned_of() {
    let of = |point: &str| {
        let hook = format!(r#"{{"{point}": ["x", {{"run": "y", "onError": "abort"}}]}}"#);
        let text = format!(r#"{{"chains": {{"c": {{"steps": [], "hooks": {hook}}}}}}}"#);
        let parsed = read("c", text.into_bytes());
        parsed.diagnostics.into_iter().map(|diagnostic| diagnostic.message).collect::<Vec<_>>()
    };
    for point in ["on-complete", "on-stagnation", "on-failure", "on-interrupt"] {
        let path = format!("chains.c.hooks.{point}.onError");
        assert_eq!(of(point), [format!("`{path}` has no effect: the run is over by then")]);
    }
    for point in ["pre-iteration", "post-iteration", "on-limit"] {
        assert_eq!(of(point), Vec::<String>::new(), "{point}");
    }
}

#[test]
fn agents_are_checked() {
    let table = [
        ("\"defaultPrompt\": 1", "`agents.a.defaultPrompt` must be a string, found the number 1"),
        (
            "\"systemPrompt\": \"p.md\", \"maxTurns\": 0",
            "`agents.a.maxTurns` must be a positive whole number, found the number 0",
        ),
        (
            "\"systemPromptText\": \"\", \"model\": \"sonet\"",
            "`agents.a.model` must be `sonnet`, `opus`, `haiku` or a full model id, found \"sonet\"",
        ),
        (
            "\"systemPromptText\": \"\", \"allowedTools\": \"Read\"",
            "`agents.a.allowedTools` must be an array, found the string \"Read\"",
        ),
        (
            "\"model\": \"o 3\"",
            "`agents.a.model` must be the name of a model, without white space, found \"o 3\"",
        ),
        (
            "\"systemPromptText\": \"\", \"command\": \"x\"",
            "`agents.a` has both a system prompt and a `command`",
        ),
        ("\"env\": {\"A=B\": \"1\"}", "`agents.a.env.A=B` is not a variable's name"),
        ("\"env\": {\"A\": 1}", "`agents.a.env.A` must be a string, found a number"),
        ("\"command\": \"\"", "`agents.a.command` must be a name, found an empty string"),
    ];
    for (members, expected) in table {
        check_message(&agent(members), expected);
    }
}

#[test]
fn every_direct_spawn_field_is_read() {
    let config = good(&agent(
        r#""systemPrompt": "p.md", "systemPromptText": "", "mcpConfig": "m.json", "settings": "s.json",
           "model": "claude-sonnet-4-5", "maxTurns": 50, "allowedTools": ["Read", "Bash(git *)"],
           "disallowedTools": ["Write"], "permissions": "default", "billing": "subscription",
           "backend": "claude", "args": ["-x"], "env": {"A": ""}"#,
    ));
    let (_, entry) = config.agent("a").expect("the agent is there");
    assert!(entry.is_direct_spawn() && entry.defines_agent());
}

#[test]
fn an_entry_defines_an_agent_or_adjusts_one_or_only_asks_something_of_it() {
    for (members, defines, adjusts) in [
        ("", false, false),
        ("\"defaultPrompt\": \"p\"", false, false),
        ("\"defaultPromptFile\": \"p.md\"", false, false),
        ("\"systemPromptText\": \"\"", true, false),
        ("\"systemPromptText\": \"\", \"model\": \"opus\"", true, false),
        ("\"command\": \"x\"", true, false),
        ("\"args\": []", false, true),
        ("\"env\": {}", false, true),
        ("\"backend\": \"codex\"", false, true),
        ("\"model\": \"gpt-5.5\"", false, true),
        ("\"maxTurns\": 3, \"defaultPrompt\": \"p\"", false, true),
        ("\"permissions\": \"default\"", false, true),
    ] {
        let config = good(&agent(members));
        let entry = config.agent("a").expect("it is there").1;
        assert_eq!((entry.defines_agent(), entry.adjusts_agent()), (defines, adjusts), "{members}");
    }
}

#[test]
fn an_empty_whitelist_is_a_warning() {
    for members in ["\"allowedTools\": []", "\"systemPromptText\": \"\", \"allowedTools\": []"] {
        let text = agent(members);
        check_message(&text, "`agents.a.allowedTools` is empty, which restricts nothing");
        assert!(read("c", text.into_bytes()).config.is_some());
    }
    good(&agent("\"disallowedTools\": []"));
}

#[test]
fn unknown_keys_warn_with_a_suggestion() {
    let text = step("\"promt\": \"x\"");
    check_message(&text, "unknown key `chains.c.steps[0].promt`");
    let parsed = read("c", text.into_bytes());
    assert!(parsed.config.is_some());
    assert_eq!(parsed.diagnostics[0].hints, ["did you mean `prompt`?"]);
}

#[test]
fn hooks_in_a_step_are_refused_with_a_hint() {
    let text = step("\"hooks\": {}");
    check_message(&text, "unknown key `chains.c.steps[0].hooks`");
    let parsed = read("c", text.into_bytes());
    let hint = "hooks belong to the whole chain: put `hooks` beside `steps`";
    assert_eq!(parsed.diagnostics[0].hints, [hint]);
}

#[test]
fn settings_of_a_loop_on_a_step_that_runs_once_warn() {
    for (key, value) in [("completion", "\"marker\""), ("requireWork", "true")] {
        check_message(
            &step(&format!("\"{key}\": {value}")),
            &format!("`chains.c.steps[0].{key}` has no effect: the step runs once"),
        );
    }
}

#[test]
fn duplicate_keys_are_errors_at_every_level() {
    check_message("{\"chains\": {}, \"chains\": {}}", "duplicate key `chains`");
    check_message(&step("\"agent\": \"b\""), "duplicate key `chains.c.steps[0].agent`");
    check_message(r#"{"chains": {}, "agents": {"a": {}, "a": {}}}"#, "duplicate key `agents.a`");
}

#[test]
fn all_mistakes_are_found_at_once_in_the_order_of_the_text() {
    let text = r#"{
  "agents": { "a": { "model": "o 3" }, "b": { "systemPrompt": 1 } },
  "chains": {
    "c": { "steps": [{ "agent": 3, "iterations": 0 }, { "agent": "x", "agent": "y", "itertions": 1 }] }
  }
}"#;
    assert_eq!(
        shown(text),
        [
            "2:31 \"o 3\" | `agents.a.model` must be the name of a model, without white space, found \"o 3\"",
            "2:63 1 | `agents.b.systemPrompt` must be a path, found the number 1",
            "4:33 3 | `chains.c.steps[0].agent` must be a name, found the number 3",
            "4:50 0 | `chains.c.steps[0].iterations` must be a positive whole number, found the number 0",
            "4:71 \"agent\" | duplicate key `chains.c.steps[1].agent`",
            "4:85 \"itertions\" | unknown key `chains.c.steps[1].itertions`",
        ]
    );
}

#[test]
fn a_mistake_in_one_key_does_not_hide_those_in_its_neighbours() {
    let messages = |text: &str| -> Vec<String> {
        shown(text)
            .iter()
            .map(|line| line.split_once(" | ").expect("a message").1.to_owned())
            .collect()
    };
    assert_eq!(
        messages(&agent("\"env\": {\"A=B\": \"x\", \"N\": 3}")),
        [
            "`agents.a.env.A=B` is not a variable's name",
            "`agents.a.env.N` must be a string, found a number",
        ]
    );
    assert_eq!(
        messages(&step("\"iterations\": 2, \"markers\": [], \"completion\": \"done\"")),
        [
            "`chains.c.steps[0].markers` holds no marker",
            "`chains.c.steps[0].completion` must be `marker` or `checks`, found the string \"done\"",
        ]
    );
    assert_eq!(
        messages(&agent("\"model\": \"o 3\", \"maxTurns\": 0")),
        [
            "`agents.a.model` must be the name of a model, without white space, found \"o 3\"",
            "`agents.a.maxTurns` must be a positive whole number, found the number 0",
        ]
    );
    // A system prompt of a wrong type still counts as a system prompt.
    assert_eq!(
        messages(&agent("\"systemPrompt\": 1, \"model\": \"opus\"")),
        ["`agents.a.systemPrompt` must be a path, found the number 1"]
    );
}

#[test]
fn a_count_that_is_too_large_is_called_so() {
    check_message(
        &step("\"iterations\": 4294967296"),
        "`chains.c.steps[0].iterations` is too large: at most 4294967295 is possible",
    );
}

#[test]
fn values_of_environment_variables_are_masked_in_what_messages_show() {
    let text = agent(r#""env": {"TOKEN": "s3cr\"et", "B": "é"}, "promt": 1"#);
    let parsed = read("c", text.clone().into_bytes());
    let label = parsed.diagnostics[0].label.as_ref().expect("a place");
    assert_eq!(label.source, parsed.source);
    assert_eq!(parsed.source.text, text.replace("s3cr\\\"et", "********").replace('é', "·"));
    assert_eq!(&parsed.source.text[label.span.range()], "\"promt\"");
    assert!(!format!("{parsed:?}").contains("s3cr"));
    let config = parsed.config.expect("it is right but for a warning");
    let (_, entry) = config.agent("a").expect("the agent is there");
    let env = &entry.env.as_ref().expect("it has variables").value.0;
    assert_eq!(env.get("TOKEN").map(|(_, value)| value.as_str()), Some("s3cr\"et"));
}

#[test]
fn nothing_below_env_is_quoted_whatever_its_type() {
    for env in [
        r#""env": "K=s3cret""#,
        r#""env": ["K=s3cret"]"#,
        r#""env": {"K": ["s3cret"]}"#,
        r#""environment": {"K": "s3cret"}"#,
        "\"env\": {\"K\": \"a\ns3cret\"}, \"args\": 1",
        r#"env: {"K": "s3cret"}"#,
        r#"'env': {'K': 's3cret'}"#,
    ] {
        let parsed = read("c", agent(env).into_bytes());
        assert!(!parsed.diagnostics.is_empty(), "{env}");
        assert!(!format!("{:?}", parsed.diagnostics).contains("s3cret"), "{env}");
    }
}

#[test]
fn a_raw_control_character_in_a_string_is_not_json() {
    let text = step("\"prompt\": \"one\ntwo\", \"a\tb\": \"\u{1}\"");
    assert_eq!(
        shown(&text),
        [
            "1:58 \n | a string holds a raw line break",
            "2:7 \"a\tb\" | unknown key `chains.c.steps[0].a\tb`",
            "2:9 \t | a string holds a raw tab",
            "2:15 \u{1} | a string holds a raw control character",
        ]
    );
}

#[test]
fn mistakes_are_in_the_order_of_the_text_whatever_the_order_of_the_keys() {
    let found =
        shown(r#"{ "chains": { "c": { "steps": 1, "prompt": 2 } }, "agents": 3, "$schema": 4 }"#);
    let places: Vec<&str> =
        found.iter().map(|line| &line[..line.find(' ').expect("a place")]).collect();
    assert_eq!(places, ["1:31", "1:44", "1:61", "1:75"]);
}

proptest! {
    #[test]
    fn any_bytes_give_a_config_or_mistakes_that_point_into_the_text(
        bytes in prop_oneof![
            prop::collection::vec(any::<u8>(), 0..64),
            "[\\[\\]{}:,\"a-c0-9 /*.\\\\-]{0,64}".prop_map(String::into_bytes),
        ],
    ) {
        check_reading(bytes)?;
    }

    #[test]
    fn a_good_file_with_one_byte_changed_is_still_handled(
        at in 0usize..400, byte in any::<u8>(),
    ) {
        let mut bytes = include_bytes!("../../../../examples/chains.json").to_vec();
        let at = at * bytes.len() / 400;
        bytes[at] = byte;
        check_reading(bytes)?;
    }
}

fn check_reading(bytes: Vec<u8>) -> Result<(), TestCaseError> {
    let parsed = read("c", bytes);
    prop_assert_eq!(parsed.config.is_none(), has_errors(&parsed.diagnostics));
    for diagnostic in &parsed.diagnostics {
        let label = diagnostic.label.as_ref().expect("everything in a file has a place");
        prop_assert!(label.source.text.get(label.span.range()).is_some());
    }
    Ok(())
}
