//! What reaches a terminal: colours where they are wanted, and no control characters from files or
//! arguments.

use testkit::TestEnv;

use crate::{FORKHESTRA, forkhestra, project};

/// Clears the screen, rings the bell, and opens a control sequence of eight bits.
const CONTROL_CHARACTERS: &str = "\u{1b}[2J\u{7}\u{9b}";

/// Asserts that a text contains no control sequences other than our colours.
#[track_caller]
fn assert_harmless(text: &str) {
    let plain = without_colours(text);
    let harmful = |c: char| c.is_control() && c != '\n';
    assert!(!plain.contains(harmful), "{}", plain.escape_debug());
}

/// Asserts that a text has no colours.
#[track_caller]
fn assert_plain(text: &str) {
    assert!(!text.contains('\u{1b}'), "{}", text.escape_debug());
}

/// Removes the sequences that choose colours, and no others.
fn without_colours(text: &str) -> String {
    let mut pieces = text.split("\u{1b}[");
    let first = pieces.next().unwrap_or_default().to_owned();
    pieces.fold(first, |plain, piece| {
        let rest = piece.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';');
        match rest.strip_prefix('m') {
            Some(rest) => plain + rest,
            None => plain + "\u{1b}[" + piece,
        }
    })
}

#[test]
fn control_characters_in_prompts_and_arguments_are_escaped() {
    let env = TestEnv::new();
    env.install("a")
        .write("prompt.md", format!("file {CONTROL_CHARACTERS}\n{CONTROL_CHARACTERS}\n"));
    let flags = ["--dry-run", "--color", "always"];
    for detail in ["--quiet", "--verbose"] {
        let inline = [
            "a:2",
            "-p",
            CONTROL_CHARACTERS,
            "--marker",
            CONTROL_CHARACTERS,
            "--done-file",
            CONTROL_CHARACTERS,
            detail,
        ];
        let inline = [
            &inline[..],
            &["--state-dir", CONTROL_CHARACTERS],
            &flags,
            &["--", CONTROL_CHARACTERS],
        ]
        .concat();
        let shown = forkhestra(&env, &inline).success();
        assert_harmless(&shown);
        assert!(shown.contains(r"\u{1b}[2J\u{7}\u{9b}"), "{shown}");
        let from_file = [&["a", "--prompt-file", "prompt.md", detail], &flags[..]].concat();
        assert_harmless(&forkhestra(&env, &from_file).success());
    }
}

#[test]
fn control_characters_in_a_config_are_escaped() {
    let env = project(
        r#"{
          "agents": {
            "s": {
              "systemPromptText": "\u001b[2J", "model": "x-\u001b[2J", "args": ["\u001b[2J"],
              "allowedTools": ["Read"], "env": { "A": "\u001b[2J" },
            },
          },
          "chains": {
            "c": {
              "description": "\u001b[2J", "prompt": "\u001b[2J", "hooks": { "on-limit": "\u001b[2J" },
              "checks": ["file:\u001b[2J", "command:\u001b[2J"], "markers": ["\u001b[2J"],
              "steps": [{ "agent": "s", "iterations": 2, "args": ["\u001b[2J"] }],
            },
          },
        }"#,
    );
    env.install("claude");
    for args in [
        vec!["--chain", "c", "--dry-run", "--color", "always"],
        vec!["--chain", "c", "--dry-run", "--color", "always", "-v"],
        vec!["list", "--color", "always"],
        vec!["list", "--json", "--color", "always"],
    ] {
        assert_harmless(&forkhestra(&env, &args).success());
    }
}

#[test]
fn control_characters_in_errors_are_escaped() {
    let env = TestEnv::new();
    let (unknown_option, wrong_variable) =
        (format!("--{CONTROL_CHARACTERS}"), format!("x={CONTROL_CHARACTERS}"));
    for args in [
        vec![CONTROL_CHARACTERS],
        vec!["a", CONTROL_CHARACTERS],
        vec!["--chain", CONTROL_CHARACTERS],
        vec!["a", "--prompt-file", CONTROL_CHARACTERS],
        vec!["a", "--config", CONTROL_CHARACTERS],
        vec!["a", "--cwd", CONTROL_CHARACTERS],
        vec!["a", "--check", CONTROL_CHARACTERS],
        vec!["a", "--hook", CONTROL_CHARACTERS],
        vec!["a", &unknown_option],
        vec!["a", &wrong_variable],
    ] {
        let args = [&args[..], &["--dry-run", "--color", "always"]].concat();
        assert_harmless(&forkhestra(&env, &args).failure(2));
    }
}

#[test]
fn control_characters_in_names_of_config_files_are_escaped() {
    let env = TestEnv::new();
    env.write(&format!("{CONTROL_CHARACTERS}/forge/orch/chains.json"), r#"{ "chains": {} }"#)
        .write(&format!("{CONTROL_CHARACTERS}/forge/chains.json"), "this is not even read");
    let args = ["--chain", "c", "--dry-run", "--cwd", CONTROL_CHARACTERS, "--color", "always"];
    assert_harmless(&forkhestra(&env, &args).failure(2));
}

#[test]
fn bidirectional_marks_are_escaped() {
    let env = TestEnv::new();
    env.install("a");
    let shown = forkhestra(&env, &["a", "-p", "a\u{202e}b", "--dry-run"]).success();
    assert!(shown.contains(r"a\u{202e}b"), "{shown}");
}

#[test]
fn output_without_a_terminal_has_no_colours() {
    let env = TestEnv::new();
    assert_plain(&forkhestra(&env, &["nobody:3", "--dry-run", "-v"]).success());
    assert_plain(&forkhestra(&env, &["a:0"]).failure(2));
    assert_plain(&forkhestra(&env, &["--help"]).success());
    assert_plain(&forkhestra(&env, &["--dryrun"]).failure(2));
}

#[test]
fn colours_can_be_asked_for() {
    let env = TestEnv::new();
    let shown = forkhestra(&env, &["nobody", "--dry-run", "--color", "always"]).success();
    let expected =
        "  1. \u{1b}[1mnobody\u{1b}[0m - run once\n       \u{1b}[1m\u{1b}[33mwarning\u{1b}[0m: ";
    assert!(shown.contains(expected), "{}", shown.escape_debug());
    let message = forkhestra(&env, &["a:0", "--color", "always"]).failure(2);
    assert!(message.starts_with("\u{1b}[1m\u{1b}[91merror\u{1b}[0m"), "{}", message.escape_debug());
    let listed = forkhestra(
        &project(r#"{ "chains": { "c": { "steps": [] } } }"#),
        &["list", "--color", "always"],
    );
    assert!(listed.success().contains("\u{1b}[1mc\u{1b}[0m"));
}

#[test]
fn colours_change_no_text() {
    let env = TestEnv::new();
    let plain = forkhestra(&env, &["a:2 -> b", "--dry-run", "-v", "--color", "never"]).success();
    let painted = forkhestra(&env, &["a:2 -> b", "--dry-run", "-v", "--color", "always"]).success();
    assert_eq!(without_colours(&painted), plain);
}

#[test]
fn no_color_turns_colours_off_even_where_they_would_be_forced() {
    let env = TestEnv::new();
    let mut forced = env.command(FORKHESTRA);
    forced.args(["nobody", "--dry-run"]).env("CLICOLOR_FORCE", "1");
    assert!(env.output_of(&mut forced).success().contains('\u{1b}'));
    assert_plain(&env.output_of(forced.env("NO_COLOR", "1")).success());
}

#[test]
fn color_never_overrides_an_environment_that_forces_colours() {
    let env = TestEnv::new();
    let mut forced = env.command(FORKHESTRA);
    forced.args(["nobody", "--dry-run", "--color", "never"]).env("CLICOLOR_FORCE", "1");
    assert_plain(&env.output_of(&mut forced).success());
}

#[test]
fn control_characters_in_names_of_directories_are_escaped() {
    let env = TestEnv::new();
    let directory = format!("d{CONTROL_CHARACTERS}");
    env.write_script(&format!("{directory}/x")).write(
        &format!("{directory}/forge/chains.json"),
        r#"{ "agents": { "a": { "command": "x" } }, "chains": { "c": { "steps": [{ "agent": "a" }] } }, "k": 1 }"#,
    );
    for args in [
        &["./x", "--dry-run", "-v"][..],
        &["--chain", "c", "--dry-run", "-v"],
        &["--chain", "none", "--dry-run"],
        &["list"],
    ] {
        let verb_first = [args, &["--cwd", &directory, "--color", "always"]].concat();
        let output = forkhestra(&env, &verb_first);
        assert_harmless(&output.stdout);
        assert_harmless(&output.stderr);
        assert!(output.stderr.contains(r"d\u{1b}[2J"), "{output}");
    }
}

#[test]
fn parser_errors_follow_the_colour_option() {
    let env = TestEnv::new();
    let output = |args: &[&str]| {
        env.output_of(env.command(FORKHESTRA).args(args).env("CLICOLOR_FORCE", "1")).stderr
    };
    assert_plain(&output(&["a", "--dryrun", "--color", "never"]));
    assert_plain(&output(&["--color=never", "a", "--dryrun"]));
    assert!(output(&["a", "--dryrun", "--color", "always"]).contains('\u{1b}'));
    assert!(output(&["a", "--dryrun", "--", "--color", "never"]).contains('\u{1b}'));
}
