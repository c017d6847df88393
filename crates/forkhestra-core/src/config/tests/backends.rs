//! Which settings the four agent programs support.

use super::*;
use crate::text;

/// How each setting is enforced: `+` by the program, `=` by forkhestra, `-` refused.
const TABLE: [(&str, &str, [char; 4]); 8] = [
    ("model", "\"x-1\"", ['+', '+', '+', '+']),
    ("maxTurns", "5", ['+', '=', '=', '=']),
    ("allowedTools", "[\"x\"]", ['+', '-', '+', '+']),
    ("disallowedTools", "[\"x\"]", ['+', '-', '+', '+']),
    ("mcpConfig", "\"m.json\"", ['+', '-', '-', '-']),
    ("settings", "\"s.json\"", ['+', '-', '-', '-']),
    ("permissions", "\"default\"", ['+', '+', '+', '+']),
    ("billing", "\"subscription\"", ['=', '-', '-', '-']),
];

/// A direct-spawn agent with a backend and one more member.
fn with(backend: Backend, key: &str, value: &str) -> String {
    let word = backend.word();
    agent(&format!("\"systemPromptText\": \"\", \"backend\": \"{word}\", \"{key}\": {value}"))
}

#[test]
fn the_table_of_settings_and_backends_is_this() {
    assert_eq!(AgentSetting::ALL.map(AgentSetting::key), TABLE.map(|(key, _, _)| key));
    for (setting, (key, _, expected)) in AgentSetting::ALL.into_iter().zip(TABLE) {
        let found = Backend::ALL.map(|backend| match setting.support(backend) {
            SettingSupport::Program => '+',
            SettingSupport::Ourselves => '=',
            SettingSupport::Refused(_) => '-',
        });
        assert_eq!(found, expected, "{key}");
    }
}

#[test]
fn an_unsupported_setting_is_an_error_with_a_remedy() {
    for (setting, (key, value, _)) in AgentSetting::ALL.into_iter().zip(TABLE) {
        for backend in Backend::ALL {
            let text = with(backend, key, value);
            let SettingSupport::Refused(instead) = setting.support(backend) else {
                good(&text);
                continue;
            };
            let word = backend.word();
            check_message(
                &text,
                &format!("`agents.a.{key}` cannot be honoured by the backend `{word}`"),
            );
            let parsed = read("c", text.into_bytes());
            assert_eq!(parsed.diagnostics[0].hints, [instead], "{key} {word}");
        }
    }
}

#[test]
fn the_error_points_at_the_setting_and_at_the_backend() {
    let text = with(Backend::Codex, "mcpConfig", "\"m.json\"");
    let parsed = read("c", text.clone().into_bytes());
    let position = parsed.diagnostics[0].label.as_ref().expect("a place");
    assert_eq!(&text[position.span.range()], "\"m.json\"");
    assert_eq!(position.label, "not for Codex");
    let (span, _) = position.related.as_ref().expect("a second place");
    assert_eq!(&text[span.range()], "\"codex\"");
}

#[test]
fn all_settings_that_do_not_fit_are_found_at_once() {
    let members = r#""systemPromptText": "", "backend": "gemini", "settings": "s", "mcpConfig": "m", "billing": "api-key""#;
    assert_eq!(shown(&agent(members)).len(), 3);
}

#[test]
fn any_payer_is_any_backends() {
    for backend in Backend::ALL {
        good(&with(backend, "billing", "\"any\""));
    }
}

#[test]
fn settings_without_a_system_prompt_are_checked_when_the_agent_is_used() {
    good(&agent("\"backend\": \"codex\", \"mcpConfig\": \"m.json\""));
    for (key, value, _) in TABLE {
        good(&agent(&format!("\"{key}\": {value}")));
        good(&agent(&format!("\"command\": \"x\", \"{key}\": {value}")));
    }
}

#[test]
fn keywords_are_closed_sets_with_suggestions() {
    let table = [
        ("backend", "codx", "`claude`, `codex`, `gemini`, `opencode` or `replay`", Some("codex")),
        ("backend", "aider", "`claude`, `codex`, `gemini`, `opencode` or `replay`", None),
        ("permissions", "skipp", "`skip` or `default`", Some("skip")),
        ("billing", "subscripton", "`any`, `subscription` or `api-key`", Some("subscription")),
    ];
    for (key, word, words, meant) in table {
        let text = agent(&format!("\"systemPromptText\": \"\", \"{key}\": \"{word}\""));
        let expected = format!("`agents.a.{key}` must be {words}, found the string \"{word}\"");
        check_message(&text, &expected);
        let hints = &read("c", text.into_bytes()).diagnostics[0].hints;
        let meant: Vec<String> =
            meant.into_iter().map(|word| format!("did you mean `{word}`?")).collect();
        assert_eq!(hints, &meant, "{word}");
    }
}

#[test]
fn an_invalid_backend_hides_only_dependent_diagnostics() {
    let members =
        "\"systemPromptText\": \"\", \"backend\": 1, \"mcpConfig\": \"m\", \"model\": \"o 3\"";
    assert_eq!(
        shown(&agent(members)),
        [
            "1:68 1 | `agents.a.backend` must be `claude`, `codex`, `gemini`, `opencode` or `replay`, found the number 1",
            "1:98 \"o 3\" | `agents.a.model` must be the name of a model, without white space, found \"o 3\"",
        ]
    );
}

#[test]
fn a_model_must_fit_its_backend() {
    let claude = "`sonnet`, `opus`, `haiku` or a full model id";
    let other = "the name of a model, without white space";
    let table = [
        (Backend::Claude, "opus", None),
        (Backend::Claude, "claude-sonnet-5-5", None),
        (Backend::Claude, "o3", Some(claude)),
        (Backend::Claude, "", Some(claude)),
        (Backend::Claude, "claude sonnet-5", Some(claude)),
        (Backend::Codex, "o3", None),
        (Backend::Codex, "sonet", None),
        (Backend::Codex, "", Some(other)),
        (Backend::Gemini, "gemini 3", Some(other)),
        (Backend::Opencode, "anthropic/claude-sonnet-5-5", None),
    ];
    for (backend, model, expected) in table {
        let text = with(backend, "model", &format!("\"{model}\""));
        match expected {
            None => drop(good(&text)),
            Some(expected) => check_message(
                &text,
                &format!("`agents.a.model` must be {expected}, found {model:?}"),
            ),
        }
    }
}

#[test]
fn a_model_of_another_program_suggests_to_name_that_program() {
    let text = with(Backend::Claude, "model", "\"o3\"");
    let hints = &read("c", text.into_bytes()).diagnostics[0].hints;
    assert_eq!(hints, &["if this is a model of another program, name that program with `backend`"]);
}

/// The documentation holds this table, word for word.
#[test]
fn the_documentation_has_the_table() {
    let documentation = include_str!("../../../../../docs/config.md");
    for setting in AgentSetting::ALL {
        let cells = Backend::ALL.map(|backend| match setting.support(backend) {
            SettingSupport::Program => "yes",
            SettingSupport::Ourselves => "by us",
            SettingSupport::Refused(_) => "no",
        });
        let row = format!("| `{}` | {} |", setting.key(), cells.join(" | "));
        assert!(documentation.contains(&row), "{row}");
    }
    let backends = Backend::ALL.map(Backend::word);
    let heading = format!("| field | {} |", text::quoted(&backends).join(" | "));
    assert!(documentation.contains(&heading), "{heading}");
}
