use forkhestra_core::config::{Backend, Permissions};

use super::{CommandCase, UNUSUAL_TEXTS, longest, pair, strings};
use crate::agent::opencode::PLUGIN;

const CONFIG: &str = "OPENCODE_CONFIG_CONTENT";

const OWN_PLUGIN: &str = r#""plugin":["file:///scratch/retries.js"]"#;

fn case() -> CommandCase {
    CommandCase::new(Backend::Opencode)
}

#[test]
fn an_agent_with_nothing_but_a_system_prompt() {
    let built = case().build();
    assert_eq!(built.args.join(" "), "run --format json --title forkhestra --auto");
    let config = format!(r#"{{"instructions":["/scratch/system-prompt.md"],{OWN_PLUGIN}}}"#);
    assert_eq!(built.env, [pair(CONFIG, &config)]);
    assert_eq!(built.files, [pair("system-prompt.md", "WHO"), pair("retries.js", PLUGIN)]);
    assert_eq!(built.stdin.as_deref(), Some("DO"));
}

#[test]
fn all_settings_in_order() {
    let case = case().args(&["--thinking"]).with(|direct| {
        direct.permissions = Permissions::Default;
        direct.model = Some("p/m".into());
    });
    assert_eq!(case.line(), "run --format json --title forkhestra -m p/m --thinking");
}

#[test]
fn a_prompt_is_always_read_since_an_argument_would_be_quoted() {
    let long = longest().1;
    for prompt in UNUSUAL_TEXTS.into_iter().chain([long.as_str()]) {
        let built = case().prompt(prompt).build();
        assert_eq!(built.args.last().map(String::as_str), Some("--auto"));
        assert_eq!(built.stdin.as_deref(), Some(prompt));
    }
}

#[test]
fn an_inherited_config_is_kept() {
    let ours = r#""/scratch/system-prompt.md""#;
    for (given, expected) in [
        ("", format!(r#"{{"instructions":[{ours}],{OWN_PLUGIN}}}"#)),
        (" {} ", format!(r#"{{"instructions":[{ours}],{OWN_PLUGIN}}}"#)),
        (
            r#" {"permission": {"git": "allow", "*": "deny"}, "a": 1} "#,
            format!(
                r#"{{"permission": {{"git": "allow", "*": "deny"}}, "a": 1,"instructions":[{ours}],{OWN_PLUGIN}}}"#
            ),
        ),
        (
            r#"{"instructions": ["a.md"], "plugin": ["p"]}"#,
            format!(
                r#"{{"instructions": ["a.md"], "plugin": ["p"],"instructions":["a.md",{ours}],{}}}"#,
                r#""plugin":["p","file:///scratch/retries.js"]"#
            ),
        ),
    ] {
        let mut case = case();
        case.inherited = vec![(CONFIG, given)];
        assert_eq!(case.build().env, [pair(CONFIG, &expected)], "{given:?}");
    }
}

/// The permissions for these lists of tools.
#[track_caller]
fn permission(allowed: Option<&[&str]>, disallowed: Option<&[&str]>) -> String {
    let case = case().args(&["--agent", "other"]).with(|direct| {
        direct.allowed_tools = allowed.map(strings);
        direct.disallowed_tools = disallowed.map(strings);
    });
    let built = case.build();
    let [.., option, name] = &built.args[..] else { panic!("{:?}", built.args) };
    assert_eq!(
        (option.as_str(), name.as_str()),
        ("--agent", "forkhestra"),
        "after those of others"
    );
    let (_, rules) = built.env[0].1.split_once(r#""permission":"#).expect("there are rules");
    rules.strip_suffix("}}}").expect("they come last").to_owned()
}

#[test]
fn lists_of_tools_are_the_permissions_of_an_agent_of_its_own() {
    type List = Option<&'static [&'static str]>;
    let table: [(List, List, &str); 7] = [
        (
            Some(&["read", "bash"]),
            None,
            r#"{"*":"deny","read":"allow","bash":"allow","task":"deny"}"#,
        ),
        (Some(&[]), None, r#"{"*":"deny","task":"deny"}"#),
        (
            Some(&["write(docs/*)", "edit(notes.md)"]),
            None,
            r#"{"*":"deny","edit":{"*":"deny","docs/*":"allow","notes.md":"allow"},"task":"deny"}"#,
        ),
        (
            Some(&["edit(docs/*)", "edit"]),
            Some(&["write(docs/a.md)"]),
            r#"{"*":"deny","edit":{"*":"allow","docs/a.md":"deny"},"task":"deny"}"#,
        ),
        (
            Some(&["edit", "e*", "read"]),
            Some(&["apply_patch"]),
            r#"{"*":"deny","e*":"allow","read":"allow","edit":"deny","task":"deny"}"#,
        ),
        (None, Some(&["bash(rm *)"]), r#"{"bash":{"rm *":"deny"},"task":"deny"}"#),
        (
            None,
            Some(&["bash", "bash(rm *)"]),
            r#"{"bash":{"*":"deny","rm *":"deny"},"task":"deny"}"#,
        ),
    ];
    for (allowed, disallowed, expected) in table {
        assert_eq!(permission(allowed, disallowed), expected);
    }
    let unlimited = case().with(|direct| direct.disallowed_tools = Some(Vec::new()));
    assert_eq!(unlimited.build(), case().build());
}

#[test]
fn agents_that_are_given_are_kept() {
    let mut case = case().with(|direct| direct.allowed_tools = Some(Vec::new()));
    case.inherited =
        vec![(CONFIG, r#"{"agent": {"b": {"permission": {"x": "allow", "*": "ask"}}}}"#)];
    let config = &case.build().env[0].1;
    let agents = r#""agent":{"b": {"permission": {"x": "allow", "*": "ask"}},"forkhestra":{"mode""#;
    assert!(config.contains(agents), "{config}");
}

#[test]
fn a_config_that_cannot_be_extended_is_reported() {
    for given in ["nonsense", "[]", r#"{"instructions": "a.md"}"#, r#"{"plugin": {}}"#] {
        let mut case = case();
        case.inherited = vec![(CONFIG, given)];
        let error = case.try_build().expect_err("nothing can be added").to_string();
        assert!(error.starts_with("the variable `OPENCODE_CONFIG_CONTENT` does not"), "{error}");
    }
}
