//! State that cannot be written: one clear message, exit code 2, and nothing is lost.
//!
//! The file size limit of a shell behaves like a full disk.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::Path;

use testkit::{CommandOutput, TestEnv};

use crate::FORKHESTRA;
use crate::support::agents_at_work::{
    DONE, events, id, journal, only_run, run, runs, steady, without_hashes,
};

/// The minimum block size of `ulimit -f`; some shells use twice as much.
const BLOCK: usize = 512;

/// An unprivileged user.
const UNPRIVILEGED_USER: u32 = 65_534;

/// Runs `forkhestra` with a limit on the size of files.
fn on_a_small_disk(env: &TestEnv, blocks: usize, args: &[&str]) -> CommandOutput {
    let mut shell = env.command("/bin/dash");
    if !Path::new("/bin/dash").exists() {
        shell = env.command("/bin/sh");
    }
    let script = format!("ulimit -f {blocks} && trap '' XFSZ && exec \"$0\" \"$@\"");
    steady(env, &env.output_of(shell.args(["-c", &script, FORKHESTRA]).args(args)))
}

#[test]
fn a_disk_that_is_full_at_the_start_runs_nothing() {
    for blocks in [0, 1] {
        let env = TestEnv::new();
        env.agent("a", "touch started");
        let message = on_a_small_disk(&env, blocks, &["a"]).failure(2);
        assert!(message.starts_with("error: ") && message.contains("File too large"), "{message}");
        assert!(!env.has("started"), "{blocks}");
        let output = run(&env, &["a"]);
        assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""), "{output}");
    }
}

/// Space for an outcome is reserved before an agent is started, but a limit on the size of files
/// takes effect only on a write. So one outcome may be lost here, and nothing else.
#[test]
fn a_disk_that_fills_up_ends_the_run_and_nothing_recorded_runs_again() {
    let env = TestEnv::new();
    env.agent("a", &format!("echo $FORKHESTRA_ITERATION >> ran\n[ ! -e enough ] || {DONE}"));
    let output = on_a_small_disk(&env, 40, &["a:999", "--quiet"]);
    assert_eq!((output.code, output.stdout.as_str()), (Some(2), ""), "{output}");
    assert!(output.stderr.starts_with("error: the run cannot be recorded any more: "), "{output}");
    assert!(output.stderr.ends_with("to resume: forkhestra resume [id]\n"), "{output}");
    let finished = events(&env, "iteration_finished").len();
    assert!(finished > 3, "{output}");
    env.write("enough", "").write("ran", "");
    assert_eq!(run(&env, &["resume"]).code, Some(0));
    assert_eq!(env.read("ran"), format!("{}\n", finished + 1));
}

#[test]
fn a_full_disk_prevents_a_resume() {
    let env = TestEnv::new();
    env.agent("a", "echo again >> ran; exit 1");
    assert_eq!(run(&env, &["a"]).code, Some(1));
    let file = only_run(&env).join("journal.jsonl");
    let before = fs::read(&file).expect("it is there");
    let message = on_a_small_disk(&env, before.len() / BLOCK, &["resume"]).failure(2);
    assert!(message.starts_with("error: cannot write "), "{message}");
    assert!(message.ends_with("to resume: forkhestra resume [id]\n"), "{message}");
    assert_eq!(fs::read(&file).expect("it is there"), before);
    env.agent("a", "echo again >> ran");
    assert_eq!(run(&env, &["resume"]).code, Some(0));
    assert_eq!(env.read("ran"), "again\nagain\n");
}

/// A run of a failed step, cut off before its end. A padded line makes its journal long enough that
/// a resume fits on a disk of the returned number of blocks, but the end does not.
fn with_room_for_a_resume(env: &TestEnv) -> usize {
    env.agent("a", "echo again >> ran; exit 1");
    assert_eq!(run(env, &["a"]).code, Some(1));
    let directory = only_run(env);
    let file = directory.join("journal.jsonl");
    let whole = without_hashes(&fs::read_to_string(&file).expect("it is there"));
    let lines = whole.lines().count() - 1;
    let padded = |length: usize| {
        let kept: String = whole.split_inclusive('\n').take(lines).collect();
        let at = r#""at":"2026-11-15T09:00:00.000Z","elapsedMs":99,"event":"warning""#;
        format!("{kept}{{\"seq\":{lines},{at},\"message\":\"{}\"}}\n", "x".repeat(length))
    };
    fs::write(&file, padded(0)).expect("it is ours");
    let _ = fs::remove_file(directory.join("overview.json"));
    assert_eq!(run(env, &["resume"]).code, Some(1));
    let resumed = fs::read_to_string(&file).expect("it is there");
    let resume = resumed.lines().nth(lines + 1).map_or(0, |line| line.len() + 1);
    let end = resumed.lines().nth(lines + 2).map_or(0, |line| line.len() + 1);
    // Half of the last line does not fit, which is more than the length of timestamps and numbers
    // can vary.
    let needed = padded(0).len() + resume + end / 2;
    let blocks = needed / BLOCK + 1;
    fs::write(&file, padded(blocks * BLOCK - needed)).expect("it is ours");
    let _ = fs::remove_file(directory.join("overview.json"));
    blocks
}

#[test]
fn a_disk_that_is_full_exactly_when_the_run_ends_loses_nothing() {
    let env = TestEnv::new();
    let blocks = with_room_for_a_resume(&env);
    let output = on_a_small_disk(&env, blocks, &["resume"]);
    assert_eq!(output.code, Some(2), "{output}");
    assert!(output.stderr.starts_with("error: the run cannot be recorded any more: "), "{output}");
    let last = |env: &TestEnv| journal(&only_run(env)).last().map(|line| line["event"].clone());
    assert_eq!(last(&env), Some("run_resumed".into()), "{output}");
    assert_eq!(run(&env, &["resume"]).code, Some(1));
    assert_eq!(last(&env), Some("run_finished".into()));
    assert_eq!(env.read("ran"), "again\n", "a step that had ended is not run again");
}

/// Gives everything below a directory to a user.
fn change_owner(path: &Path, uid: u32) {
    let metadata = fs::symlink_metadata(path).expect("it is there");
    if metadata.is_symlink() {
        return;
    }
    chown(path, Some(uid), Some(uid)).expect("root may do this");
    if metadata.is_dir() {
        for entry in fs::read_dir(path).expect("it is there") {
            change_owner(&entry.expect("it is there").path(), uid);
        }
    }
}

/// Runs `forkhestra` as an unprivileged user.
fn as_unprivileged_user(env: &TestEnv, args: &[&str]) -> CommandOutput {
    let is_root = fs::metadata(env.project()).is_ok_and(|ours| ours.uid() == 0);
    if !is_root {
        return run(env, args);
    }
    let program = env.root().join("forkhestra");
    testkit::copy_executable(Path::new(FORKHESTRA), &program);
    change_owner(env.root(), UNPRIVILEGED_USER);
    let mut command = env.command(&program);
    steady(env, &env.output_of(command.args(args).uid(UNPRIVILEGED_USER).gid(UNPRIVILEGED_USER)))
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("it is ours");
}

#[test]
fn read_only_state_is_not_resumed() {
    for read_only in ["journal", "run", "tree"] {
        let env = TestEnv::new();
        env.agent("a", "touch again; exit 1");
        assert_eq!(run(&env, &["a"]).code, Some(1));
        fs::remove_file(env.project().join("again")).expect("it has run");
        let directory = only_run(&env);
        let tree = directory.parent().expect("it is in a work tree").to_owned();
        let (path, usual, name) = match read_only {
            "journal" => (directory.join("journal.jsonl"), 0o600, id(&directory)),
            "run" => (directory.clone(), 0o700, id(&directory)),
            _ => (tree.join("lock"), 0o600, id(&directory)),
        };
        set_mode(&path, usual & 0o555);
        let message = as_unprivileged_user(&env, &["resume", name]).failure(2);
        assert_eq!(message.matches("error: ").count(), 1, "{message}");
        assert!(message.contains("Permission denied"), "{read_only}: {message}");
        assert!(!env.has("again"), "{read_only}");
        set_mode(&path, usual);
        env.agent("a", "touch again");
        change_owner(env.root(), rustix::process::geteuid().as_raw());
        assert_eq!(run(&env, &["resume"]).code, Some(0), "{read_only}");
    }
}

#[test]
fn a_read_only_state_directory_is_not_used() {
    let env = TestEnv::new();
    env.agent("a", "touch started");
    env.write("state/keep", "");
    set_mode(&env.project().join("state"), 0o500);
    let message = as_unprivileged_user(&env, &["a", "--state-dir", "state"]).failure(2);
    assert!(
        message.starts_with("error: the state directory `state` cannot be used: "),
        "{message}"
    );
    assert_eq!((env.has("started"), runs(&env).len()), (false, 0));
}
