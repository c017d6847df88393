//! Checks: their forms, those of the command line, and wrong ones.

use std::fs;

use insta::assert_snapshot;
use testkit::TestEnv;

use crate::{forkhestra, planned, project, refused};

/// The checks of each step of a dry run, one line for each step.
fn checks(env: &TestEnv, args: &[&str]) -> Vec<String> {
    let shown = planned(env, args);
    let mut steps = Vec::new();
    for line in shown.lines().map(str::trim) {
        match line.strip_prefix("check: ") {
            Some(check) => {
                let step: &mut String = steps.last_mut().expect("a check stands under a step");
                step.push_str(if step.is_empty() { "" } else { " | " });
                step.push_str(check);
            }
            None if line.contains(" - run once") || line.contains(" - loop up to ") => {
                steps.push(String::new());
            }
            None => {}
        }
    }
    steps
}

/// A project with agents and a script.
fn tools() -> TestEnv {
    let env = TestEnv::new();
    env.install("a").install("b").write_script("checks/green.sh");
    env
}

#[test]
fn every_form_of_a_check_is_accepted() {
    let env = tools();
    let table = [
        ("command:cargo test", "command:\"cargo test\""),
        ("command:\"cargo test\"", "command:\"cargo test\""),
        ("command:'cargo test'", "command:\"cargo test\""),
        ("command:\"a\" && \"b\"", "command:\"\\\"a\\\" && \\\"b\\\"\""),
        ("command:\"echo \\\"x\\\"\"", "command:\"echo \\\"x\\\"\""),
        ("marker:/DONE/", "marker:DONE"),
        ("file:DONE.md", "file:DONE.md"),
        ("marker:all \\d+ passed", "marker:all \\d+ passed"),
        ("exit-code", "exit-code"),
        ("tasks", "tasks"),
        ("./checks/green.sh", "./checks/green.sh"),
        ("checks/green.sh", "checks/green.sh"),
    ];
    for (typed, expected) in table {
        assert_eq!(checks(&env, &["a:2", "--check", typed]), [expected], "{typed}");
    }
}

#[test]
fn several_checks_are_for_every_step_in_the_order_in_which_they_were_typed() {
    let args = ["a -> b:3", "--check", "file:x", "--check", "exit-code"];
    assert_eq!(checks(&tools(), &args), ["file:x | exit-code", "file:x | exit-code"]);
}

#[test]
fn a_check_may_be_for_one_agent_only() {
    let env = tools();
    let args = ["a:2 -> b:3 -> a", "--check", "b:file:x", "--check", "a:command:make a:b"];
    assert_eq!(checks(&env, &args), ["command:\"make a:b\"", "file:x", "command:\"make a:b\""]);
}

#[test]
fn the_longest_matching_agent_name_wins() {
    let env = tools();
    env.install("a:b");
    let args = ["a:2 -> a:b:2", "--check", "a:b:exit-code", "--check", "a:tasks"];
    assert_eq!(checks(&env, &args), ["tasks", "exit-code"]);
}

#[test]
fn checks_of_the_command_line_are_added_to_those_of_the_config() {
    let env = project(
        r#"{ "chains": { "c": { "checks": ["file:chain"], "steps": [
            { "agent": "a", "iterations": 2 },
            { "agent": "a", "iterations": 2, "checks": ["file:step"] },
            { "agent": "a", "iterations": 2, "checks": [] }
        ] } } }"#,
    );
    env.install("a");
    assert_eq!(
        checks(&env, &["--chain", "c", "--check", "exit-code"]),
        ["file:chain | exit-code", "file:step | exit-code", "exit-code"]
    );
}

#[test]
fn a_built_in_check_wins_over_an_agent_of_that_name_with_a_warning() {
    let env = TestEnv::new();
    env.install("file").install("b");
    let args = ["file:2 -> b", "--check", "file:DONE.md", "--dry-run", "--quiet"];
    assert_snapshot!(forkhestra(&env, &args), @"
      1. file - loop up to 2 iterations
           agent: program $TEST/bin/file (PATH)
           check: file:DONE.md
      2. b - run once
           agent: program $TEST/bin/b (PATH)
           check: file:DONE.md
    ------- stderr -------
    warning: `--check file:DONE.md` is read as the built-in check for every agent
    hint: to check only the agent called `file`, put `checks` into its step in the config file
    ");
}

#[test]
fn a_check_that_is_already_there_is_not_added_again() {
    let args = ["a:2", "--check", "exit-code", "--check", "file:x", "--check", "exit-code"];
    assert_eq!(checks(&tools(), &args), ["exit-code | file:x"]);
}

#[test]
fn a_check_for_an_agent_that_is_not_in_the_chain_is_refused() {
    assert_snapshot!(refused(&tools(), &["a:2", "--check", "b:exit-code"]), @"
    error: Check script 'b:exit-code' does not exist
    hint: no agent of this chain is called `b`
    hint: a check is `command:…`, `file:PATH`, `marker:REGEX`, `exit-code`, `tasks`, `task:ID`, `planned` or the path of a script
    hint: paths are relative to the working directory (`--cwd`), not to the config file
    ");
}

#[test]
fn an_empty_check_is_refused() {
    assert_snapshot!(refused(&tools(), &["a:2", "--check", ""]), @"error: `--check ` is empty; a check is `command:…`, `file:PATH`, `marker:REGEX`, `exit-code`, `tasks`, `task:ID`, `planned` or the path of a script");
}

#[test]
fn a_check_without_its_argument_is_refused() {
    assert_snapshot!(refused(&tools(), &["a:2", "--check", "command:"]), @"error: `--check command:` is incomplete; write `command:…`");
    assert_snapshot!(refused(&tools(), &["a:2", "--check", "file:"]), @"error: `--check file:` is incomplete; write `file:…`");
}

#[test]
fn a_check_with_an_unexpected_argument_is_refused() {
    assert_snapshot!(refused(&tools(), &["a:2", "--check", "tasks:all"]), @"error: `--check tasks:all` takes nothing after `tasks`");
    assert_snapshot!(refused(&tools(), &["a:2", "--check", "exit-code:0"]), @"error: `--check exit-code:0` takes nothing after `exit-code`");
}

#[test]
fn a_wrong_regular_expression_is_explained() {
    assert_snapshot!(refused(&tools(), &["a:2", "--check", "marker:(done"]), @"error: `--check marker:(done` is not a regular expression: unclosed group");
}

#[test]
fn a_missing_script_is_refused_with_the_forms_of_a_check() {
    assert_snapshot!(refused(&tools(), &["a:2", "--check", "./checks/gren.sh"]), @"
    error: Check script './checks/gren.sh' does not exist
    hint: a check is `command:…`, `file:PATH`, `marker:REGEX`, `exit-code`, `tasks`, `task:ID`, `planned` or the path of a script
    hint: paths are relative to the working directory (`--cwd`), not to the config file
    ");
}

#[test]
fn a_misspelt_built_in_check_gets_a_suggestion() {
    assert_snapshot!(refused(&tools(), &["a:2", "--check", "exit_code"]), @"
    error: Check script 'exit_code' does not exist
    hint: did you mean `exit-code`?
    hint: a check is `command:…`, `file:PATH`, `marker:REGEX`, `exit-code`, `tasks`, `task:ID`, `planned` or the path of a script
    hint: paths are relative to the working directory (`--cwd`), not to the config file
    ");
}

#[test]
fn a_script_must_not_be_a_directory() {
    let env = tools();
    fs::create_dir(env.project().join("scripts")).expect("the project is ours");
    let message = refused(&env, &["a:2", "--check", "scripts"]);
    assert!(message.starts_with("error: Check script 'scripts' is a directory\n"), "{message}");
}

#[test]
fn every_wrong_check_is_shown_at_once() {
    let message = refused(&tools(), &["a:2", "--check", "command:", "--check", "marker:("]);
    assert_eq!(message.matches("error: ").count(), 2, "{message}");
}

#[test]
fn a_wrong_check_of_the_config_is_pointed_at() {
    let env = project(
        r#"{
  "chains": {
    "c": {
      "steps": [
        {
          "agent": "a",
          "iterations": 2,
          "checks": ["marker:(", { "check": "exit-code", "when": "sometimes" }]
        }
      ]
    }
  }
}
"#,
    );
    assert_snapshot!(refused(&env, &["--chain", "c"]), @r#"
    error: `chains.c.steps[0].checks[0]` is not a regular expression: unclosed group
     --> forge/orch/chains.json:8:22
      |
    8 |           "checks": ["marker:(", { "check": "exit-code", "when": "sometimes" }]
      |                      ^^^^^^^^^^ this value
    error: `chains.c.steps[0].checks[1].when` must be `completion`, `always` or `landing`, found the string "sometimes"
     --> forge/orch/chains.json:8:66
      |
    8 |           "checks": ["marker:(", { "check": "exit-code", "when": "sometimes" }]
      |                                                                  ^^^^^^^^^^^ expected `completion`, `always` or `landing`
    "#);
}

#[test]
fn a_script_of_the_config_is_relative_to_the_working_directory_and_must_exist() {
    let env = project(
        r#"{
  "chains": {
    "c": { "checks": ["./green.sh"], "steps": [{ "agent": "a", "iterations": 2 }] }
  }
}
"#,
    );
    env.install("a");
    assert_snapshot!(refused(&env, &["--chain", "c"]), @r#"
    error: Check script './green.sh' does not exist
     --> forge/orch/chains.json:3:23
      |
    3 |     "c": { "checks": ["./green.sh"], "steps": [{ "agent": "a", "iterations": 2 }] }
      |                       ^^^^^^^^^^^^ does not exist
    hint: a check is `command:…`, `file:PATH`, `marker:REGEX`, `exit-code`, `tasks`, `task:ID`, `planned` or the path of a script
    hint: paths are relative to the working directory (`--cwd`), not to the config file
    "#);
    env.write_script("green.sh");
    assert_eq!(checks(&env, &["--chain", "c"]), ["./green.sh"]);
}

#[test]
fn a_step_that_checks_complete_needs_a_check() {
    let env = project(
        r#"{
  "chains": {
    "c": { "steps": [{ "agent": "a", "iterations": 2, "completion": "checks" }] }
  }
}
"#,
    );
    env.install("a");
    assert_snapshot!(refused(&env, &["--chain", "c"]), @r#"
    error: step 'a' is completed by its checks but has none
     --> forge/orch/chains.json:3:69
      |
    3 |     "c": { "steps": [{ "agent": "a", "iterations": 2, "completion": "checks" }] }
      |                                                                     ^^^^^^^^ nothing would ever complete it
    hint: add `checks` to the step or the chain, or give `--check`
    "#);
    assert_eq!(checks(&env, &["--chain", "c", "--check", "exit-code"]), ["exit-code"]);
}

#[test]
fn a_script_that_nothing_can_run_is_refused() {
    let env = tools();
    env.write("plain", "").write("plain.sh", "");
    assert_snapshot!(refused(&env, &["a:2", "--check", "plain"]), @"
    error: Check script 'plain' is not executable
    hint: make the script executable with `chmod +x`
    ");
    assert!(planned(&env, &["a:2", "--check", "plain.sh"]).contains("check: plain.sh\n"));
}

#[test]
fn a_module_that_exports_no_check_is_refused_before_anything_runs() {
    let env = tools();
    env.install("node")
        .write("done.mjs", "export function checker() { return { passed: true }; }\n");
    env.agent("a", "touch started");
    assert_snapshot!(forkhestra(&env, &["a:2", "--check", "./done.mjs"]).failure(2), @"
    error: the check `./done.mjs` exports neither `check` nor a default function
    hint: write `export function check(ctx) { … }`, or make the function the default export
    ");
    env.write("done.mjs", "export function check() { return { passed: true }; }\n");
    assert!(!env.has("started"));
    let args = ["a:2", "--check", "./done.mjs", "--dry-run", "--quiet"];
    assert_eq!(forkhestra(&env, &args).stderr, "");
}

#[test]
fn an_agent_whose_name_begins_with_the_word_of_a_check_can_be_named() {
    let env = tools();
    env.install("tasks:coordinator");
    let args = ["tasks:coordinator:2 -> b", "--check", "tasks:coordinator:command:\"true\""];
    assert_eq!(checks(&env, &args), ["command:\"true\"", ""]);
}
