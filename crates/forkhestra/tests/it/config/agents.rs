//! Which agent a name means, and the message if it cannot be started.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use insta::assert_snapshot;
use testkit::TestEnv;

use crate::{FORKHESTRA, USER_CONFIG, forkhestra, planned, project, refused};

#[test]
fn the_project_decides_over_the_user_and_the_user_over_the_path() {
    let agent = |command: &str| {
        format!(r#"{{ "agents": {{ "worker": {{ "command": "{command}" }} }}, "chains": {{}} }}"#)
    };
    let env = TestEnv::new();
    env.install("worker").install("of-user").install("of-project");
    assert_snapshot!(planned(&env, &["worker"]), @"
    1. worker - run once
         agent: program $TEST/bin/worker (PATH)
    ");
    env.write_home(USER_CONFIG, agent("of-user"));
    assert_snapshot!(planned(&env, &["worker"]), @"
    1. worker - run once
         agent: program $TEST/bin/of-user ($TEST/home/.config/forkhestra/chains.json:1:15)
    ");
    env.write(crate::CONFIG, agent("of-project"));
    assert_snapshot!(planned(&env, &["worker"]), @"
    1. worker - run once
         agent: program $TEST/bin/of-project (forge/orch/chains.json:1:15)
    ");
}

#[test]
fn a_program_of_the_config_has_a_command_arguments_and_an_environment() {
    let env = project(
        r#"{
          "agents": {
            "codex": {
              "command": "codex-cli",
              "args": ["exec", "--full-auto"],
              "env": { "CODEX_HOME": "/tmp/codex" },
            },
            "local": { "command": "./agents/fix.sh" },
            "named": { "args": ["--fast"] },
          },
          "chains": {},
        }"#,
    );
    env.install("codex-cli").install("named").write_script("agents/fix.sh");
    let shown = planned(&env, &["codex:3 -> local -> named"]);
    assert_snapshot!(shown, @"
    1. codex - loop up to 3 iterations
         agent: program $TEST/bin/codex-cli (forge/orch/chains.json:3:13)
         env: CODEX_HOME
         args: exec --full-auto
    2. local - run once
         agent: program $TEST/project/agents/fix.sh (forge/orch/chains.json:8:13)
    3. named - run once
         agent: program $TEST/bin/named (PATH)
         args: --fast
    ");
}

#[test]
fn an_entry_with_prompts_only_is_attached_to_a_program_or_a_path() {
    let env = project(
        r#"{
          "agents": {
            "tool": { "defaultPrompt": "for the tool" },
            "agents/fix.sh": { "defaultPrompt": "for the script" },
            "nobody": { "defaultPrompt": "for nobody" },
          },
          "chains": {},
        }"#,
    );
    env.install("tool").write_script("agents/fix.sh");
    assert_snapshot!(planned(&env, &["tool -> agents/fix.sh -> nobody"]), @r#"
    1. tool - run once
         agent: program $TEST/bin/tool (PATH)
         prompt: "for the tool"
    2. agents/fix.sh - run once
         agent: program $TEST/project/agents/fix.sh (path)
         prompt: "for the script"
    3. nobody - run once
         prompt: "for nobody"
         warning: `nobody` is not installed (not found on PATH)
    "#);
}

#[test]
fn an_empty_entry_changes_nothing() {
    let env = project(r#"{ "agents": { "tool": {} }, "chains": {} }"#);
    env.install("tool");
    assert_snapshot!(planned(&env, &["tool"]), @"
    1. tool - run once
         agent: program $TEST/bin/tool (PATH)
    ");
}

#[test]
fn an_unstartable_agent_is_a_warning_under_its_step() {
    let env = project(r#"{ "agents": { "configured": { "command": "not-here" } }, "chains": {} }"#);
    env.write("agents/plain.txt", "not a program").write("agents/directory/x", "");
    fs::write(env.bin().join("no-program"), "").expect("the directory is ours");
    let chain = "unknown -> configured -> no-program -> ./agents/plain.txt -> ./agents/directory \
                 -> ./agents/missing.sh";
    assert_snapshot!(planned(&env, &[chain]), @"
    1. unknown - run once
         warning: `unknown` is not installed (not found on PATH)
    2. configured - run once
         agent: program not-here (forge/orch/chains.json:1:15)
         warning: `not-here` is not installed (not found on PATH)
    3. no-program - run once
         warning: `no-program` is not executable
    4. ./agents/plain.txt - run once
         warning: `./agents/plain.txt` is not executable
    5. ./agents/directory - run once
         warning: `./agents/directory` is not a file
    6. ./agents/missing.sh - run once
         warning: `./agents/missing.sh` does not exist
    ");
}

#[test]
fn path_is_searched_in_order_and_skips_non_programs() {
    let env = TestEnv::new();
    env.install("tool").write("first/tool", "not a program").write_script("third/tool");
    fs::set_permissions(env.project().join("first/tool"), fs::Permissions::from_mode(0o644))
        .expect("the file is ours");
    let path = format!(
        "{}:{}:{}",
        env.project().join("first").display(),
        env.bin().display(),
        env.project().join("third").display()
    );
    let mut command = env.command(FORKHESTRA);
    command.args(["tool", "--dry-run", "--quiet"]).env("PATH", path);
    assert_snapshot!(env.output_of(&mut command).success(), @"
    1. tool - run once
         agent: program $TEST/bin/tool (PATH)
    ");
}

#[test]
fn agents_given_as_paths_are_relative_to_the_working_directory() {
    let env = TestEnv::new();
    env.write_script("elsewhere/fix.sh");
    let found = planned(&env, &["./fix.sh", "--cwd", "elsewhere"]);
    assert!(!found.contains("warning"), "{found}");
    let missing = planned(&env, &["./fix.sh"]);
    assert!(missing.contains("warning: `./fix.sh` does not exist\n"), "{missing}");
}

/// `a:x` is a name if an agent has it, and a wrong count otherwise.
#[test]
fn a_colon_with_a_word_is_a_name_if_an_agent_has_it() {
    let env = project(r#"{ "agents": { "fk:review": { "command": "tool" } }, "chains": {} }"#);
    env.install("tool").install("tasks:coordinator");
    for (chain, expected) in [
        ("fk:review", "fk:review - run once"),
        ("tasks:coordinator", "tasks:coordinator - run once"),
        (
            "fk:review:2 -> tasks:coordinator:3",
            "fk:review - loop up to 2 iterations, tasks:coordinator - loop up to 3 iterations",
        ),
    ] {
        assert_eq!(crate::headings(&planned(&env, &[chain])), expected);
    }
}

#[test]
fn an_entry_with_prompts_only_does_not_make_a_name_of_a_wrong_count() {
    let env = project(r#"{ "agents": { "a:x": { "defaultPrompt": "hm" } }, "chains": {} }"#);
    let message = refused(&env, &["a:x"]);
    assert!(message.contains("`a:x` is neither an agent nor an agent with a count"), "{message}");
}

#[test]
fn a_count_in_a_configured_name_is_a_warning() {
    let env =
        project("{\n  \"chains\": { \"c\": { \"steps\": [{ \"agent\": \"builder:3\" }] } }\n}\n");
    assert_snapshot!(forkhestra(&env, &["--chain", "c", "--dry-run", "--quiet"]), @r#"
      1. builder:3 - run once
           warning: `builder:3` is not installed (not found on PATH)
    ------- stderr -------
    warning: nothing is called `builder:3`; a name in a config holds no count
     --> forge/orch/chains.json:2:43
      |
    2 |   "chains": { "c": { "steps": [{ "agent": "builder:3" }] } }
      |                                           ^^^^^^^^^^^ taken whole for the name of an agent that runs once
    hint: to loop write "iterations": 3 beside the name
    "#);
}

#[test]
fn a_name_with_a_colon_in_a_config_is_just_not_installed() {
    let env = project(r#"{ "chains": { "c": { "steps": [{ "agent": "tasks:worker" }] } } }"#);
    assert_snapshot!(planned(&env, &["--chain", "c"]), @"
    1. tasks:worker - run once
         warning: `tasks:worker` is not installed (not found on PATH)
    ");
}

#[test]
fn an_agent_called_like_a_verb_can_be_run() {
    let env = TestEnv::new();
    env.install("list").install("demo");
    for name in ["list", "demo"] {
        let shown = forkhestra(&env, &["run", name, "--dry-run", "--quiet"]).success();
        assert_eq!(crate::headings(&shown), format!("{name} - run once"));
    }
    assert_eq!(
        crate::headings(&planned(&env, &["list:2 -> demo"])),
        "list - loop up to 2 iterations, demo - run once"
    );
}

#[test]
fn a_path_with_a_colon_that_cannot_be_run_is_not_taken_for_a_count() {
    let env = TestEnv::new();
    env.write("a:x.sh", "").write_script("agents:v2/fix.sh");
    assert!(planned(&env, &["./a:x.sh"]).contains("warning: `./a:x.sh` is not executable\n"));
    assert!(planned(&env, &["./agents:v2/fix.sh"]).contains("agents:v2/fix.sh (path)\n"));
    assert!(planned(&env, &["./agents:v2/no.sh"]).contains("does not exist\n"));
}

#[test]
fn relative_directories_on_path_are_below_the_working_directory() {
    let env = TestEnv::new();
    env.write_script("sub/tools/a");
    let mut command = env.command(FORKHESTRA);
    command.args(["a", "--dry-run", "--cwd", "sub"]).env("PATH", "tools");
    let shown = env.output_of(&mut command).success();
    assert!(shown.contains("agent: program $TEST/project/sub/tools/a (PATH)\n"), "{shown}");
}
