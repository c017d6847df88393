//! `forkhestra rewind`.

use std::fs;

use testkit::TestEnv;

use super::finished_run::finished_run;
use crate::support::{DONE, forkhestra, git, repository, run_id};

/// Files, staged entries and commit of a project.
fn state(env: &TestEnv) -> String {
    let names = git(env, "ls-files --cached --others --exclude-standard");
    let content = |name: &str| fs::read_to_string(env.project().join(name)).unwrap_or_default();
    let files: String = names.lines().map(|name| format!("{name}\n{}", content(name))).collect();
    let index = git(env, "ls-files --stage -v");
    files + &index + &git(env, "rev-parse HEAD") + &git(env, "status --porcelain")
}

fn rewind(env: &TestEnv, args: &[&str]) -> testkit::CommandOutput {
    forkhestra(env, &[&["rewind"], args].concat())
}

#[track_caller]
fn refused(env: &TestEnv, args: &[&str], expected: &str) {
    let before = state(env);
    let output = rewind(env, args);
    assert_eq!(output.code, Some(2), "{args:?}: {output}");
    assert!(output.stderr.contains(expected), "{args:?}: {output}");
    assert_eq!(state(env), before, "{args:?}");
}

#[test]
fn files_and_branch_go_back_and_forth() {
    let env = finished_run();
    let run = run_id(&env);
    let before = state(&env);
    let output = rewind(&env, &["--to", "1"]);
    assert_eq!(output.code, Some(0), "{output}");
    let lines: Vec<&str> = output.stdout.lines().collect();
    assert!(
        lines[0].starts_with(&format!(
            "Rewound to the end of iteration 1 of run {run}: 2 files changed, `main` moved from "
        )),
        "{output}"
    );
    assert!(lines[1].contains(&format!("refs/forkhestra/{run}/before-rewind/1")), "{output}");
    assert!(lines[1].ends_with(&format!("forkhestra rewind {run} --undo")), "{output}");
    assert_eq!((env.read("log.txt"), env.has("d/new")), ("line 1\n".to_owned(), false));
    assert_eq!(git(&env, "log --format=%s"), "begin\n");
    assert_eq!(git(&env, "status --porcelain"), "?? log.txt\n?? n\n");
    assert!(git(&env, "reflog -1").contains(&format!("forkhestra: rewind {run} to 1")));
    // From there to another state, in both directions.
    assert_eq!(rewind(&env, &["--to", "3"]).code, Some(0));
    assert_eq!(env.read("log.txt"), "line 1\nline 2\nline 3\n");
    assert_eq!(git(&env, "log --format=%s"), "second\nbegin\n");
    let shown = forkhestra(&env, &["show", "-v"]).stdout;
    assert_eq!(shown.matches("\n  rewound ").count(), 2, "{shown}");
    for _ in 0..2 {
        assert_eq!(rewind(&env, &["--undo"]).code, Some(0));
    }
    assert_eq!(state(&env), before);
    refused(&env, &["--undo"], "has no rewind that could be undone");
}

#[test]
fn undone_rewinds_do_not_prevent_another_one() {
    let env = finished_run();
    let before = state(&env);
    for args in [&["--to", "2"][..], &["--to", "1"], &["--undo"], &["--undo"]] {
        let output = rewind(&env, args);
        assert_eq!(output.code, Some(0), "{args:?}: {output}");
    }
    assert_eq!(state(&env), before);
    let output = rewind(&env, &["--to", "2"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(rewind(&env, &["--undo"]).code, Some(0));
    // A state that the second rewind took with `--force` is the one that its undo left.
    env.write("log.txt", "mine\n");
    assert_eq!(rewind(&env, &["--to", "1", "--force"]).code, Some(0));
    assert_eq!(rewind(&env, &["--undo"]).code, Some(0));
    assert_eq!(env.read("log.txt"), "mine\n");
    let output = rewind(&env, &["--to", "2"]);
    assert_eq!(output.code, Some(0), "{output}");
}

#[test]
fn nothing_is_changed_if_nothing_has_to_be() {
    let env = finished_run();
    let output = rewind(&env, &["--to", "5"]);
    assert_eq!(output.code, Some(0));
    assert!(output.stdout.contains("nothing to do"), "{output}");
    assert_eq!(git(&env, "for-each-ref 'refs/forkhestra/*/before-rewind/*'"), "");
}

#[test]
fn a_dry_run_changes_nothing() {
    let env = finished_run();
    let before = state(&env);
    let output = rewind(&env, &["--to", "3", "--dry-run"]);
    assert_eq!(output.code, Some(0), "{output}");
    let files: Vec<&str> = output.stdout.lines().skip(1).collect();
    assert_eq!(files, ["  + d/new", "  ~ log.txt", "  ~ n"]);
    assert_eq!(state(&env), before);
    env.write("log.txt", "mine\n");
    let output = rewind(&env, &["--to", "3", "--dry-run"]);
    assert_eq!(output.code, Some(2), "{output}");
    assert!(output.stderr.contains("1 file was changed since the last snapshot"), "{output}");
}

#[test]
fn files_that_were_changed_since_are_saved_before_they_are_replaced() {
    let env = finished_run();
    let run = run_id(&env);
    env.write("log.txt", "mine\n").write("notes", "new\n");
    refused(
        &env,
        &["--to", "3"],
        "2 files were changed since the last snapshot of the run: log.txt, notes",
    );
    let before = state(&env);
    assert_eq!(rewind(&env, &["--to", "3", "--force"]).code, Some(0));
    assert_eq!(env.read("log.txt"), "line 1\nline 2\nline 3\n");
    assert!(!env.has("notes"));
    let saved = format!("refs/forkhestra/{run}/before-rewind/1");
    assert_eq!(git(&env, &format!("show {saved}:notes")), "new\n");
    assert_eq!(rewind(&env, &["--undo"]).code, Some(0));
    assert_eq!(state(&env), before);
}

#[test]
fn commits_of_others_stay_on_their_branch() {
    let env = finished_run();
    git(&env, "add --all");
    git(&env, "commit --quiet --message mine");
    refused(&env, &["--to", "1"], "has 1 commit since the last snapshot of the run: ");
    refused(&env, &["--to", "1", "--force"], "`forkhestra fork ");
    let head = git(&env, "rev-parse HEAD");
    assert_eq!(rewind(&env, &["--to", "1", "--files-only"]).code, Some(0));
    assert_eq!((git(&env, "rev-parse HEAD"), env.read("n")), (head, "1\n".to_owned()));
    assert_eq!(rewind(&env, &["--undo"]).code, Some(0));
    git(&env, "checkout --quiet -b other HEAD~2");
    git(&env, "commit --quiet --allow-empty --message elsewhere");
    refused(
        &env,
        &["--to", "1", "-f"],
        "`other` is checked out, but the snapshot was taken on branch `main`",
    );
}

#[test]
fn operations_of_git_are_not_disturbed() {
    let env = finished_run();
    let head = git(&env, "rev-parse HEAD");
    for (file, expected) in [
        ("MERGE_HEAD", "a merge is in progress"),
        ("CHERRY_PICK_HEAD", "a cherry-pick is in progress"),
        ("rebase-merge/done", "a rebase is in progress"),
    ] {
        env.write(&format!(".git/{file}"), &head);
        refused(&env, &["--to", "1"], expected);
        refused(&env, &["--to", "1", "--files-only", "--force"], expected);
        let path = env.project().join(".git").join(file);
        fs::remove_file(&path).expect("it is ours");
        let _ = fs::remove_dir(path.parent().expect("it is below"));
    }
}

#[test]
fn ignored_files_are_never_overwritten() {
    let env = repository();
    env.write(".git/info/exclude", ".agent-state\n");
    let agent = "if [ -e out/x ]; then rm -r out; echo FORKHESTRA_COMPLETE; else mkdir out; echo x > out/x; fi";
    env.agent("a", agent);
    assert_eq!(forkhestra(&env, &["a:3"]).code, Some(0));
    env.write(".git/info/exclude", ".agent-state\nout\n").write("out/x", "mine\n");
    refused(&env, &["--to", "1"], "untracked files would be lost: out/x");
    refused(&env, &["--to", "1", "--force"], "a rewind overwrites nothing");
    assert_eq!(env.read("out/x"), "mine\n");
    env.write("out/x", "x\n").write("file", "new\n");
    assert_eq!(rewind(&env, &["--to", "1", "--force"]).code, Some(0));
    assert_eq!(rewind(&env, &["--undo"]).code, Some(0));
    assert_eq!((env.read("out/x"), env.read("file")), ("x\n".to_owned(), "new\n".to_owned()));
}

#[test]
fn submodules_and_large_files_stay() {
    let env = repository();
    for program in ["sed", "basename", "uname"] {
        env.link_system_program(program);
    }
    git(&env, "init --quiet ../library");
    git(&env, "-C ../library commit --quiet --allow-empty --message one");
    git(&env, "-c protocol.file.allow=always submodule --quiet add ../library lib");
    git(&env, "commit --quiet --message 'add lib'");
    env.write(".git/info/exclude", ".agent-state\n");
    env.agent("a", &format!("git -C lib commit --quiet --allow-empty --message two; echo x > file; git add lib; {DONE}"));
    let output = forkhestra(&env, &["a:2"]);
    assert_eq!(output.code, Some(0), "{output}");
    let before = git(&env, "-C lib rev-parse HEAD");
    fs::write(env.project().join("large"), vec![b'x'; 51 << 20]).expect("there is room");
    let output = rewind(&env, &["--to", "0"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert!(
        output.stderr.contains("warning: paths that the rewind does not change: lib"),
        "{output}"
    );
    assert_eq!(git(&env, "-C lib rev-parse HEAD"), before);
    assert!(env.has("large") && !env.has("file"));
}

#[test]
fn an_undo_saves_what_was_changed_since() {
    let env = finished_run();
    let run = run_id(&env);
    assert_eq!(rewind(&env, &["--to", "3"]).code, Some(0));
    env.write("log.txt", "edited after the rewind\n");
    refused(&env, &["--undo"], "1 file was changed since the rewind: log.txt");
    let output = rewind(&env, &["--undo", "--force"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(env.read("log.txt"), "broken\nline 5\n");
    let saved = format!("refs/forkhestra/{run}/before-rewind/1-undone");
    assert!(output.stdout.contains(&saved), "{output}");
    assert_eq!(git(&env, &format!("show {saved}:log.txt")), "edited after the rewind\n");
}

#[test]
fn what_is_staged_survives_an_undo() {
    let env = finished_run();
    assert_eq!(rewind(&env, &["--to", "3"]).code, Some(0));
    env.write("staged", "x\n");
    git(&env, "add staged");
    fs::remove_file(env.project().join("staged")).expect("it is ours");
    refused(&env, &["--undo"], "changes were staged since the rewind");
}

#[test]
fn snapshots_and_rewinds_are_listed() {
    let env = finished_run();
    let run = run_id(&env);
    assert_eq!(rewind(&env, &["--to", "@3", "--files-only"]).code, Some(0));
    let output = rewind(&env, &["--list"]);
    let lines: Vec<&str> = output.stdout.lines().collect();
    assert_eq!(
        &lines[..7],
        [
            "N  SNAPSHOT  AGENT  VERDICT         CHANGED",
            "0  @0        a      before the run",
            "1  @1        a      continued       2 files, +2 -0",
            "2  @2        a      continued       3 files, +3 -1",
            "3  @3        a      continued       2 files, +2 -1",
            "4  @4        a      continued       3 files, +2 -5",
            "5  @5        a      complete        2 files, +2 -1",
        ]
    );
    assert!(lines[7].starts_with("Rewind to 3 (only files) at "), "{output}");
    let json = rewind(&env, &["--list", "--json", &run]).stdout;
    let json: serde_json::Value = serde_json::from_str(&json).expect("it is JSON");
    assert_eq!(
        json["snapshots"][4]["changes"],
        serde_json::json!({"files": 3, "added": 2, "removed": 5})
    );
    assert_eq!(json["rewinds"][0]["progress"], "done");
}

#[test]
fn wrong_use_is_refused() {
    let env = finished_run();
    for (args, expected) in [
        (vec![], "--to <N>"),
        (vec!["--to", "x"], "is no snapshot: name an iteration"),
        (vec!["--to", "9"], "no iteration 9 has a snapshot"),
        (vec!["--to", "1", "--undo"], "cannot be used with"),
        (vec!["--undo", "--files-only"], "cannot be used with"),
        (vec!["--list", "--dry-run"], "cannot be used with"),
        (vec!["--to", "1", "--json"], "cannot be used with"),
        (vec!["nosuchrun", "--list"], "nosuchrun"),
    ] {
        refused(&env, &args, expected);
    }
}

#[test]
fn no_run_begins_after_a_rewind_that_was_cut_off() {
    let env = finished_run();
    let run = run_id(&env);
    let before = state(&env);
    assert_eq!(rewind(&env, &["--to", "1"]).code, Some(0));
    // As a crash in the middle would leave it.
    let record = crate::support::run_directory(&env).join("kept/rewinds/1.json");
    let text = fs::read_to_string(&record).expect("it is there");
    let text = text.replace("\"done\"", "\"started\"");
    fs::write(&record, text).expect("it is ours");
    env.write(".git/forkhestra-rewind/run", &run);
    env.write("log.txt", "broken\nline 5\n");
    for args in [&["a:3"][..], &["rewind", "--to", "2"]] {
        let output = forkhestra(&env, args);
        assert_eq!(output.code, Some(2), "{output}");
        assert!(output.stderr.contains(&format!("forkhestra rewind {run} --undo")), "{output}");
    }
    let output = rewind(&env, &["--undo"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(state(&env), before);
    assert_eq!(forkhestra(&env, &["a:1", "--dry-run"]).code, Some(0));
    assert!(!env.has(".git/forkhestra-rewind"));
}

#[test]
fn a_resumed_run_continues_on_the_tree_that_was_rewound() {
    let env = repository();
    env.write(".git/info/exclude", ".agent-state\n");
    env.agent("a", "echo x >> log.txt; cat log.txt | grep -c x > n");
    assert_eq!(forkhestra(&env, &["a:3"]).code, Some(1));
    assert_eq!(rewind(&env, &["--to", "1"]).code, Some(0));
    let output = forkhestra(&env, &["resume", "--max-iterations", "4"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert_eq!(env.read("n"), "2\n");
    // What the resumed run left is what is expected now.
    assert_eq!(rewind(&env, &["--to", "3"]).code, Some(0));
    assert_eq!(env.read("n"), "3\n");
}

/// A repository with a run of an agent that acts by the number of its iteration.
fn run_of(script: &str) -> TestEnv {
    let env = repository();
    env.write(".git/info/exclude", ".agent-state\nn\n");
    let count = "n=$(($(cat n 2>/dev/null || echo 0) + 1)); echo $n > n";
    env.agent("a", &format!("{count}\ncase $n in\n{script}\nesac\n[ $n -lt 2 ] || {DONE}"));
    env
}

#[test]
fn files_that_git_ignored_then_are_not_removed() {
    let env = run_of("1) echo x > made ;; 2) echo new > .gitignore ;;");
    env.write(".gitignore", "data/\n*.local\n").write("data/db", "mine\n");
    env.write("conf.local", "mine\n");
    git(&env, "add .gitignore");
    git(&env, "commit --quiet --message rules");
    assert_eq!(forkhestra(&env, &["a:3"]).code, Some(0));
    let output = rewind(&env, &["--to", "1"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert!(
        output.stderr.contains("paths that the rewind does not change: conf.local, data/db"),
        "{output}"
    );
    assert_eq!((env.read("data/db"), env.read("conf.local")), ("mine\n".into(), "mine\n".into()));
    assert_eq!(env.read(".gitignore"), "data/\n*.local\n");
    let output = rewind(&env, &["--undo"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!((env.read(".gitignore"), env.read("data/db")), ("new\n".into(), "mine\n".into()));
}

#[test]
fn a_file_that_git_ignores_later_is_no_change() {
    let env = run_of(
        "1) mkdir cache; echo 1 > cache/m ;; 2) echo 2 > cache/m; echo cache > .gitignore ;;",
    );
    assert_eq!(forkhestra(&env, &["a:3"]).code, Some(0));
    let output = rewind(&env, &["--to", "1"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(env.read("cache/m"), "1\n");
    assert_eq!(rewind(&env, &["--undo"]).code, Some(0));
    assert_eq!(env.read("cache/m"), "2\n");
}

#[test]
fn no_other_branch_is_moved() {
    let env = run_of("1) echo x > made ;; 2) git checkout --quiet release ;;");
    git(&env, "checkout --quiet -b release");
    git(&env, "commit --quiet --allow-empty --message mine");
    git(&env, "checkout --quiet main");
    assert_eq!(forkhestra(&env, &["a:3"]).code, Some(0));
    refused(
        &env,
        &["--to", "1", "--force"],
        "`release` is checked out, but the snapshot was taken on branch `main`",
    );
    assert_eq!(git(&env, "log -1 --format=%s release"), "mine\n");
}

#[test]
fn a_detached_head_is_never_removed() {
    let env = crate::support::project();
    env.write_home(".gitconfig", "[user]\nname = Ada\nemail = ada@localhost\n");
    git(&env, "init --quiet --initial-branch=main");
    env.write(".git/info/exclude", ".agent-state\n");
    env.agent(
        "a",
        &format!(
            "echo x > f; git add f; git commit --quiet -m x; git checkout --quiet --detach; {DONE}"
        ),
    );
    assert_eq!(forkhestra(&env, &["a:2"]).code, Some(0));
    let output = rewind(&env, &["--to", "0", "--force"]);
    assert_eq!(output.code, Some(2), "{output}");
    assert!(env.has(".git/HEAD") && env.has("f"));
}

#[test]
fn an_edited_file_that_git_ignores_survives_an_undo() {
    let env = run_of(
        "1) git add -f app.cfg; git commit --quiet -m a ;; 2) git rm --quiet app.cfg; git commit --quiet -m b ;;",
    );
    env.write(".git/info/exclude", ".agent-state\nn\n*.cfg\n").write("app.cfg", "first\n");
    assert_eq!(forkhestra(&env, &["a:3"]).code, Some(0));
    assert_eq!(rewind(&env, &["--to", "1", "--files-only"]).code, Some(0));
    env.write("app.cfg", "edited\n");
    refused(&env, &["--undo"], "untracked files would be lost: app.cfg");
    assert_eq!(env.read("app.cfg"), "edited\n");
    env.write("app.cfg", "first\n");
    assert_eq!(rewind(&env, &["--undo"]).code, Some(0));
    assert!(!env.has("app.cfg"));
}

#[test]
fn a_saved_state_does_not_depend_on_the_backup() {
    let env = finished_run();
    git(&env, "for-each-ref --format='delete %(refname)' refs/forkhestra | git update-ref --stdin");
    git(&env, "reflog expire --expire=now --all");
    git(&env, "gc --quiet --prune=now");
    assert_eq!(rewind(&env, &["--to", "3"]).code, Some(0));
    git(&env, "fsck --full");
    git(&env, "gc --quiet --prune=now");
    assert_eq!(rewind(&env, &["--undo"]).code, Some(0));
    assert_eq!(env.read("log.txt"), "broken\nline 5\n");
}

#[test]
fn files_with_a_filter_stay() {
    let env = run_of("1) echo 1 > f.bin ;; 2) echo 2 > f.bin; echo 2 > other ;;");
    git(&env, "config filter.rot.clean cat");
    git(&env, "config filter.rot.smudge cat");
    env.write(".gitattributes", "*.bin filter=rot\n");
    git(&env, "add --all");
    git(&env, "commit --quiet --message attributes");
    assert_eq!(forkhestra(&env, &["a:3"]).code, Some(0));
    let output = rewind(&env, &["--to", "1"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert!(output.stderr.contains("paths that the rewind does not change: f.bin"), "{output}");
    assert_eq!((env.read("f.bin"), env.has("other")), ("2\n".into(), false));
}

#[test]
fn a_leftover_of_an_unknown_run_is_removed() {
    let env = finished_run();
    env.write(".git/forkhestra-rewind/run", "x; touch pwned #");
    let output = rewind(&env, &["--to", "3"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert!(!env.has(".git/forkhestra-rewind"));
}

#[test]
fn the_edits_before_a_repeated_undo_are_all_kept() {
    let env = finished_run();
    let run = run_id(&env);
    git(&env, &format!("update-ref refs/forkhestra/{run}/before-rewind/1-undone HEAD"));
    assert_eq!(rewind(&env, &["--to", "3"]).code, Some(0));
    env.write("log.txt", "edited\n");
    let output = rewind(&env, &["--undo", "--force"]);
    let saved = format!("refs/forkhestra/{run}/before-rewind/1-undone-2");
    assert!(output.stdout.contains(&saved), "{output}");
    assert_eq!(git(&env, &format!("show {saved}:log.txt")), "edited\n");
}
