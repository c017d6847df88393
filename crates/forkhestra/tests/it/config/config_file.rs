//! The config file as a file: its path, whether it is readable, whether it is JSON.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Command;

use insta::assert_snapshot;
use testkit::TestEnv;

use crate::{CONFIG, forkhestra, planned, project, refused};

#[test]
fn a_config_that_is_a_directory_is_refused() {
    let env = TestEnv::new();
    fs::create_dir_all(env.project().join(CONFIG)).expect("the project is ours");
    assert_snapshot!(refused(&env, &["a"]), @"error: config file `forge/orch/chains.json` is a directory");
}

#[test]
fn a_config_that_is_a_pipe_is_refused_without_waiting_for_it() {
    let env = TestEnv::new();
    fs::create_dir_all(env.project().join("forge/orch")).expect("the project is ours");
    let made = Command::new("mkfifo").arg(env.project().join(CONFIG)).status();
    assert!(made.expect("mkfifo is installed").success());
    assert_snapshot!(refused(&env, &["a"]), @"error: config file `forge/orch/chains.json` is not a regular file");
}

#[test]
fn a_config_that_is_a_dangling_link_is_refused() {
    let env = TestEnv::new();
    env.write("forge/chains.json", r#"{ "chains": {} }"#);
    fs::create_dir_all(env.project().join("forge/orch")).expect("the project is ours");
    symlink("nowhere", env.project().join(CONFIG)).expect("the project is ours");
    assert_snapshot!(refused(&env, &["a"]), @"error: config file `forge/orch/chains.json` is a link that leads nowhere");
}

#[test]
#[expect(clippy::print_stderr, reason = "a skipped test must be visible")]
fn a_config_that_may_not_be_read_is_refused() {
    let env = project(r#"{ "chains": {} }"#);
    let path = env.project().join(CONFIG);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).expect("the file is ours");
    if fs::read(&path).is_ok() {
        eprintln!("left out: root may read every file, so none can be unreadable here");
        return;
    }
    assert_snapshot!(
        refused(&env, &["a"]),
        @r"
    error: config file `forge/orch/chains.json` cannot be read: Permission denied (os error 13)
    "
    );
}

#[test]
fn a_config_that_is_not_text_is_refused_at_the_first_wrong_byte() {
    let env = TestEnv::new();
    env.write(CONFIG, b"{\n  \"chains\": { \"caf\xe9\": { \"steps\": [] } }\n}\n");
    assert_snapshot!(refused(&env, &["a"]), @r#"
    error: `forge/orch/chains.json` is not UTF-8 text
     --> forge/orch/chains.json:2:19
      |
    2 |   "chains": { "caf�": { "steps": [] } }
      |                   ^ this byte is not valid here
    hint: save the file as UTF-8
    "#);
}

#[test]
fn an_empty_config_is_refused() {
    assert_snapshot!(refused(&project(""), &["a"]), @r#"
    error: `forge/orch/chains.json` is empty
     --> forge/orch/chains.json:1:1
      |
    1 |
      | ^ expected an object
    hint: the smallest config is { "chains": {} }
    "#);
}

#[test]
fn a_config_of_comments_only_is_empty() {
    let message = refused(&project("// nothing yet\n"), &["a"]);
    assert!(message.starts_with("error: `forge/orch/chains.json` is empty\n"), "{message}");
}

#[test]
fn a_config_that_ends_too_early_is_not_json() {
    assert_snapshot!(refused(&project("{\n  \"chains\": {\n"), &["a"]), @r#"
    error: `forge/orch/chains.json` is not JSON: unterminated object
     --> forge/orch/chains.json:2:13
      |
    2 |   "chains": {
      |             ^ unterminated object
    "#);
}

#[test]
fn a_missing_comma_is_refused() {
    let env = project("{\n  \"agents\": {}\n  \"chains\": {}\n}\n");
    assert_snapshot!(refused(&env, &["a"]), @r#"
    error: `forge/orch/chains.json` is not JSON: expected comma
     --> forge/orch/chains.json:2:15
      |
    2 |   "agents": {}
      |               ^ expected comma
    "#);
}

#[test]
fn keys_and_strings_need_double_quotes() {
    assert_snapshot!(refused(&project("{ 'chains': {} }"), &["a"]), @"
    error: `forge/orch/chains.json` is not JSON: single-quoted strings are not allowed
     --> forge/orch/chains.json:1:3
      |
    1 | { 'chains': {} }
      |   ^ single-quoted strings are not allowed
    hint: write strings in double quotes
    ");
    assert_snapshot!(refused(&project("{ chains: {} }"), &["a"]), @"
    error: `forge/orch/chains.json` is not JSON: expected string for object property
     --> forge/orch/chains.json:1:3
      |
    1 | { chains: {} }
      |   ^^^^^^ expected string for object property
    hint: write keys and strings in double quotes
    ");
}

#[test]
fn text_after_the_config_is_refused() {
    assert_snapshot!(refused(&project("{ \"chains\": {} } }"), &["a"]), @r#"
    error: `forge/orch/chains.json` is not JSON: text cannot contain more than one JSON value
     --> forge/orch/chains.json:1:18
      |
    1 | { "chains": {} } }
      |                  ^ text cannot contain more than one JSON value
    "#);
}

#[test]
fn comments_trailing_commas_and_a_byte_order_mark_are_accepted() {
    let env = project(
        "\u{feff}// At the top.\n{\n  /* Before a key. */\n  \"chains\": {\n    \"c\": { \
         \"steps\": [{ \"agent\": \"a\", },], }, // At the end.\n  },\n}\n",
    );
    env.install("a");
    assert_snapshot!(planned(&env, &["--chain", "c"]), @"
    1. a - run once
         agent: program $TEST/bin/a (PATH)
    ");
}

#[test]
fn a_byte_order_mark_does_not_shift_positions() {
    let env = project("\u{feff}{ \"chains\": 3 }");
    assert_snapshot!(refused(&env, &["a"]), @r#"
    error: `chains` must be an object, found the number 3
     --> forge/orch/chains.json:1:13
      |
    1 | { "chains": 3 }
      |             ^ expected an object
    "#);
}

#[test]
fn windows_line_ends_do_not_shift_positions() {
    let env = project("{\r\n  \"chains\": {\r\n    \"c\": 3\r\n  }\r\n}\r\n");
    assert_snapshot!(refused(&env, &["a"]), @r#"
    error: `chains.c` must be an object, found the number 3
     --> forge/orch/chains.json:3:10
      |
    3 |     "c": 3
      |          ^ expected an object
    "#);
}

#[test]
fn a_broken_config_stops_everything_but_help_and_schema() {
    let env = project("{");
    for args in [vec!["a", "--dry-run"], vec!["a"], vec!["list"], vec!["--chain", "c"]] {
        let message = forkhestra(&env, &args).failure(2);
        assert!(message.contains("is not JSON"), "{args:?}: {message}");
    }
    forkhestra(&env, &["--help"]).success();
    forkhestra(&env, &["schema"]).success();
}

#[test]
fn the_old_path_is_used_if_the_new_one_is_missing() {
    let env = TestEnv::new();
    env.write("forge/chains.json", r#"{ "chains": { "old": { "steps": [{ "agent": "a" }] } } }"#);
    env.install("a");
    let shown = forkhestra(&env, &["--chain", "old", "--dry-run", "-v"]).success();
    assert!(shown.contains("chain: old  [forge/chains.json:1:15]\n"), "{shown}");
}

#[test]
fn if_both_files_exist_the_ignored_one_is_named() {
    let env = project(r#"{ "chains": { "new": { "steps": [{ "agent": "a" }] } } }"#);
    env.install("a").write("forge/chains.json", "this is not even read");
    assert_snapshot!(forkhestra(&env, &["--chain", "new", "--dry-run", "--quiet"]), @"
      1. a - run once
           agent: program $TEST/bin/a (PATH)
    ------- stderr -------
    warning: `forge/chains.json` is ignored: `forge/orch/chains.json` is there too
    hint: keep one of the two
    ");
}

#[test]
fn the_config_on_the_command_line_replaces_the_one_of_the_project() {
    let env = project("this is not even read");
    env.install("a")
        .write("other.json", r#"{ "chains": { "other": { "steps": [{ "agent": "a" }] } } }"#);
    let args = ["--config", "other.json", "--chain", "other"];
    assert_snapshot!(planned(&env, &args), @"
    1. a - run once
         agent: program $TEST/bin/a (PATH)
    ");
}

#[test]
fn the_config_on_the_command_line_must_exist() {
    let env = project(r#"{ "chains": {} }"#);
    assert_snapshot!(refused(&env, &["a", "--config", "missing.json"]), @"
    error: config file `missing.json` does not exist
    hint: `--config` takes a path relative to where you are, not to `--cwd`
    ");
    assert_snapshot!(refused(&env, &["a", "--config", "forge"]), @"error: config file `forge` is a directory");
    assert_snapshot!(forkhestra(&env, &["list", "--config", "missing.json"]).failure(2), @"
    error: config file `missing.json` does not exist
    hint: `--config` takes a path relative to where you are, not to `--cwd`
    ");
}

#[test]
fn the_config_on_the_command_line_is_relative_to_the_current_directory() {
    let env = TestEnv::new();
    env.write("mine.json", r#"{ "chains": { "mine": { "steps": [{ "agent": "./fix.sh" }] } } }"#)
        .write_script("elsewhere/fix.sh");
    let args = ["--cwd", "elsewhere", "--config", "mine.json", "--chain", "mine"];
    assert_eq!(crate::headings(&planned(&env, &args)), "./fix.sh - run once");
    let args = ["--cwd", "elsewhere", "--config", "../mine.json", "--chain", "mine"];
    assert_snapshot!(refused(&env, &args), @"
    error: config file `../mine.json` does not exist
    hint: `--config` takes a path relative to where you are, not to `--cwd`
    ");
}

#[test]
fn the_config_of_another_directory_is_shown_relative_to_the_user() {
    let env = TestEnv::new();
    env.write("sub/forge/orch/chains.json", r#"{ "chains": 3 }"#);
    assert_snapshot!(refused(&env, &["a", "--cwd", "sub"]), @r#"
    error: `chains` must be an object, found the number 3
     --> sub/forge/orch/chains.json:1:13
      |
    1 | { "chains": 3 }
      |             ^ expected an object
    "#);
}

#[test]
fn an_inaccessible_config_is_refused() {
    // A link to itself is inaccessible to every user, a directory without permissions only to users
    // other than root.
    let env = TestEnv::new();
    symlink("forge", env.project().join("forge")).expect("the project is ours");
    let message = forkhestra(&env, &["list"]).failure(2);
    assert!(
        message.starts_with("error: config file `forge/orch/chains.json` cannot be read: "),
        "{message}"
    );
}
