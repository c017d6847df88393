use forkhestra_core::config::{Backend, Permissions};
use forkhestra_core::cost::Dollars;
use forkhestra_core::text::count::Count;

use super::{CommandCase, UNUSUAL_TEXTS, longest, pair, strings};

const LEADING_ARGUMENTS: &str =
    "--print --output-format stream-json --verbose --include-partial-messages";

fn case() -> CommandCase {
    CommandCase::new(Backend::Claude)
}

/// Checks what a field adds to the command line.
#[track_caller]
fn adds(case: &CommandCase, permission: &str, before_tools: &str, tools: &str) {
    let expected =
        [LEADING_ARGUMENTS, permission, "--append-system-prompt WHO", before_tools, tools, "-- DO"];
    let expected: Vec<&str> = expected.into_iter().filter(|part| !part.is_empty()).collect();
    assert_eq!(case.line(), expected.join(" "));
}

const SKIP: &str = "--dangerously-skip-permissions";
const WITHOUT_WAKEUP: &str = "--disallowedTools=ScheduleWakeup";

#[test]
fn an_agent_with_nothing_but_a_system_prompt() {
    adds(&case(), SKIP, "", WITHOUT_WAKEUP);
    let built = case().build();
    assert_eq!(built.env, [pair("CLAUDE_CODE_DISABLE_BACKGROUND_TASKS", "1")]);
    assert_eq!((built.stdin, built.files), (None, Vec::new()));
}

#[test]
fn permissions_that_are_not_skipped_need_no_option() {
    adds(&case().with(|direct| direct.permissions = Permissions::Default), "", "", WITHOUT_WAKEUP);
}

#[test]
fn each_field_that_is_an_option_of_the_program() {
    let model = case().with(|direct| direct.model = Some("sonnet".into()));
    adds(&model, SKIP, "--model sonnet", WITHOUT_WAKEUP);
    let turns = case().with(|direct| direct.max_turns = Count::parse("7").ok());
    adds(&turns, SKIP, "--max-turns 7", WITHOUT_WAKEUP);
    let settings = case().with(|direct| direct.settings = Some("conf/s.json".into()));
    adds(&settings, SKIP, "--settings /work/conf/s.json", WITHOUT_WAKEUP);
    let mcp = case().with(|direct| direct.mcp_config = Some("mcp.json".into()));
    let tools = format!("--strict-mcp-config {WITHOUT_WAKEUP}");
    adds(&mcp, SKIP, "--mcp-config=/work/mcp.json", &tools);
    let absolute = case().with(|direct| direct.mcp_config = Some("/etc/mcp.json".into()));
    adds(&absolute, SKIP, "--mcp-config=/etc/mcp.json", &tools);
    let mut budget = case();
    budget.budget = Some(Dollars::from_nanos(2_500_000_000));
    adds(&budget, SKIP, "--max-budget-usd 2.5", WITHOUT_WAKEUP);
}

#[test]
fn allowed_tools_are_the_only_tools() {
    for (tools, expected) in [
        (&[][..], "--strict-mcp-config --tools="),
        (&["Read"], "--strict-mcp-config --tools=Read --allowedTools=Read"),
        (&["Read", "Bash"], "--strict-mcp-config --tools=Read,Bash --allowedTools=Read,Bash"),
    ] {
        let case = case().with(|direct| direct.allowed_tools = Some(strings(tools)));
        adds(&case, SKIP, "", &format!("{expected} {WITHOUT_WAKEUP}"));
    }
}

/// With skipped permissions, patterns would have no effect, and tools of MCP servers cannot be
/// removed.
#[test]
fn partly_allowed_tools_and_server_tools_need_rules() {
    for (tools, expected) in [
        (
            &["Read", "Bash(git *)", "Bash(ls)"][..],
            "--strict-mcp-config --tools=Read,Bash --allowedTools=Read,Bash(git *),Bash(ls)",
        ),
        (&["Read", "mcp__s__a"], "--tools=Read --allowedTools=Read,mcp__s__a"),
        (&["mcp__s"], "--tools= --allowedTools=mcp__s"),
    ] {
        let expected = format!("{expected} {WITHOUT_WAKEUP}");
        let case = || case().with(|direct| direct.allowed_tools = Some(strings(tools)));
        adds(&case(), "--permission-mode dontAsk", "", &expected);
        let by_default = case().with(|direct| direct.permissions = Permissions::Default);
        adds(&by_default, "", "", &expected);
    }
    let with_servers = case().with(|direct| {
        direct.allowed_tools = Some(strings(&["Read"]));
        direct.mcp_config = Some("mcp.json".into());
    });
    let tools = format!("--strict-mcp-config --tools=Read --allowedTools=Read {WITHOUT_WAKEUP}");
    let mode = "--permission-mode dontAsk";
    adds(&with_servers, mode, "--mcp-config=/work/mcp.json", &tools);
}

#[test]
fn tools_that_are_not_allowed() {
    let case_of = |tools: &[&str]| {
        let tools = strings(tools);
        case().with(|direct| direct.disallowed_tools = Some(tools))
    };
    adds(&case_of(&[]), SKIP, "", WITHOUT_WAKEUP);
    let some = case_of(&["Write", "Bash(rm *)"]);
    adds(&some, SKIP, "", "--disallowedTools=Write,Bash(rm *),ScheduleWakeup");
    adds(&case_of(&["ScheduleWakeup"]), SKIP, "", WITHOUT_WAKEUP);
    let wanted = case().with(|direct| direct.allowed_tools = Some(strings(&["ScheduleWakeup"])));
    let tools = "--strict-mcp-config --tools=ScheduleWakeup --allowedTools=ScheduleWakeup";
    adds(&wanted, SKIP, "", tools);
}

#[test]
fn all_settings_in_order() {
    let mut case = case().args(&["--add-dir", "../x"]).with(|direct| {
        direct.model = Some("opus".into());
        direct.max_turns = Count::parse("50").ok();
        direct.settings = Some("s.json".into());
        direct.mcp_config = Some("m.json".into());
        direct.allowed_tools = Some(strings(&["Read", "mcp__s__a"]));
        direct.disallowed_tools = Some(strings(&["Write"]));
    });
    case.budget = Some(Dollars::from_nanos(10_000_000));
    let expected = "--permission-mode dontAsk --append-system-prompt WHO --model opus \
                    --max-turns 50 --max-budget-usd 0.01 --settings /work/s.json \
                    --mcp-config=/work/m.json --strict-mcp-config --tools=Read \
                    --allowedTools=Read,mcp__s__a --disallowedTools=Write,ScheduleWakeup \
                    --add-dir ../x -- DO";
    assert_eq!(case.line(), format!("{LEADING_ARGUMENTS} {expected}"));
}

#[test]
fn a_prompt_is_the_last_argument_whatever_it_looks_like() {
    for prompt in UNUSUAL_TEXTS {
        let built = case().prompt(prompt).build();
        let expected = if prompt == "/clear up" { " /clear up" } else { prompt };
        let [.., dashes, last] = &built.args[..] else { panic!("there are arguments") };
        assert_eq!((dashes.as_str(), last.as_str()), ("--", expected));
        assert_eq!(built.stdin, None);
    }
}

#[test]
fn a_prompt_that_does_not_fit_is_read() {
    let (fits, too_long) = longest();
    assert_eq!(case().prompt(&fits).build().args.last(), Some(&fits));
    let built = case().prompt(&too_long).build();
    assert_eq!(built.args.last().map(String::as_str), Some(WITHOUT_WAKEUP));
    assert_eq!(built.stdin, Some(too_long));
    let slash = format!("/{}", "x".repeat(300_000));
    assert_eq!(case().prompt(&slash).build().stdin, Some(format!(" {slash}")));
}

#[test]
fn a_system_prompt_that_does_not_fit_is_a_file() {
    let (fits, too_long) = longest();
    let built = case().system_prompt(&fits).build();
    assert!(built.args.contains(&fits));
    assert_eq!(built.files, []);
    let built = case().system_prompt(&too_long).build();
    let line = built.args.join(" ");
    assert!(line.contains(" --append-system-prompt-file /scratch/system-prompt.md "), "{line}");
    assert_eq!(built.files, [("system-prompt.md".to_owned(), too_long)]);
}

#[test]
fn a_user_variable_is_kept() {
    let mut case = case();
    case.inherited = vec![("CLAUDE_CODE_DISABLE_BACKGROUND_TASKS", "0")];
    assert_eq!(case.build().env, []);
}
