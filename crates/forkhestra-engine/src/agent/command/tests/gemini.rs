use forkhestra_core::config::{Backend, Permissions};

use super::{CommandCase, UNUSUAL_TEXTS, longest, pair, strings};

fn case() -> CommandCase {
    CommandCase::new(Backend::Gemini)
}

#[test]
fn an_agent_with_nothing_but_a_system_prompt() {
    let built = case().build();
    assert_eq!(built.args.join(" "), "--skip-trust -y -o stream-json --prompt=DO");
    assert_eq!(
        built.env,
        [
            pair("GEMINI_CLI_NO_RELAUNCH", "true"),
            pair("GEMINI_SYSTEM_MD", "/scratch/system-prompt.md"),
        ]
    );
    assert_eq!(built.files, [pair("system-prompt.md", "WHO")]);
    assert_eq!(built.stdin, None);
}

#[test]
fn all_settings_in_order() {
    let case = case().args(&["--debug"]).with(|direct| {
        direct.permissions = Permissions::Default;
        direct.model = Some("gemini-2.5-pro".into());
    });
    let expected = "--skip-trust -m gemini-2.5-pro -o stream-json --debug --prompt=DO";
    assert_eq!(case.line(), expected);
}

fn with_tools(allowed: Option<&[&str]>, disallowed: Option<&[&str]>) -> CommandCase {
    let mut case = case().with(|direct| {
        direct.allowed_tools = allowed.map(strings);
        direct.disallowed_tools = disallowed.map(strings);
    });
    case.inherited = vec![("HOME", "/home/me")];
    case
}

#[test]
fn lists_of_tools_are_a_policy() {
    let built = with_tools(Some(&["read_file", "run_shell_command"]), Some(&["glob"])).build();
    let expected = "--skip-trust -y -o stream-json --policy=/scratch/tools.toml --prompt=DO";
    assert_eq!(built.args.join(" "), expected);
    let policy = r#"[[rule]]
toolName = "glob"
decision = "deny"
priority = 999

[[rule]]
toolName = "read_file"
decision = "allow"
priority = 998

[[rule]]
toolName = "run_shell_command"
allowRedirection = true
decision = "allow"
priority = 998

[[rule]]
toolName = "*"
decision = "deny"
priority = 997

"#;
    assert_eq!(built.files[0], pair("tools.toml", policy));
}

#[test]
fn nothing_is_approved_by_itself_where_only_some_commands_are_allowed() {
    let built = with_tools(Some(&["run_shell_command(git log)"]), None).build();
    let expected = "--skip-trust -o stream-json --policy=/scratch/tools.toml --prompt=DO";
    assert_eq!(built.args.join(" "), expected);
    let rule =
        "toolName = \"run_shell_command\"\ncommandPrefix = \"git log\"\ndecision = \"allow\"\n";
    assert!(built.files[0].1.contains(rule), "{}", built.files[0].1);
}

#[test]
fn disallowed_tools_are_added_to_the_users_list() {
    let built = with_tools(None, Some(&["run_shell_command(rm)"])).build();
    let expected = "--skip-trust -y -o stream-json --policy=/scratch/tools.toml \
                    --policy=/home/me/.gemini/policies --prompt=DO";
    assert_eq!(built.args.join(" "), expected);
    assert!(!built.files[0].1.contains('*'), "{}", built.files[0].1);
}

#[test]
fn an_empty_list_of_the_only_tools_leaves_none_and_one_of_others_means_nothing() {
    let built = with_tools(Some(&[]), None).build();
    let policy = "[[rule]]\ntoolName = \"*\"\ndecision = \"deny\"\npriority = 997\n\n";
    assert_eq!(built.files[0], pair("tools.toml", policy));
    assert_eq!(with_tools(None, Some(&[])).line(), case().line());
}

#[test]
fn a_prompt_is_part_of_an_option_whatever_it_looks_like() {
    for prompt in UNUSUAL_TEXTS {
        let built = case().prompt(prompt).build();
        assert_eq!(built.args.last(), Some(&format!("--prompt={prompt}")));
    }
}

#[test]
fn a_prompt_that_does_not_fit_with_its_option_is_read() {
    let (long, _) = longest();
    let built = case().prompt(&long).build();
    assert_eq!(built.args.last().map(String::as_str), Some("stream-json"));
    assert_eq!(built.stdin, Some(long));
    let fits = "x".repeat(131_071 - "--prompt=".len());
    assert_eq!(case().prompt(fits).build().stdin, None);
}

#[test]
fn a_user_variable_is_kept_except_the_system_prompt() {
    let mut case = case();
    case.inherited = vec![("GEMINI_CLI_NO_RELAUNCH", ""), ("GEMINI_SYSTEM_MD", "other.md")];
    assert_eq!(case.build().env, [pair("GEMINI_SYSTEM_MD", "/scratch/system-prompt.md")]);
}

#[test]
fn the_git_identity_is_set_unless_the_user_has_set_one() {
    let mut case = case();
    case.host.git_identity =
        vec![pair("GIT_AUTHOR_NAME", "Ada"), pair("GIT_AUTHOR_EMAIL", "a@b.c")];
    case.inherited = vec![("GIT_AUTHOR_NAME", "Somebody Else")];
    let env = case.build().env;
    assert!(env.contains(&pair("GIT_AUTHOR_EMAIL", "a@b.c")), "{env:?}");
    assert!(!env.iter().any(|(name, _)| name == "GIT_AUTHOR_NAME"), "{env:?}");
}
