//! Refusals before anything runs: exit code 2, and no agent is started.

use std::os::unix::fs::PermissionsExt;
use std::{fs, path::Path};

use insta::assert_snapshot;
use testkit::TestEnv;

use crate::project;
use crate::support::agents_at_work::{run, runs};

/// Runs a chain that is refused after an agent that would leave a trace, and returns the message.
#[track_caller]
fn refused(env: &TestEnv, args: &[&str]) -> String {
    let message = run(env, args).failure(2);
    assert!(!env.has("started"), "an agent was started");
    assert_eq!(runs(env), [] as [&Path; 0], "a run was begun");
    message
}

/// A project in which `witness` records that it was started.
fn with_witness() -> TestEnv {
    let env = TestEnv::new();
    env.agent("witness", "touch started");
    env
}

fn executable(env: &TestEnv, path: &str, contents: &str) {
    env.write(path, contents);
    let mode = fs::Permissions::from_mode(0o755);
    fs::set_permissions(env.project().join(path), mode).expect("the file is ours");
}

#[test]
fn an_agent_that_is_not_installed() {
    let env = with_witness();
    assert_snapshot!(refused(&env, &["witness -> nobody"]), @"
    error: step 2: `nobody` is not installed (not found on PATH)
      |
    1 | witness -> nobody
      |            ^^^^^^ cannot be started
    ");
}

#[test]
fn an_agent_that_is_not_installed_with_a_similar_name() {
    let env = with_witness();
    assert_snapshot!(refused(&env, &["witness -> witnes:3"]), @"
    error: step 2: `witnes` is not installed (not found on PATH)
      |
    1 | witness -> witnes:3
      |            ^^^^^^ cannot be started
    hint: did you mean `witness`?
    ");
}

#[test]
fn an_agent_that_is_mistyped_but_configured() {
    let env = with_witness();
    let config = r#"{ "agents": { "reviewer": { "command": "witness" } }, "chains": {} }"#;
    env.write(crate::CONFIG, config);
    assert_snapshot!(refused(&env, &["witness -> reviewr"]), @"
    error: step 2: `reviewr` is not installed (not found on PATH)
      |
    1 | witness -> reviewr
      |            ^^^^^^^ cannot be started
    hint: did you mean `reviewer`?
    ");
}

#[test]
fn a_name_that_cannot_be_found_is_no_suggestion() {
    let env = with_witness();
    assert_snapshot!(refused(&env, &["(nosuch -> witness):3 else nosuch2"]), @"
    error: step 1: `nosuch` is not installed (not found on PATH)
      |
    1 | (nosuch -> witness):3 else nosuch2
      |  ^^^^^^ cannot be started
    error: step 3: `nosuch2` is not installed (not found on PATH)
      |
    1 | (nosuch -> witness):3 else nosuch2
      |                            ^^^^^^^ cannot be started
    ");
}

#[test]
fn names_that_look_like_another_form_have_a_hint() {
    let env = with_witness();
    assert_snapshot!(refused(&env, &["witness? -> [witness -> {witness"]), @"
    error: step 1: `witness?` is not installed (not found on PATH)
      |
    1 | witness? -> [witness -> {witness
      | ^^^^^^^^ cannot be started
    hint: to ask a person write `witness -> ?`
    error: step 2: `[witness` is not installed (not found on PATH)
      |
    1 | witness? -> [witness -> {witness
      |             ^^^^^^^^ cannot be started
    hint: groups are in parentheses: `(a -> b):3`
    error: step 3: `{witness` is not installed (not found on PATH)
      |
    1 | witness? -> [witness -> {witness
      |                         ^^^^^^^^ cannot be started
    hint: groups are in parentheses: `(a -> b):3`
    ");
}

#[test]
fn every_unstartable_agent_is_reported_at_once() {
    let env = with_witness();
    env.write("agents/text.md", "").write("agents/directory/keep", "");
    executable(&env, "agents/lost.sh", "#!/no/such/interpreter\n");
    executable(&env, "agents/windows.sh", "#!/bin/sh\r\n");
    let chain = "witness -> ./agents/missing -> ./agents/text.md -> ./agents/directory \
                 -> ./agents/lost.sh -> ./agents/windows.sh";
    assert_snapshot!(refused(&env, &[chain]), @r"
    error: step 2: `./agents/missing` does not exist
      |
    1 | witness -> ./agents/missing -> ./agents/text.md -> ./agents/directory -> ./agents/lost.sh -> ./agents/windows.sh
      |            ^^^^^^^^^^^^^^^^ cannot be started
    error: step 3: `./agents/text.md` is not executable
      |
    1 | witness -> ./agents/missing -> ./agents/text.md -> ./agents/directory -> ./agents/lost.sh -> ./agents/windows.sh
      |                                ^^^^^^^^^^^^^^^^ cannot be started
    hint: make it executable: chmod +x ./agents/text.md
    error: step 4: `./agents/directory` is not a file
      |
    1 | witness -> ./agents/missing -> ./agents/text.md -> ./agents/directory -> ./agents/lost.sh -> ./agents/windows.sh
      |                                                    ^^^^^^^^^^^^^^^^^^ cannot be started
    error: step 5: `$TEST/project/agents/lost.sh` is a script whose interpreter `/no/such/interpreter` does not exist
      |
    1 | witness -> ./agents/missing -> ./agents/text.md -> ./agents/directory -> ./agents/lost.sh -> ./agents/windows.sh
      |                                                                          ^^^^^^^^^^^^^^^^ cannot be started
    error: step 6: `$TEST/project/agents/windows.sh` is a script whose interpreter `/bin/sh\r` does not exist: the line ends in a carriage return
      |
    1 | witness -> ./agents/missing -> ./agents/text.md -> ./agents/directory -> ./agents/lost.sh -> ./agents/windows.sh
      |                                                                                              ^^^^^^^^^^^^^^^^^^^ cannot be started
    ");
}

#[test]
fn a_prompt_that_no_program_can_be_given() {
    let prompt = "x".repeat(131_072);
    let env = project(&format!(
        r#"{{ "chains": {{ "c": {{ "steps": [{{ "agent": "witness", "prompt": "{prompt}" }}] }} }} }}"#
    ));
    env.agent("witness", "touch started");
    assert_snapshot!(refused(&env, &["--chain", "c"]), @"
    error: step 1: the prompt has 131072 bytes, and a program can be given 131071
    hint: put it into a file, and tell the agent to read that
    ");
    let prompt = "x".repeat(131_071);
    env.write(
        crate::CONFIG,
        format!(r#"{{ "chains": {{ "c": {{ "steps": [{{ "agent": "witness", "prompt": "{prompt}" }}] }} }} }}"#),
    );
    assert_eq!(run(&env, &["--chain", "c"]).code, Some(0));
    assert!(env.has("started"));
}

#[test]
fn hooks_with_a_missing_program() {
    let env = project(
        r#"{ "chains": { "c": {
          "hooks": { "on-complete": ["./gone.sh a", "echo b"], "on-failure": "./gone.sh a" },
          "steps": [{ "agent": "witness" }],
        } } }"#,
    );
    env.agent("witness", "touch started");
    assert_snapshot!(refused(&env, &["--chain", "c", "--hook", "on-limit:tools/gone"]), @"
    error: hook on-complete: `./gone.sh` does not exist
    hint: paths of hooks are relative to the working directory
    error: hook on-failure: `./gone.sh` does not exist
    hint: paths of hooks are relative to the working directory
    error: hook on-limit: `tools/gone` does not exist
    hint: paths of hooks are relative to the working directory
    ");
}

#[test]
fn mistakes_of_configs_chains_variables_and_files() {
    let env = with_witness();
    env.write("broken.json", "{ \"chains\": ").write(
        "good.json",
        r#"{ "chains": { "c": { "steps": [{ "agent": "witness", "args": ["${X}"] }] } } }"#,
    );
    for (args, expected) in [
        (&["--chain", "c", "--config", "broken.json"][..], "error: "),
        (&["--chain", "d", "--config", "good.json"], "error: "),
        (&["--chain", "c", "--config", "good.json"], "error: "),
        (&["witness", "--prompt-file", "missing.md"], "error: Prompt file not found: missing.md"),
        (&["witness", "--cwd", "missing"], "error: the working directory `missing` does not exist"),
        (&["witness:0"], "error: "),
        (
            &["witness", "--state-dir", "/dev/null"],
            "error: the state directory `/dev/null` cannot be used",
        ),
    ] {
        let message = refused(&env, args);
        assert!(message.starts_with(expected), "{args:?}: {message}");
    }
}
