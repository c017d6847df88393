//! Tests of work trees inside and outside of real repositories.

mod repositories;

use std::fs;
use std::os::unix::fs::symlink;

use super::*;
use crate::test_project::{TestProject, inherited, work_tree_query};

/// A change that an agent may make.
type WorkTreeEdit = fn(&TestProject);

#[test]
fn every_change_of_a_repository_is_seen_and_nothing_else() {
    let mut project = TestProject::repository();
    let mut seen = vec![project.fingerprint()];
    assert_eq!(project.fingerprint(), seen[0], "looking changes nothing");
    let changes: [(&str, WorkTreeEdit); 4] = [
        ("an edit", |project| {
            project.write("a.txt", "b");
        }),
        ("a new file", |project| {
            project.write("new/b.txt", "b");
        }),
        ("a commit of what was there", TestProject::commit),
        ("a commit of nothing", TestProject::commit),
    ];
    for (what, change) in changes {
        change(&project);
        let now = project.fingerprint();
        assert!(!seen.contains(&now), "{what} is not seen");
        seen.push(now);
    }
}

#[test]
fn a_reverted_edit_gives_the_earlier_fingerprint() {
    let mut project = TestProject::repository();
    let before = project.fingerprint();
    project.write("a.txt", "b");
    assert_ne!(project.fingerprint(), before);
    project.write("a.txt", "a");
    assert_eq!(project.fingerprint(), before);
}

#[test]
fn looking_leaves_the_repository_alone() {
    let mut project = TestProject::repository();
    project.write("new.txt", "new");
    let (status, objects) = (["status", "--porcelain"], ["count-objects"]);
    let before = (project.git(&status), project.git(&objects));
    project.fingerprint();
    assert_eq!((project.git(&status), project.git(&objects)), before);
}

#[test]
fn ignored_files_are_no_work_except_tasks() {
    let mut project = TestProject::repository();
    project.write(".gitignore", "target\nforge\n").commit();
    let before = project.fingerprint();
    project.write("target/x", "x");
    assert_eq!(project.fingerprint(), before);
    project.write("forge/tasks/TASK-001.md", "x");
    assert_ne!(project.fingerprint(), before);
}

#[test]
fn the_state_directory_is_no_work() {
    for mut project in [TestProject::repository(), TestProject::new()] {
        let before = project.fingerprint();
        project.write("state of runs/tree/journal.jsonl", "x");
        assert_eq!(project.fingerprint(), before);
    }
}

#[test]
fn the_state_directory_is_no_work_whether_git_ignores_it_or_not() {
    for ignored in ["state of runs/", "state of runs", "*.jsonl", "state*", "nothing"] {
        let mut project = TestProject::repository();
        project.write(".gitignore", &format!("{ignored}\n")).commit();
        let before = project.fingerprint();
        project.write("state of runs/tree/journal.jsonl", "x");
        assert_eq!(project.fingerprint(), before, "{ignored}");
        project.write("a.txt", "b");
        assert_ne!(project.fingerprint(), before, "{ignored}");
    }
}

#[test]
fn a_repository_without_a_commit_can_be_seen() {
    let mut project = TestProject::new();
    project.git(&["init", "--quiet"]);
    let before = project.fingerprint();
    project.write("a.txt", "a");
    assert_ne!(project.fingerprint(), before);
}

#[test]
fn outside_a_repository_files_are_looked_at() {
    let mut project = TestProject::new();
    project.write("deep/er/a.txt", "a");
    let before = project.fingerprint();
    assert_eq!(project.fingerprint(), before);
    project.write(".agent-state/x", "ours");
    assert_eq!(project.fingerprint(), before, "our own files are no work");
    project.write("deep/er/b.txt", "");
    assert_ne!(project.fingerprint(), before);
}

#[test]
fn files_that_git_cannot_add_are_compared_as_files() {
    let mut project = TestProject::repository();
    project.write("embedded/a.txt", "a");
    project.git(&["init", "--quiet", "embedded"]);
    let before = project.fingerprint();
    assert_eq!(project.fingerprint(), before);
    project.write("state of runs/tree/journal.jsonl", "x");
    assert_eq!(project.fingerprint(), before);
    project.write("embedded/b.txt", "b");
    let after = project.fingerprint();
    assert_ne!(after, before);
    project.write("a.txt", "b");
    assert_ne!(project.fingerprint(), after, "the rest is seen as well");
}

#[test]
fn names_may_have_any_character() {
    for name in ["two\nlines", ":(top)*", "[a-z]* \"\\"] {
        let mut project = TestProject::named(name);
        project.git(&["init", "--quiet"]);
        project.write(name, "a").commit();
        project.write(".gitignore", "ignored\n");
        let before = project.fingerprint();
        project.write("ignored", "x").write("state of runs/x", "x");
        assert_eq!(project.fingerprint(), before, "{name}");
        project.write(name, "b");
        assert_ne!(project.fingerprint(), before, "{name}");
    }
}

#[test]
fn a_leftover_git_lock_is_ignored() {
    let mut project = TestProject::repository();
    let before = project.fingerprint();
    let lock = project.beside("scratch/index.lock");
    fs::write(lock, "").expect("it is ours");
    project.write("a.txt", "b");
    assert_ne!(project.fingerprint(), before);
}

#[test]
fn the_state_directory_is_known_behind_a_link() {
    let mut project = TestProject::new();
    let work = project.work.clone();
    let link = project.beside("link");
    symlink(&work, &link).expect("it is ours");
    project.work = link;
    project.with_environment(&inherited());
    let before = project.fingerprint();
    project.write("state of runs/tree/journal.jsonl", "x");
    assert_eq!(project.fingerprint(), before);
}

#[test]
fn files_are_compared_where_git_fails() {
    let fails = r#"case "$*" in *" diff-files "*) echo fatal: no >&2; exit 128;; esac"#;
    let script = format!("{fails}; PATH=/usr/local/bin:/usr/bin:/bin exec git \"$@\"");
    let mut project = TestProject::repository().with_git(&script);
    let first = project.observe(&work_tree_query());
    let notice = "git diff-files failed (exit 128): fatal: no; names, sizes and times of files are \
                compared instead";
    assert_eq!(first.notices, [notice]);
    assert_eq!(project.observe(&work_tree_query()).tree, first.tree);
    project.write("a.txt", "longer");
    assert_ne!(project.observe(&work_tree_query()).tree, first.tree);
}

#[test]
fn a_git_that_hangs_is_killed_and_not_asked_again() {
    let hangs = "echo asked >> ../asked; sleep 1000 & sleep 1000";
    let mut project = TestProject::repository().with_git(hangs);
    project.tree.timeout = Duration::from_millis(500);
    let first = project.observe(&work_tree_query());
    let notice = "git took too long; names, sizes and times of files are compared instead";
    assert_eq!(first.notices, [notice]);
    let second =
        project.observe(&WorkTreeQuery { stagnation: true, work: false, ..work_tree_query() });
    assert_eq!((second.tree, second.notices.len()), (first.tree, 0));
    // Under load, git may not even have been started.
    let asked = fs::read_to_string(project.beside("asked")).unwrap_or_default();
    assert!(asked.lines().count() <= 1, "{asked}");
}

#[test]
fn too_many_files_are_not_walked_again() {
    let mut project = TestProject::new();
    project.tree.method = FingerprintMethod::Files;
    project.tree.timeout = Duration::ZERO;
    let first = project.observe(&work_tree_query());
    let notice = "changes of the work tree cannot be seen: there are too many files";
    assert_eq!((first.tree, first.notices), (None, vec![notice.to_owned()]));
    project.tree.timeout = OBSERVATION_TIMEOUT;
    let second = project.observe(&work_tree_query());
    assert_eq!((second.tree, second.notices.len()), (None, 0));
}

#[test]
fn nothing_is_started_when_the_run_is_over() {
    let mut project = TestProject::repository().with_git("echo asked >> ../asked");
    project.tree.git().stop();
    let seen = project.observe(&work_tree_query());
    assert_eq!((seen.tree, seen.notices.len()), (None, 0));
    assert!(!project.beside("asked").exists());
}

/// Files that are prepared after the end of the run would not be removed.
#[test]
fn after_the_end_git_is_not_prepared() {
    let project = TestProject::repository();
    let waits = "case $* in *HEAD*) : > asked; until [ -e go ]; do sleep 0.01; done ;; esac";
    let project = project.with_git(&format!("{waits}; PATH=/usr/bin:/bin exec git \"$@\""));
    let mut looking = project.tree.clone();
    let look = std::thread::spawn(move || looking.observe(&work_tree_query()));
    let deadline = Instant::now() + OBSERVATION_TIMEOUT;
    while !project.work.join("asked").exists() && Instant::now() < deadline {
        std::thread::yield_now();
    }
    project.tree.git().stop();
    project.write("go", "");
    look.join().expect("looking does not fail");
    assert!(!project.beside("scratch").exists());
}

const LOST_FEATURES: &str = "no commits, no snapshots to undo an iteration, no clean room";

#[test]
fn without_a_repository_a_coding_agent_reports_lost_features_and_the_remedy() {
    let mut project = TestProject::new();
    let coding_agent = WorkTreeQuery { commits: true, work: false, ..work_tree_query() };
    let place = project.work.display();
    let notice = format!(
        "{place} is not in a git repository: {LOST_FEATURES}; to have them: git init && git add -A && git commit -m Begin"
    );
    let seen = project.observe(&coding_agent);
    assert_eq!((seen.tree, seen.notices), (None, vec![notice.clone()]));
    let compared = project.observe(&WorkTreeQuery { stagnation: true, ..coding_agent });
    assert_eq!((compared.tree.is_some(), compared.notices), (true, vec![notice]));
    let mut project = TestProject::repository();
    project.with_environment(&[]);
    let seen = project.observe(&WorkTreeQuery { commits: true, ..work_tree_query() });
    assert_eq!(
        seen.notices,
        [format!("git is not installed: {LOST_FEATURES}; to have them: install git")]
    );
}

#[test]
fn a_missing_repository_is_reported_only_if_needed() {
    let mut project = TestProject::repository();
    let seen = project.observe(&WorkTreeQuery { commits: true, work: false, ..work_tree_query() });
    assert!(seen.notices.is_empty(), "{:?}", seen.notices);
}

#[test]
fn without_git_names_sizes_and_times_are_compared() {
    let mut bare = TestProject::repository();
    bare.with_environment(&[]);
    for mut project in [TestProject::new(), bare] {
        let query = WorkTreeQuery { stagnation: true, work: false, ..work_tree_query() };
        let mut tree = || {
            let seen = project.observe(&query);
            assert_eq!(seen.notices, [""; 0]);
            seen.tree.expect("it can be seen")
        };
        let before = tree();
        assert_eq!(tree(), before);
        project.write("b.txt", "b");
        let mut tree = || project.observe(&query).tree;
        assert_ne!(tree(), Some(before));
    }
}

/// A task that was claimed and released is a file that was rewritten with the same content.
#[test]
fn without_git_tasks_are_compared_by_their_contents() {
    let mut project = TestProject::new();
    let query = WorkTreeQuery { stagnation: true, work: false, ..work_tree_query() };
    let place = |minute: u64| {
        let path = project.work.join("forge/tasks/TASK-1.md");
        let time = std::time::SystemTime::UNIX_EPOCH + Duration::from_secs(60 * minute);
        fs::File::options().write(true).open(path)?.set_modified(time)
    };
    project.write("forge/tasks/TASK-1.md", "To Do");
    place(1).expect("it is ours");
    let before = project.tree.clone().observe(&query).tree;
    place(2).expect("it is ours");
    assert_eq!(project.tree.clone().observe(&query).tree, before);
    project.write("forge/tasks/TASK-1.md", "Done!");
    assert_ne!(project.observe(&query).tree, before);
}
