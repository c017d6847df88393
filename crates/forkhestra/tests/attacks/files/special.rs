//! Pipes, devices and endless files in the places of files that are read.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use rustix::fs::{CWD, FileType, Mode, mknodat};
use testkit::{CommandOutput, TestEnv, within};

use super::failing_project;
use crate::FORKHESTRA;
use crate::support::{forkhestra, run_directory};

/// Far more than any command needs, even on the slowest machine.
const BOUND: Duration = Duration::from_secs(120);

/// Runs a command that must end by itself.
#[track_caller]
pub(super) fn ends(env: &TestEnv, args: &[&str]) -> CommandOutput {
    let (out, err) = (env.root().join("out"), env.root().join("err"));
    let file = |path: &Path| Stdio::from(fs::File::create(path).expect("it is ours"));
    let mut command: Command = env.command(FORKHESTRA);
    let command = command.args(args).stdout(file(&out)).stderr(file(&err));
    let mut child = command.spawn().expect("the program can be started");
    let ended = within(BOUND, || child.try_wait().expect("it is our child"));
    if ended.is_none() {
        child.kill().expect("it is our child");
        child.wait().expect("it is our child");
    }
    let read = |path: &Path| env.normalised(&fs::read(path).expect("it is there"));
    let status = ended.unwrap_or_else(|| panic!("{args:?} does not end: {}", read(&err)));
    CommandOutput { stdout: read(&out), stderr: read(&err), code: status.code() }
}

fn pipe(path: &Path) {
    mknodat(CWD, path, FileType::Fifo, Mode::RWXU, 0).expect("it is ours");
}

/// Puts a special file in the place of a file of the project.
fn put_special(env: &TestEnv, path: &str, kind: &str) {
    let path = env.project().join(path);
    fs::create_dir_all(path.parent().expect("it is below the project")).expect("it is ours");
    match kind {
        "pipe" => pipe(&path),
        "huge" => {
            let file = fs::File::create(&path).expect("it is ours");
            file.set_len(1 << 40).expect("it is sparse");
        }
        target => symlink(target, &path).expect("it is ours"),
    }
}

const KINDS: [&str; 4] = ["pipe", "/dev/zero", "/proc/kmsg", "huge"];

#[test]
fn a_special_config_file_is_refused_and_nothing_waits() {
    for kind in KINDS {
        let env = TestEnv::new();
        put_special(&env, "forge/orch/chains.json", kind);
        for args in [&["list"][..], &["worker", "--dry-run"], &["show-agent", "builder"]] {
            let refused = ends(&env, args);
            assert_eq!(refused.code, Some(2), "{kind} {args:?}: {refused}");
            assert!(refused.stderr.contains("forge/orch/chains.json"), "{kind}: {refused}");
        }
        let checked = ends(&env, &["doctor"]);
        assert!(checked.stdout.contains("chains.json"), "{kind}: {checked}");
    }
}

#[test]
fn a_special_prompt_file_is_refused_and_nothing_waits() {
    for kind in KINDS {
        let env = TestEnv::new();
        put_special(&env, "prompt.md", kind);
        env.install("claude");
        env.write(
            "forge/orch/chains.json",
            r#"{ "agents": { "owl": { "systemPrompt": "prompt.md" } }, "chains": { "c": { "steps": [{ "agent": "owl" }] } } }"#,
        );
        for args in [&["owl", "--dry-run"][..], &["show-agent", "owl"], &["owl"]] {
            let refused = ends(&env, args);
            assert_eq!(refused.code, Some(2), "{kind} {args:?}: {refused}");
            assert!(refused.stderr.contains("prompt.md"), "{kind} {args:?}: {refused}");
        }
        let _ = ends(&env, &["list"]);
        let _ = ends(&env, &["doctor"]);
        let typed = ends(&env, &["owl", "--prompt-file", "prompt.md", "--dry-run"]);
        assert_eq!(typed.code, Some(2), "{kind}: {typed}");
    }
}

#[test]
fn special_state_files_block_nothing() {
    let names = ["journal.jsonl", "overview.json", "stats.json", "origin.json", "owner"];
    for name in names.into_iter().chain(["messages.jsonl"]) {
        let env = failing_project();
        assert_eq!(forkhestra(&env, &["worker"]).code, Some(1));
        let path = run_directory(&env).join(name);
        let id = crate::support::run_id(&env);
        if path.exists() {
            fs::remove_file(&path).expect("it is ours");
        }
        pipe(&path);
        for args in [
            &["runs"][..],
            &["stats"],
            &["show", &id],
            &["logs", &id],
            &["events", &id],
            &["resume", &id],
        ] {
            let _ = ends(&env, args);
        }
        let _ = ends(&env, &["doctor"]);
    }
}

#[test]
fn special_settings_of_agents_block_nothing() {
    let env = TestEnv::new();
    env.install("claude").install("codex").install("gemini").install("opencode");
    for path in [".claude/settings.json", ".codex/config.toml", ".gemini/settings.json"] {
        for place in [env.home(), env.project()] {
            let path = place.join(path);
            fs::create_dir_all(path.parent().expect("it has one")).expect("it is ours");
            pipe(&path);
        }
    }
    assert_eq!(ends(&env, &["builder", "--max-cost", "1", "--dry-run"]).code, Some(0));
    let _ = ends(&env, &["doctor"]);
}

/// The positions of all chains were counted from the start of their line, which here is the whole file.
#[test]
fn a_config_with_many_chains_in_one_line_is_read() {
    let env = TestEnv::new();
    env.agent("worker", "true");
    let chain =
        |number: usize| format!(r#""chain-{number}": {{ "steps": [{{ "agent": "worker" }}] }}"#);
    let chains: Vec<String> = (0..20_000).map(chain).collect();
    let filler = "-".repeat(40 << 20);
    let config = format!(r#"/*{filler}*/ {{ "chains": {{ {} }} }}"#, chains.join(", "));
    env.write("forge/orch/chains.json", config);
    let listed = ends(&env, &["list"]);
    assert_eq!(listed.code, Some(0), "{}", listed.stderr);
    assert!(listed.stdout.contains("chain-19999"));
    assert_eq!(ends(&env, &["--chain", "chain-19999", "--dry-run"]).code, Some(0));
}
