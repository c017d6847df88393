//! State directories, locks and journals that another user made, or that other users can change.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;

use rustix::fs::{CWD, FileType, Mode, mknodat};
use testkit::TestEnv;

use super::{failing_project, give_away, refused, state, tree, worked};
use crate::support::{forkhestra, run_directory, run_id};

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).expect("it is ours");
}

#[test]
fn a_state_directory_of_another_user_is_refused() {
    let env = failing_project();
    let directory = env.project().join("state");
    fs::create_dir(&directory).expect("it is ours");
    if !give_away(&directory) {
        return;
    }
    refused(&env, &["worker", "--state-dir", "state"], "it belongs to user 65534");
    refused(&env, &["worker", "--state-dir", "state", "--no-lock"], "it belongs to user 65534");
    assert_eq!(fs::read_dir(&directory).expect("it is there").count(), 0);
}

#[test]
fn a_state_directory_that_others_can_write_to_is_refused() {
    let env = failing_project();
    env.write("enough", "");
    let directory = env.project().join("state");
    fs::create_dir(&directory).expect("it is ours");
    let made = fs::metadata(&directory).expect("it is ours");
    // A group that has the number of the user is that of one user.
    let is_private = made.uid() == made.gid() && made.uid() != 0;
    for mode in [0o777, 0o757, 0o775].into_iter().take(if is_private { 2 } else { 3 }) {
        set_mode(&directory, mode);
        let message = format!("other users can write to it (mode {mode:o})");
        refused(&env, &["worker", "--state-dir", "state"], &message);
        refused(&env, &["worker", "--state-dir", "state", "--no-lock"], "chmod go-w");
    }
    assert_eq!(fs::read_dir(&directory).expect("it is there").count(), 0);
    // As in `/tmp`, only the owner of an entry can replace it.
    set_mode(&directory, 0o1777);
    assert_eq!(forkhestra(&env, &["worker", "--state-dir", "state"]).code, Some(0));
}

#[test]
fn a_link_of_another_user_is_no_state_directory() {
    let env = failing_project();
    fs::create_dir(env.project().join("real")).expect("it is ours");
    let link = env.project().join("state");
    symlink("real", &link).expect("it is ours");
    if !give_away(&link) {
        return;
    }
    refused(&env, &["worker", "--state-dir", "state"], "is a symbolic link");
    assert_eq!(fs::read_dir(env.project().join("real")).expect("it is there").count(), 0);
}

#[test]
fn a_linked_lock_empties_no_file() {
    let env = failing_project();
    forkhestra(&env, &["worker"]).failure_of_agent();
    let (lock, victim) = (tree(&env).join("lock"), env.project().join("victim"));
    env.write("victim", "precious");
    let place: [(&dyn Fn(), &str); 3] = [
        (&|| symlink(&victim, &lock).expect("it is ours"), "is a symbolic link"),
        (&|| fs::hard_link(&victim, &lock).expect("it is ours"), "it has 2 names"),
        (&|| pipe(&lock), "it is a named pipe, not a regular file"),
    ];
    for (make, message) in place {
        fs::remove_file(&lock).expect("it is ours");
        make();
        refused(&env, &["worker"], message);
        assert_eq!(env.read("victim"), "precious");
    }
}

#[test]
fn a_lock_of_another_user_is_refused() {
    let env = failing_project();
    forkhestra(&env, &["worker"]).failure_of_agent();
    if give_away(&tree(&env).join("lock")) {
        refused(&env, &["worker"], "it belongs to user 65534");
    }
}

#[test]
fn a_work_tree_directory_that_is_not_ours_alone_is_refused() {
    let env = failing_project();
    forkhestra(&env, &["worker"]).failure_of_agent();
    let (tree, moved) = (tree(&env), state(&env).join("moved"));
    set_mode(&tree, 0o777);
    refused(&env, &["worker"], "other users can write to it");
    refused(&env, &["resume"], "other users can write to it");
    set_mode(&tree, 0o700);
    fs::rename(&tree, &moved).expect("it is ours");
    symlink(&moved, &tree).expect("it is ours");
    refused(&env, &["worker"], "is a symbolic link, which is not followed");
    refused(&env, &["resume"], "is a symbolic link, which is not followed");
}

#[test]
fn a_run_of_another_user_is_read_but_not_resumed() {
    let env = failing_project();
    forkhestra(&env, &["worker"]).failure_of_agent();
    let (run, id) = (run_directory(&env), run_id(&env));
    for path in [run.join("journal.jsonl"), run.clone()] {
        if !give_away(&path) {
            return;
        }
        refused(&env, &["resume"], "it belongs to user 65534");
        refused(&env, &["resume", &id], "it belongs to user 65534");
        refused(&env, &["resume", run.to_str().expect("it is text")], "it belongs to user 65534");
        refused(&env, &["runs", "rm", &id], "it belongs to user 65534");
        let shown = forkhestra(&env, &["show", &id]).success();
        assert!(shown.contains("worker"), "{shown}");
        assert_eq!(forkhestra(&env, &["runs"]).code, Some(0));
        std::os::unix::fs::chown(&path, Some(0), Some(0)).expect("we are root");
    }
}

#[test]
fn a_linked_journal_is_not_resumed() {
    let env = failing_project();
    forkhestra(&env, &["worker"]).failure_of_agent();
    let journal = run_directory(&env).join("journal.jsonl");
    let elsewhere = env.project().join("journal.jsonl");
    fs::rename(&journal, &elsewhere).expect("it is ours");
    let before = fs::read(&elsewhere).expect("it is there");
    symlink(&elsewhere, &journal).expect("it is ours");
    refused(&env, &["resume"], "is a symbolic link, which is not followed");
    assert_eq!(fs::read(&elsewhere).expect("it is there"), before);
}

/// `cp -r` gives a directory what `git clone` would give it: other inodes, made now.
#[track_caller]
fn copy(env: &TestEnv, from: &str, to: &str) {
    let copied = env.run("/bin/cp", &["-r", from, to]);
    assert_eq!(copied.code, Some(0), "{copied}");
}

#[test]
fn a_run_that_came_with_a_clone_is_resumed_only_by_name() {
    let env = failing_project();
    let in_project = |args: &[&str]| {
        env.output_of(
            env.command(crate::FORKHESTRA).env("XDG_STATE_HOME", "/dev/null/x").args(args),
        )
    };
    in_project(&["worker"]).failure_of_agent();
    let id = run_id(&env);
    assert_eq!(in_project(&["resume"]).code, Some(1), "its own work tree may resume it");
    copy(&env, ".agent-state", "clone");
    fs::remove_dir_all(env.project().join(".agent-state")).expect("it is ours");
    fs::rename(env.project().join("clone"), env.project().join(".agent-state")).expect("ours");
    let before = worked(&env);
    for origin in ["as it was", "removed"] {
        if origin == "removed" {
            fs::remove_file(run_directory(&env).join("origin.json")).expect("it is there");
        }
        let refused = in_project(&["resume"]);
        assert_eq!((refused.code, worked(&env)), (Some(2), before), "{origin}: {refused}");
        let hint = format!("run {id} is stored here, but was not begun in this work tree");
        assert!(refused.stderr.contains(&hint), "{origin}: {refused}");
    }
    env.write("enough", "");
    let resumed = in_project(&["resume", &id]);
    assert_eq!((resumed.code, worked(&env)), (Some(0), before + 1), "{resumed}");
    assert!(
        resumed
            .stderr
            .contains("was not begun in this work tree; it is resumed because you named it")
    );
}

#[test]
fn a_run_of_another_work_tree_at_the_same_path_is_resumed_only_by_name() {
    let env = failing_project();
    let shop = env.project().join("shop");
    fs::create_dir(&shop).expect("it is ours");
    let run = |args: &[&str]| forkhestra(&env, &[args, &["--cwd", "shop"]].concat());
    run(&["worker"]).failure_of_agent();
    assert_eq!(run(&["resume"]).code, Some(1), "its own work tree may resume it");
    // A directory that is only renamed meanwhile stays the same.
    fs::rename(&shop, env.project().join("aside")).expect("it is ours");
    fs::rename(env.project().join("aside"), &shop).expect("it is ours");
    assert_eq!(run(&["resume"]).code, Some(1));
    fs::rename(&shop, env.project().join("other")).expect("it is ours");
    fs::create_dir(&shop).expect("it is ours");
    let refused = run(&["resume"]);
    assert_eq!((refused.code, env.has("shop/worked")), (Some(2), false), "{refused}");
    assert!(refused.stderr.contains("was not begun in this work tree"), "{refused}");
    let resumed = run(&["resume", &run_id(&env)]);
    assert_eq!((resumed.code, env.has("shop/worked")), (Some(1), true), "{resumed}");
    assert!(resumed.stderr.contains("it is resumed because you named it"), "{resumed}");
    // From now on it belongs to the new directory.
    let again = run(&["resume"]);
    assert_eq!((again.code, env.read("shop/worked").lines().count()), (Some(1), 2), "{again}");
}

/// The agent removes the lock and starts a second run in the same work tree.
#[test]
fn a_removed_lock_does_not_let_a_second_run_start() {
    let env = failing_project();
    env.write("enough", "");
    let script = format!(
        "rm ~/.local/state/forkhestra/*/lock\n{} worker > second 2>&1\necho $? >> second",
        crate::FORKHESTRA
    );
    env.agent("first", &script);
    assert_eq!(forkhestra(&env, &["first"]).code, Some(0));
    let second = env.read("second");
    assert!(second.contains("error: the work tree is in use by run "), "{second}");
    assert_eq!((second.lines().last(), worked(&env)), (Some("2"), 0));
}

fn pipe(path: &Path) {
    mknodat(CWD, path, FileType::Fifo, Mode::RWXU, 0).expect("it is ours");
}

trait AgentFailure {
    fn failure_of_agent(self);
}

impl AgentFailure for testkit::CommandOutput {
    #[track_caller]
    fn failure_of_agent(self) {
        assert_eq!(self.code, Some(1), "{self}");
    }
}
