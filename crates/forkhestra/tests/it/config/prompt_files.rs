//! Files of agents are checked before anything runs, at every level that names them.

use std::fs;
use std::process::Command;

use insta::assert_snapshot;
use testkit::TestEnv;

use crate::{planned, project, refused};

#[test]
fn a_missing_prompt_file_of_the_command_line_is_refused() {
    assert_snapshot!(refused(&TestEnv::new(), &["a", "--prompt-file", "prompts/missing.md"]), @"
    error: Prompt file not found: prompts/missing.md
    hint: paths are relative to the working directory (`--cwd`), not to the config file
    ");
}

#[test]
fn a_missing_prompt_file_of_a_step_is_refused() {
    let env = project(
        "{\n  \"chains\": {\n    \"c\": { \"steps\": [{ \"agent\": \"a\", \"promptFile\": \"prompts/missing.md\" }] }\n  }\n}\n",
    );
    assert_snapshot!(refused(&env, &["--chain", "c"]), @r#"
    error: Prompt file not found: prompts/missing.md
     --> forge/orch/chains.json:3:52
      |
    3 |     "c": { "steps": [{ "agent": "a", "promptFile": "prompts/missing.md" }] }
      |                                                    ^^^^^^^^^^^^^^^^^^^^ does not exist
    hint: paths are relative to the working directory (`--cwd`), not to the config file
    "#);
}

#[test]
fn a_missing_prompt_file_of_a_chain_is_refused_once() {
    let env = project(
        "{\n  \"chains\": {\n    \"c\": { \"promptFile\": \"missing.md\", \"steps\": [{ \"agent\": \"a\" }, { \"agent\": \"b\" }] }\n  }\n}\n",
    );
    assert_snapshot!(refused(&env, &["--chain", "c"]), @r#"
    error: Prompt file not found: missing.md
     --> forge/orch/chains.json:3:26
      |
    3 |     "c": { "promptFile": "missing.md", "steps": [{ "agent": "a" }, { "agent": "b" }] }
      |                          ^^^^^^^^^^^^ does not exist
    hint: paths are relative to the working directory (`--cwd`), not to the config file
    "#);
}

#[test]
fn a_missing_prompt_file_of_an_agent_is_refused() {
    let env = project(
        "{\n  \"agents\": { \"a\": { \"defaultPromptFile\": \"missing.md\" } },\n  \"chains\": {}\n}\n",
    );
    assert_snapshot!(refused(&env, &["a:3"]), @r#"
    error: Prompt file not found: missing.md
     --> forge/orch/chains.json:2:43
      |
    2 |   "agents": { "a": { "defaultPromptFile": "missing.md" } },
      |                                           ^^^^^^^^^^^^ does not exist
    hint: paths are relative to the working directory (`--cwd`), not to the config file
    "#);
}

#[test]
fn every_missing_prompt_file_is_shown_at_once() {
    let env = project(
        r#"{ "chains": { "c": { "steps": [
            { "agent": "a", "promptFile": "one.md" },
            { "agent": "a", "promptFile": "two.md" }
        ] } } }"#,
    );
    let message = refused(&env, &["--chain", "c"]);
    assert!(message.contains("Prompt file not found: one.md"), "{message}");
    assert!(message.contains("Prompt file not found: two.md"), "{message}");
}

#[test]
fn a_prompt_file_that_is_not_used_need_not_exist() {
    let env = project(
        r#"{
          "agents": { "a": { "defaultPromptFile": "missing.md" } },
          "chains": {
            "c": { "promptFile": "missing.md", "steps": [{ "agent": "a", "prompt": "inline" }] },
          },
        }"#,
    );
    env.install("a");
    planned(&env, &["--chain", "c"]);
    planned(&env, &["a", "-p", "inline"]);
}

/// The first line of the message about a prompt file of the command line.
fn first_line(env: &TestEnv, file: &str) -> String {
    let message = refused(env, &["a", "--prompt-file", file]);
    message.lines().next().unwrap_or_default().to_owned()
}

#[test]
fn a_prompt_file_must_be_a_readable_text() {
    let env = TestEnv::new();
    env.write("latin-1.md", b"caf\xe9").write("nul.md", b"a\0b").write("directory/file", "");
    let table = [
        ("directory", "error: Prompt file is a directory: directory"),
        ("latin-1.md", "error: Prompt file is not UTF-8 text: latin-1.md"),
        (
            "nul.md",
            "error: Prompt file contains a NUL character, which no agent can be given: nul.md",
        ),
        ("/dev/null", "error: Prompt file is not a regular file: /dev/null"),
        ("latin-1.md/x", "error: Prompt file not found: latin-1.md/x"),
    ];
    for (file, expected) in table {
        assert_eq!(first_line(&env, file), expected);
    }
}

#[test]
fn a_prompt_file_that_is_a_pipe_is_refused_without_waiting_for_it() {
    let env = TestEnv::new();
    let made = Command::new("mkfifo").arg(env.project().join("pipe")).status();
    assert!(made.expect("mkfifo is installed").success());
    assert_eq!(first_line(&env, "pipe"), "error: Prompt file is not a regular file: pipe");
}

#[test]
fn prompt_files_are_relative_to_the_working_directory() {
    let env = TestEnv::new();
    env.install("a").write("here.md", "here").write("elsewhere/there.md", "there");
    assert_snapshot!(planned(&env, &["a", "--cwd", "elsewhere", "--prompt-file", "there.md"]), @r#"
    1. a - run once
         agent: program $TEST/bin/a (PATH)
         prompt: file there.md
           "there"
    "#);
    assert_eq!(
        refused(&env, &["a", "--cwd", "elsewhere", "--prompt-file", "here.md"]).lines().next(),
        Some("error: Prompt file not found: here.md")
    );
    let absolute = env.project().join("here.md");
    let absolute = absolute.to_str().expect("temporary directories have plain names");
    planned(&env, &["a", "--cwd", "elsewhere", "--prompt-file", absolute]);
}

#[test]
fn prompt_files_of_a_config_are_relative_to_the_working_directory_too() {
    let env = TestEnv::new();
    env.install("a").write("elsewhere/p.md", "there").write(
        "config/chains.json",
        r#"{ "chains": { "c": { "steps": [{ "agent": "a", "promptFile": "p.md" }] } } }"#,
    );
    let args = ["--config", "config/chains.json", "--cwd", "elsewhere", "--chain", "c"];
    planned(&env, &args);
}

#[test]
fn a_system_prompt_that_does_not_exist_fails_at_load_even_if_the_agent_is_not_used() {
    let env = project(
        "{\n  \"agents\": {\n    \"fk:planner\": { \"systemPrompt\": \"prompts/foo.md\" }\n  },\n  \"chains\": {}\n}\n",
    );
    env.install("other");
    let message = refused(&env, &["other"]);
    let first =
        "error: Agent 'fk:planner' references systemPrompt 'prompts/foo.md' which does not exist\n";
    assert!(message.starts_with(first), "{message}");
    assert_snapshot!(message, @r#"
    error: Agent 'fk:planner' references systemPrompt 'prompts/foo.md' which does not exist
     --> forge/orch/chains.json:3:37
      |
    3 |     "fk:planner": { "systemPrompt": "prompts/foo.md" }
      |                                     ^^^^^^^^^^^^^^^^ does not exist
    hint: paths are relative to the working directory (`--cwd`), not to the config file
    "#);
    assert_eq!(crate::forkhestra(&env, &["list"]).failure(2), message);
}

#[test]
fn settings_and_mcp_config_must_exist_too() {
    let env = project(
        r#"{
  "agents": {
    "p": {
      "systemPromptText": "Plan.",
      "settings": "missing/settings.json",
      "mcpConfig": "missing/mcp.json"
    }
  },
  "chains": {}
}
"#,
    );
    assert_snapshot!(refused(&env, &["p"]), @r#"
    error: Agent 'p' references mcpConfig 'missing/mcp.json' which does not exist
     --> forge/orch/chains.json:6:20
      |
    6 |       "mcpConfig": "missing/mcp.json"
      |                    ^^^^^^^^^^^^^^^^^^ does not exist
    hint: paths are relative to the working directory (`--cwd`), not to the config file
    error: Agent 'p' references settings 'missing/settings.json' which does not exist
     --> forge/orch/chains.json:5:19
      |
    5 |       "settings": "missing/settings.json",
      |                   ^^^^^^^^^^^^^^^^^^^^^^^ does not exist
    hint: paths are relative to the working directory (`--cwd`), not to the config file
    "#);
}

#[test]
fn files_of_an_agent_must_not_be_directories() {
    let env = project(
        r#"{
          "agents": { "p": { "systemPrompt": "prompts", "settings": "prompts" } },
          "chains": {},
        }"#,
    );
    fs::create_dir(env.project().join("prompts")).expect("the project is ours");
    let message = refused(&env, &["p"]);
    for key in ["systemPrompt", "settings"] {
        let expected = format!("Agent 'p' references {key} 'prompts' which is a directory");
        assert!(message.contains(&expected), "{message}");
    }
}
