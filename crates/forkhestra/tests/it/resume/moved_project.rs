//! Projects that were moved before a resume.

use std::fs;
use std::path::{Path, PathBuf};

use insta::assert_snapshot;
use testkit::TestEnv;

use crate::support::agents_at_work::{events, id, journal, only_run, run};
use crate::support::run_in_progress::{RunInProgress, WAIT_FOR_GO};

/// A failed run inside the project `old`. Its agent prints its directory, and fails until a file
/// `enough` exists.
fn failed(options: &[&str]) -> TestEnv {
    let env = TestEnv::new();
    env.agent_file("old/agent.sh", "pwd >> worked\n[ -e enough ]");
    let args = [&["./agent.sh", "--cwd", "old"], options].concat();
    assert_eq!(run(&env, &args).code, Some(1));
    env
}

fn move_project(env: &TestEnv) {
    fs::rename(env.project().join("old"), env.project().join("new")).expect("it is ours");
}

fn tree_of(run: &Path) -> PathBuf {
    run.parent().expect("it is in a work tree").to_owned()
}

#[test]
fn a_run_resumes_in_the_moved_project() {
    let env = failed(&[]);
    let before = only_run(&env);
    move_project(&env);
    assert_snapshot!(run(&env, &["resume", id(&before)]).failure(2), @"
    error: the working directory `$TEST/project/old` does not exist
    hint: if the project was moved: forkhestra resume [id] --cwd NEW
    ");
    env.write("new/enough", "");
    assert_snapshot!(run(&env, &["resume", id(&before), "--cwd", "new", "--quiet"]), @"
    [forkhestra] Chain complete (1/1 steps)
    ------- stderr -------
    warning: the run was begun in $TEST/project/old, which does not exist any more; it continues in $TEST/project/new
    ");
    assert_eq!(env.read("new/worked"), "$TEST/project/old\n$TEST/project/new\n");
    let resumed = events(&env, "run_resumed");
    let new = env.project().join("new").canonicalize().expect("it is there");
    assert_eq!(resumed[0]["workingDirectory"].as_str(), new.to_str());
    assert!(!before.exists());
    assert_ne!(tree_of(&only_run(&env)), tree_of(&before));
}

/// From then on the run belongs to the new directory.
#[test]
fn a_moved_run_is_found_without_its_id() {
    let env = failed(&[]);
    move_project(&env);
    let id = id(&only_run(&env)).to_owned();
    assert_eq!(run(&env, &["resume", &id, "--cwd", "new"]).code, Some(1));
    assert_eq!(run(&env, &["resume", "--cwd", "new"]).code, Some(1));
    env.write("new/enough", "");
    assert_eq!(run(&env, &["resume", "--cwd", "new"]).code, Some(0));
    let moves = events(&env, "run_resumed");
    let moves = moves.iter().filter(|event| !event["workingDirectory"].is_null()).count();
    assert_eq!((moves, env.read("new/worked").lines().count()), (1, 4));
}

#[test]
fn resume_in_a_moved_project_hints_at_its_run() {
    let env = failed(&[]);
    move_project(&env);
    assert_snapshot!(run(&env, &["resume", "--cwd", "new"]).failure(2), @"
    error: there is nothing to resume here
    hint: runs are found from the work tree that they ran in, or by their id
    hint: run [id] was begun in $TEST/project/old, which does not exist any more; if this is that project: forkhestra resume [id] --cwd new
    ");
}

#[test]
fn a_run_stays_with_an_existing_project() {
    let env = failed(&[]);
    env.write("old/enough", "").write("other/keep", "");
    let before = only_run(&env);
    assert_eq!(run(&env, &["resume", id(&before), "--cwd", "other"]).code, Some(0));
    assert_eq!((only_run(&env), env.has("other/worked")), (before, false));
    assert_eq!(env.read("old/worked").lines().count(), 2);
}

#[test]
fn a_work_tree_in_use_is_refused_and_nothing_is_moved() {
    let env = failed(&[]);
    move_project(&env);
    env.agent("other", &format!("echo ready\n{WAIT_FOR_GO}"));
    let before = only_run(&env);
    let mut other = RunInProgress::start(&env, &["other", "--cwd", "new"], "ready\n");
    let message = run(&env, &["resume", id(&before), "--cwd", "new"]).failure(2);
    assert!(message.contains("the work tree is in use by run"), "{message}");
    assert!(before.exists());
    assert_eq!(env.read("new/worked").lines().count(), 1);
    other.go_file("new/go");
    assert_eq!(other.release().1, Some(0));
}

/// The process was killed after the run directory had moved, and before the journal recorded it.
#[test]
fn an_interrupted_move_is_completed() {
    let env = failed(&[]);
    move_project(&env);
    let before = only_run(&env);
    let whole = fs::read(before.join("journal.jsonl")).expect("it is there");
    let id = id(&before).to_owned();
    assert_eq!(run(&env, &["resume", &id, "--cwd", "new"]).code, Some(1));
    fs::write(only_run(&env).join("journal.jsonl"), whole).expect("it is ours");
    let _ = fs::remove_file(only_run(&env).join("overview.json"));
    let there = only_run(&env);
    assert_snapshot!(run(&env, &["resume", "--cwd", "new/..", &id]).failure(2), @"error: step 1: `./agent.sh` does not exist");
    env.write("new/enough", "");
    assert_eq!(run(&env, &["resume", &id, "--cwd", "new"]).code, Some(0));
    assert_eq!(only_run(&env), there);
}

/// The run directory moves with the project.
#[test]
fn a_run_kept_in_its_project_resumes_after_a_move() {
    let env = failed(&["--state-dir", "state"]);
    move_project(&env);
    env.write("new/enough", "");
    let id = id(&only_run(&env)).to_owned();
    let args = ["resume", &id, "--cwd", "new", "--state-dir", "state", "--quiet"];
    assert_eq!(run(&env, &args).code, Some(0));
    assert_eq!(
        journal(&only_run(&env)).last().map(|line| line["event"].clone()),
        Some("run_finished".into())
    );
    assert_eq!(run(&env, &["resume", "--cwd", "new", "--state-dir", "state"]).code, Some(2));
}

/// The process that moved the run was killed before it released the lock of the old directory.
#[test]
fn a_moved_run_is_not_removed_as_leftover_of_its_old_place() {
    let env = TestEnv::new();
    env.agent_file(
        "old/agent.sh",
        &format!("[ -e enough ] || exit 1; echo working; {WAIT_FOR_GO}"),
    );
    assert_eq!(run(&env, &["./agent.sh", "--cwd", "old"]).code, Some(1));
    let before = only_run(&env);
    move_project(&env);
    env.write("new/enough", "");
    let mut moved =
        RunInProgress::start(&env, &["resume", id(&before), "--cwd", "new"], "working\n");
    moved.go_file("new/go");
    let owner =
        format!(r#"{{"pid":1,"run":"{}","since":"2026-11-15T12:00:00.000Z"}}"#, id(&before));
    fs::write(tree_of(&before).join("lock"), owner).expect("there is room");
    fs::create_dir(env.project().join("old")).expect("there is room");
    env.agent("other", "exit 0");
    assert_eq!(run(&env, &["other", "--cwd", "old"]).code, Some(0));
    let (output, code) = moved.release();
    assert_eq!(code, Some(0), "{output}");
}

#[test]
fn another_directory_for_a_project_that_has_not_moved_is_a_warning() {
    let env = failed(&[]);
    env.write("old/enough", "").write("elsewhere/file", "");
    let id = id(&only_run(&env)).to_owned();
    assert_snapshot!(run(&env, &["resume", &id, "--cwd", "elsewhere", "--quiet"]), @"
    [forkhestra] Chain complete (1/1 steps)
    ------- stderr -------
    warning: the run continues in $TEST/project/old, where it began
    hint: `--cwd` says where its project is only if that directory does not exist any more
    ");
    assert_eq!(env.read("old/worked").lines().count(), 2);
}
