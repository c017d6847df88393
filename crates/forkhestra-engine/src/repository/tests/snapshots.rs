//! Tests of snapshots of work trees.

use std::fs;
use std::process::Command;

use forkhestra_core::event::WorkTreeSnapshot;
use forkhestra_core::id::RunId;

use crate::forget_snapshots;
use crate::repository::{DiffText, SnapshotLocation, SnapshotReader};
use crate::test_project::{RUN, TestProject, git, inherited, keep};
use crate::work_tree::query::WorkTreeQuery;

fn take_snapshot(project: &mut TestProject, number: u32) -> WorkTreeSnapshot {
    let seen = project.observe(&keep(number));
    assert_eq!(seen.notices, [""; 0]);
    seen.snapshot.expect("it is kept")
}

fn refs(project: &TestProject) -> Vec<String> {
    let listed = project.git(&["for-each-ref", "--format=%(refname)", "refs/forkhestra"]);
    listed.lines().map(str::to_owned).collect()
}

#[test]
fn destroyed_files_can_be_restored() {
    let mut project = TestProject::kept_repository();
    project.write("never committed.txt", "precious").write(".gitignore", "ignored\n");
    project.write("ignored", "x").write(".agent-state/x", "ours").write("state of runs/x", "ours");
    let snapshot = take_snapshot(&mut project, 0);
    project.remove("never committed.txt");
    project.git(&["reset", "--quiet", "--hard"]);
    let name = format!("refs/forkhestra/{RUN}/0");
    assert_eq!(project.git(&["rev-parse", &name]).trim(), snapshot.commit);
    let listed = project.git(&["ls-tree", "-r", "--name-only", &name]);
    assert_eq!(listed, ".gitignore\na.txt\nnever committed.txt\n");
    project.git(&["restore", "--source", &name, "never committed.txt"]);
    let text = fs::read_to_string(project.work.join("never committed.txt"));
    assert_eq!(text.expect("it is back"), "precious");
}

#[test]
fn the_backup_has_what_is_new_since_the_run_began_and_nothing_else() {
    let mut project = TestProject::kept_repository();
    let backup = project.beside("run/kept/snapshots.git");
    let copied = |name: &str| {
        let mut show = Command::new("git");
        show.arg("--git-dir").arg(&backup).args(["show", name]);
        let output = show.output().expect("git is there");
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let of = |number: u32, path: &str| copied(&format!("refs/forkhestra/{RUN}/{number}:{path}"));
    // Nothing is new yet.
    take_snapshot(&mut project, 0);
    assert_eq!(of(0, "a.txt"), None);
    project.write("b/new.txt", "new");
    take_snapshot(&mut project, 1);
    assert_eq!(of(1, "b/new.txt").as_deref(), Some("new"));
    assert_eq!(of(1, "a.txt"), None, "it was committed before");
    // What an agent commits is new as well. The run continues in another process.
    project.commit();
    project.work_in("", Some(RUN));
    project.write("a.txt", "changed").commit();
    take_snapshot(&mut project, 2);
    assert_eq!(of(2, "a.txt").as_deref(), Some("changed"));
    assert_eq!(of(2, "b/new.txt").as_deref(), Some("new"));
}

#[test]
fn a_file_that_becomes_a_secret_leaves_the_snapshots() {
    let mut project = TestProject::kept_repository();
    project.write("notes.txt", "harmless").write("tls.key", "x");
    let listed = |project: &TestProject, number: u32| {
        let name = format!("refs/forkhestra/{RUN}/{number}");
        project.git(&["ls-tree", "-r", "--name-only", &name])
    };
    let seen = project.observe(&keep(0));
    let notice = "files are left out of snapshots, because they look like secrets: tls.key";
    assert_eq!(seen.notices, [notice]);
    assert_eq!(listed(&project, 0), "a.txt\nnotes.txt\n");
    project.write("notes.txt", "-----BEGIN PRIVATE KEY-----\n");
    let seen = project.observe(&keep(1));
    assert_eq!(seen.notices, [notice.replace("tls.key", "notes.txt")]);
    assert_eq!(listed(&project, 1), "a.txt\n");
    // A change of a file that is left out is a change of the work tree.
    let before = seen.tree.expect("it can be seen");
    project.write("tls.key", "another key");
    assert_ne!(project.observe(&keep(2)).tree, Some(before));
    // What is in the index of the user is no secret.
    project.git(&["add", "tls.key"]);
    take_snapshot(&mut project, 2);
    assert_eq!(listed(&project, 2), "a.txt\ntls.key\n");
}

#[test]
fn a_snapshot_says_where_in_the_run_it_was_taken() {
    let mut project = TestProject::kept_repository();
    let snapshot = take_snapshot(&mut project, 0);
    let format = "--format=%an <%ae>%n%cn <%ce>%n%s%n%P";
    let output = project.git(&["log", "-1", format, &snapshot.commit]);
    let head = project.git(&["rev-parse", "HEAD"]);
    let expected = format!(
        "forkhestra <forkhestra@localhost>\nforkhestra <forkhestra@localhost>\n\
         forkhestra run {RUN}: after step 1, iteration 0, attempt 1\n{head}"
    );
    assert_eq!(output, expected);
}

#[test]
fn the_same_tree_is_kept_once() {
    let mut project = TestProject::kept_repository();
    let first = take_snapshot(&mut project, 0);
    assert_eq!(take_snapshot(&mut project, 1), first);
    project.write("a.txt", "b");
    let second = take_snapshot(&mut project, 1);
    assert_eq!((second.number, refs(&project).len()), (1, 2));
    // The run continues in another process.
    project.work_in("", Some(RUN));
    assert_eq!(take_snapshot(&mut project, 2), second);
}

#[test]
fn a_repository_without_a_commit_is_kept_as_well() {
    let mut project = TestProject::new();
    project.git(&["init", "--quiet"]);
    project.work_in("", Some(RUN));
    project.write("a.txt", "a");
    let snapshot = take_snapshot(&mut project, 0);
    assert_eq!(project.git(&["log", "--format=%P", &snapshot.commit]), "\n");
    assert_eq!(project.git(&["show", &format!("{}:a.txt", snapshot.commit)]), "a");
}

#[test]
fn snapshots_are_hidden_from_ordinary_git_commands() {
    let mut project = TestProject::kept_repository();
    let remote = project.beside("remote.git");
    let path = remote.to_str().expect("it is a text");
    git(&project.work, &["init", "--quiet", "--bare", path]);
    project.git(&["remote", "add", "origin", path]);
    let trace = project.hook("reference-transaction");
    let index = fs::read(project.work.join(".git/index")).expect("it is there");
    project.write("new.txt", "new");
    let branches = project.git(&["branch", "--all"]);
    take_snapshot(&mut project, 0);
    assert!(!trace.exists(), "no hook was run");
    assert_eq!(fs::read(project.work.join(".git/index")).expect("it is there"), index);
    assert_eq!(project.git(&["branch", "--all"]), branches);
    assert_eq!(project.git(&["stash", "list"]), "");
    project.git(&["push", "--quiet", "--set-upstream", "origin", "HEAD"]);
    let pushed = git(&remote, &["for-each-ref", "--format=%(refname)"]);
    assert!(pushed.lines().all(|name| name.starts_with("refs/heads/")), "{pushed}");
}

#[test]
fn snapshots_of_one_run_are_removed_and_no_others() {
    let mut project = TestProject::kept_repository();
    take_snapshot(&mut project, 0);
    project.write("a.txt", "b");
    take_snapshot(&mut project, 1);
    project.work_in("", Some("other000"));
    take_snapshot(&mut project, 0);
    let kept = forget_snapshots(&project.work, RUN, &inherited()).expect("git answers");
    assert_eq!((refs(&project), kept), (vec!["refs/forkhestra/other000/0".to_owned()], vec![]));
    forget_snapshots(&project.work, RUN, &inherited()).expect("there is nothing left to do");
}

#[test]
fn without_a_repository_there_are_no_snapshots_to_remove() {
    let project = TestProject::new();
    forget_snapshots(&project.work, RUN, &inherited()).expect("it is no repository");
    forget_snapshots(&project.beside("gone"), RUN, &inherited()).expect("it is gone");
    let refused = forget_snapshots(&project.work, "../heads", &inherited());
    assert!(refused.expect_err("it is no run").starts_with("`../heads` is not the id of a run"));
}

#[test]
fn a_failed_snapshot_is_only_a_notice() {
    let project = TestProject::repository();
    let fails = "case $* in *commit-tree*) echo fatal: full >&2; exit 128;; esac";
    let mut project =
        project.with_git(&format!("{fails}; PATH=/usr/local/bin:/usr/bin:/bin exec git \"$@\""));
    let wanted = WorkTreeQuery { work: false, ..keep(0) };
    project.keep_as(RUN);
    let seen = project.observe(&wanted);
    let notice = "the work tree is not kept: git commit-tree failed (exit 128): fatal: full";
    assert_eq!((seen.snapshot, seen.notices), (None, vec![notice.to_owned()]));
    assert!(seen.tree.is_some() && seen.signals.is_some());
}

#[test]
fn a_transient_failure_of_git_turns_no_withheld_file_into_work() {
    let project = TestProject::repository();
    project.write(".env", "TOKEN=x");
    let fail = project.beside("fail");
    // Only objects in the repository cannot be written.
    let script = format!(
        "case $*:$GIT_OBJECT_DIRECTORY in *write-tree*:) test ! -e '{}' || exit 128;; esac
         PATH=/usr/local/bin:/usr/bin:/bin exec git \"$@\"",
        fail.display()
    );
    let mut project = project.with_git(&script);
    project.keep_as(RUN);
    let query = WorkTreeQuery { uncommitted: true, ..keep(0) };
    let seen = project.observe(&WorkTreeQuery { begins: true, ..query.clone() });
    assert!(seen.snapshot.is_some(), "{:?}", seen.notices);
    project.write("a.txt", "changed").write("fail", "");
    fs::rename(project.work.join("fail"), &fail).expect("it is ours");
    let seen = project.observe(&query);
    assert!(seen.notices[0].starts_with("the work tree is not kept: "), "{:?}", seen.notices);
    assert_eq!(seen.uncommitted.expect("it was requested").listed, ["a.txt"]);
    fs::remove_file(&fail).expect("it is ours");
    let seen = project.observe(&WorkTreeQuery { uncommitted: true, ..keep(1) });
    assert_eq!(seen.snapshot.expect("it is tried again").number, 1);
    assert_eq!(seen.uncommitted.expect("it was requested").listed, ["a.txt"]);
}

#[test]
fn a_diff_is_a_text_of_limited_size_and_runs_no_command_of_a_setting() {
    let mut project = TestProject::kept_repository();
    let old = take_snapshot(&mut project, 0);
    project.write("b.txt", "one\n\u{1b}[2Jtwo\n").write("evil.sh", "#!/bin/sh\ntouch ran\n");
    for (setting, value) in [
        ("diff.external", "sh evil.sh"),
        ("diff.evil.textconv", "sh evil.sh"),
        ("color.diff", "always"),
        ("core.pager", "sh evil.sh"),
    ] {
        project.git(&["config", setting, value]);
    }
    project.write(".git/info/attributes", "* diff=evil\n");
    let new = take_snapshot(&mut project, 1);
    let (run, kept) = (RunId::parse(RUN).expect("it is an id"), project.beside("run/kept"));
    let environment = inherited();
    let reader = SnapshotReader::open(SnapshotLocation {
        run: &run,
        directory: &project.work,
        persistent_directory: &kept,
        environment: &environment,
    });
    let reader = reader.expect("it is a repository");
    let trees = [&old, &new].map(|snapshot| reader.tree(snapshot).expect("it is there"));
    project.git(&["config", "diff.orderFile", "/nonexistent"]);
    let diff = |from: &str, to: &str, max_bytes| {
        reader.diff_text(from, to, max_bytes).expect("git answers")
    };
    let whole = diff(&trees[0], &trees[1], 1 << 20);
    let text = String::from_utf8_lossy(&whole.bytes).into_owned();
    assert!(text.contains("+++ b/b.txt\n@@ -0,0 +1,2 @@\n+one\n+\u{1b}[2Jtwo\n"), "{text}");
    assert!(!whole.is_cut && !project.work.join("ran").exists());
    let start = DiffText { bytes: whole.bytes[..20].to_vec(), is_cut: true };
    assert_eq!(diff(&trees[0], &trees[1], 20), start);
    assert_eq!(diff(&trees[0], &trees[1], whole.bytes.len()), whole);
    assert_eq!(diff(&trees[1], &trees[1], 20), DiffText::default());
}
