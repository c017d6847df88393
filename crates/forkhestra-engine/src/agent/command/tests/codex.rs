use forkhestra_core::config::{Backend, Permissions};

use super::{CommandCase, UNUSUAL_TEXTS, longest};

const SWITCHES: &str =
    "-c analytics.enabled=false -c features.plugins=false -c allow_login_shell=false";

fn case() -> CommandCase {
    CommandCase::new(Backend::Codex)
}

#[test]
fn an_agent_with_nothing_but_a_system_prompt() {
    let beginning = "exec --json --skip-git-repo-check --dangerously-bypass-approvals-and-sandbox";
    let end = "-c developer_instructions=\"WHO\" -- DO";
    assert_eq!(case().line(), format!("{beginning} {SWITCHES} {end}"));
    let built = case().build();
    assert_eq!((built.env, built.stdin, built.files), (Vec::new(), None, Vec::new()));
}

#[test]
fn the_users_login_shell_setting_is_kept() {
    let by_argument = case().args(&["-c", "allow_login_shell=true"]);
    assert_eq!(by_argument.line().matches("allow_login_shell").count(), 1);
    let mut by_settings = case();
    by_settings.host.settings_decide_login_shell = true;
    assert!(!by_settings.line().contains("allow_login_shell"));
}

#[test]
fn all_settings_in_order() {
    let case = case().args(&["-i", "a.png"]).with(|direct| {
        direct.permissions = Permissions::Default;
        direct.model = Some("gpt-5.5".into());
    });
    let end = "-c developer_instructions=\"WHO\" -m gpt-5.5 -i a.png -- DO";
    assert_eq!(case.line(), format!("exec --json --skip-git-repo-check {SWITCHES} {end}"));
}

#[test]
fn a_prompt_is_the_last_argument_whatever_it_looks_like() {
    for prompt in UNUSUAL_TEXTS {
        let built = case().prompt(prompt).build();
        let [.., dashes, last] = &built.args[..] else { panic!("there are arguments") };
        assert_eq!((dashes.as_str(), last.as_str()), ("--", prompt));
        // A single dash means standard input.
        assert_eq!(built.stdin.as_deref(), (prompt == "-").then_some("-"));
    }
}

#[test]
fn a_prompt_that_does_not_fit_is_read() {
    let (fits, too_long) = longest();
    assert_eq!(case().prompt(&fits).build().args.last(), Some(&fits));
    let built = case().prompt(&too_long).build();
    assert!(built.args.ends_with(&["--".to_owned(), "-".to_owned()]));
    assert_eq!(built.stdin, Some(too_long));
}

#[test]
fn a_system_prompt_is_quoted() {
    let built = case().system_prompt("say \"hi\"\nand go").build();
    let expected = r#"developer_instructions="say \"hi\"\nand go""#.to_owned();
    assert!(built.args.contains(&expected), "{:?}", built.args);
}

/// A text may exceed the limit only after quoting.
#[test]
fn a_system_prompt_that_does_not_fit_is_read_before_the_prompt() {
    for long in ["x".repeat(131_072), "\n".repeat(70_000)] {
        let built = case().system_prompt(&long).build();
        assert!(!built.args.iter().any(|arg| arg.starts_with("developer_instructions")));
        assert!(built.args.ends_with(&["--".to_owned(), "-".to_owned()]));
        assert_eq!(built.stdin, Some(format!("{long}\n\nDO")));
    }
}
