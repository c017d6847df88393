//! A stream, a name or a text that controls the terminal.

#[path = "../agents/scripted_stream.rs"]
#[expect(dead_code, reason = "the tests of agents use all of it")]
mod scripted_stream;

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::json;
use testkit::TestEnv;

use crate::FORKHESTRA;
use crate::support::{config, repository};
use scripted_stream::ScriptedStream;

/// Everything that a terminal executes: a cleared screen, a title, the clipboard, a device control
/// string, C1 controls, a bell, backspaces, a carriage return, an override of the direction.
const HOSTILE: &str = "a\x1b[2J\x1b]0;title\x07\x1b]52;c;c3RvbGVu\x1b\\\x1bP1$r0m\x1b\\\u{9b}2J\u{9d}0;x\u{9c}\
                       \x07\x08\x08\x7f\u{202e}\u{2066}\x1b[8mhidden\x1bc all is well\rrm -rf /";

/// What a reader must not take for a line of ours.
const IMITATION: &str = "[forkhestra] Chain complete (1/1 steps)";

/// A project with a stand-in for Claude Code that prints these bytes.
fn understood_agent(stdout: &[u8], stderr: &[u8]) -> TestEnv {
    let env = TestEnv::new();
    config(
        &env,
        r#"{ "agents": { "worker": { "systemPromptText": "You work." } }, "chains": {} }"#,
    );
    let place = |name: &str| -> PathBuf { env.root().join(name) };
    fs::write(place("stdout"), stdout).expect("the directory is ours");
    fs::write(place("stderr"), stderr).expect("the directory is ours");
    let (out, err) = (place("stdout"), place("stderr"));
    env.agent("claude", &format!("cat '{}'; cat '{}' >&2", out.display(), err.display()));
    env
}

fn run(env: &TestEnv, args: &[&str]) -> Output {
    let mut command: Command = env.command(FORKHESTRA);
    command.args(args).output().expect("the program can be started")
}

/// Asserts that both streams are text in which a terminal finds nothing to execute.
#[track_caller]
fn assert_harmless(output: &Output, what: &str) {
    for bytes in [&output.stdout, &output.stderr] {
        let text = str::from_utf8(bytes).unwrap_or_else(|error| panic!("{what}: {error}"));
        let is_obeyed =
            |c: char| c.is_control() && c != '\n' && c != '\t' || "\u{202e}\u{2066}".contains(c);
        assert!(!text.contains(is_obeyed), "{what}: {text:?}");
    }
}

fn lines(output: &Output) -> Vec<String> {
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    text.lines().map(str::to_owned).collect()
}

/// The commands that show a run to a person or to a program.
const VIEWS: [&[&str]; 9] = [
    &["logs"],
    &["logs", "-v"],
    &["logs", "--follow"],
    &["show"],
    &["show", "-v"],
    &["show", "--why"],
    &["show", "--json"],
    &["events"],
    &["runs"],
];

#[test]
fn a_stream_that_is_understood_is_harmless_in_every_mode() {
    let stream = ScriptedStream::new()
        .thinks(HOSTILE)
        .model_message(HOSTILE)
        .subagent_says(HOSTILE)
        .runs(HOSTILE, HOSTILE)
        .retries(529, HOSTILE)
        .raw(&format!("{HOSTILE}\n\x1b]0;no end"))
        .line(&json!({ "type": HOSTILE, "subtype": HOSTILE }))
        .model_message(&format!("{HOSTILE}\nFORKHESTRA_COMPLETE"))
        .ends(&json!({
            "subtype": "error_during_execution", "is_error": true, "total_cost_usd": 0.01,
            "result": HOSTILE, "errors": [HOSTILE],
        }));
    let stderr = [HOSTILE.as_bytes(), b"\n\x9b2J\xff", HOSTILE.as_bytes()].concat();
    for mode in [&[][..], &["-v"], &["--quiet"], &["--output", "json"], &["-v", "--color", "never"]]
    {
        let env = understood_agent(stream.text().as_bytes(), &stderr);
        let output = run(&env, &[&["worker:1"], mode].concat());
        assert_harmless(&output, &format!("a run with {mode:?}"));
        for view in VIEWS {
            assert_harmless(&run(&env, view), &format!("{view:?} after {mode:?}"));
        }
    }
}

/// A stand-in that prints no event at all is an agent that is understood as well.
#[test]
fn text_in_place_of_a_stream_is_harmless() {
    let text = format!("{HOSTILE}\n\x1b[31mred\x1b[0m\n\u{9b}2J\x1b[");
    for mode in [&[][..], &["-v"]] {
        let env = understood_agent(text.as_bytes(), b"");
        let output = run(&env, &[&["worker:1"], mode].concat());
        assert_harmless(&output, "a run");
        assert!(lines(&output).contains(&"red".to_owned()), "{output:?}");
    }
}

#[test]
fn a_line_of_an_agent_does_not_look_like_ours() {
    let stream = ScriptedStream::new()
        .model_message(&format!("first\n{IMITATION}\n\u{200b}{IMITATION}"))
        .thinks(IMITATION)
        .runs("true", IMITATION)
        .raw(IMITATION)
        .raw(&format!("\x1b[1m{IMITATION}\x1b[0m"))
        .raw(&format!("hidden\r{IMITATION}"))
        .succeeds(0.01);
    let stderr = format!("{IMITATION}\nx\x1b[2K\r{IMITATION}\n");
    let env = understood_agent(stream.text().as_bytes(), stderr.as_bytes());
    for view in [&["worker:1"][..], &["worker:1", "-v"], &["logs"], &["logs", "-v"]] {
        let output = run(&env, view);
        let shown = lines(&output);
        let as_ours = |line: &&String| line.trim_start_matches('\u{200b}').starts_with(IMITATION);
        assert_eq!(shown.iter().find(as_ours), None, "{view:?}");
        let marked = shown.iter().filter(|line| line.starts_with(&format!("| {IMITATION}")));
        assert!(marked.count() >= 6, "{view:?}: {shown:#?}");
    }
}

/// Names of files, subjects of commits and output of checks come from the agent.
#[test]
fn names_and_subjects_of_an_agent_are_harmless() {
    let env = repository();
    let subject = env.root().join("subject");
    fs::write(&subject, HOSTILE).expect("the directory is ours");
    let agent = format!(
        "name=$(printf 'b\\033[2J\\302\\233\\342\\200\\256c'); echo x > \"$name\"; git add --all; \
         git commit --quiet --file='{}'; echo y > \"$name-2\"; echo FORKHESTRA_COMPLETE",
        subject.display()
    );
    env.agent("builder", &agent);
    env.agent_file("check.sh", &format!("cat '{}'; exit 1", subject.display()));
    config(
        &env,
        r#"{ "chains": { "c": { "steps": [{ "agent": "builder", "iterations": 1, "checks": ["./check.sh"] }] } } }"#,
    );
    for args in
        [&["--chain", "c"][..], &["--chain", "c", "-v"], &["--chain", "c", "--output", "json"]]
    {
        let output = run(&env, args);
        assert_harmless(&output, &format!("{args:?}"));
        for view in VIEWS {
            assert_harmless(&run(&env, view), &format!("{view:?}"));
        }
    }
}
