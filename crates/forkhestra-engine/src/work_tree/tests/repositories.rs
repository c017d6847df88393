//! Tests of observations in repositories of all kinds.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use super::WorkTreeEdit;
use crate::repository::MAX_FILE_BYTES;
use crate::test_project::{TestProject, commit, git, inherited, keep, work_tree_query};

#[test]
fn each_kind_of_change_is_detected_alone() {
    let mut project = TestProject::repository();
    project.write("forge/tasks/TASK-001.md", "x").write(".gitignore", "forge\n").commit();
    let mut before = project.signals();
    let changes: [(&str, WorkTreeEdit); 4] = [
        ("files", |project| {
            project.write("a.txt", "b");
        }),
        ("index", |project| {
            project.git(&["add", "a.txt"]);
        }),
        ("head", |project| {
            project.git(&["commit", "--quiet", "-m", "x"]);
        }),
        ("tasks", |project| {
            project.write("forge/tasks/TASK-002.md", "x");
        }),
    ];
    for (what, change) in changes {
        change(&project);
        let now = project.signals();
        let differs = [
            ("head", now.head != before.head),
            ("index", now.index != before.index),
            ("files", now.files != before.files),
            ("tasks", now.tasks != before.tasks),
        ];
        let changed: Vec<&str> = differs.iter().filter(|it| it.1).map(|it| it.0).collect();
        assert_eq!(changed, [what]);
        before = now;
    }
}

#[test]
fn changes_in_the_index_alone_are_observed() {
    let mut project = TestProject::repository();
    project.write("a.txt", "b");
    project.git(&["add", "a.txt"]);
    project.write("a.txt", "a");
    let before = project.fingerprint();
    project.git(&["reset", "--quiet"]);
    assert_ne!(project.fingerprint(), before);
}

#[test]
fn removed_renamed_and_replaced_files_are_seen() {
    let mut project = TestProject::repository();
    project.write("b.txt", "b").write("dir/c.txt", "c").write("dir/d.txt", "d").commit();
    let mut seen = vec![project.signals().files];
    let changes: [WorkTreeEdit; 6] = [
        |project| {
            project.remove("b.txt");
        },
        |project| {
            project.write("b.txt/now/a/directory", "x");
        },
        |project| {
            fs::remove_dir_all(project.work.join("dir")).expect("it is ours");
            project.write("dir", "now a file");
        },
        |project| {
            project.remove("dir");
            symlink("b.txt", project.work.join("dir")).expect("it is ours");
        },
        |project| {
            fs::rename(project.work.join("a.txt"), project.work.join("z.txt")).expect("it is ours");
        },
        |project| {
            let executable = fs::Permissions::from_mode(0o755);
            fs::set_permissions(project.work.join("z.txt"), executable).expect("it is ours");
        },
    ];
    for change in changes {
        change(&project);
        let now = project.signals().files;
        assert_eq!(project.signals().files, now, "looking changes nothing");
        assert!(!seen.contains(&now));
        seen.push(now);
    }
}

#[test]
fn a_link_in_the_place_of_a_directory_with_the_same_files_is_seen() {
    let mut project = TestProject::repository();
    project.write("dir/c.txt", "c").write("other/c.txt", "c").commit();
    let before = project.fingerprint();
    fs::remove_dir_all(project.work.join("dir")).expect("it is ours");
    symlink("other", project.work.join("dir")).expect("it is ours");
    assert_ne!(project.fingerprint(), before);
}

#[test]
fn an_observation_changes_none_of_the_users_files() {
    let mut project = TestProject::repository();
    project.write("stashed.txt", "x");
    project.git(&["stash", "--include-untracked", "--quiet"]);
    project.write("staged.txt", "x");
    project.git(&["add", "staged.txt"]);
    project.write("a.txt", "b").write("new.txt", "new");
    let trace = project.hook("post-index-change");
    let everything = |project: &TestProject| {
        let index = fs::read(project.work.join(".git/index")).expect("it is there");
        let asked = [&["stash", "list"][..], &["for-each-ref"], &["count-objects"], &["log", "-g"]];
        (index, asked.map(|args| project.git(args)))
    };
    let before = everything(&project);
    project.fingerprint();
    project.write("a.txt", "c");
    project.fingerprint();
    assert_eq!(everything(&project), before);
    assert!(!trace.exists(), "no hook was run");
}

#[test]
fn files_are_compared_as_they_are_and_no_filter_is_run() {
    let mut project = TestProject::repository();
    let trace = project.beside("filter-ran");
    let filter = format!("touch '{}'; false", trace.display());
    project.write(".gitattributes", "*.x filter=a=b\n").write("y.x", "abc").commit();
    for (key, value) in [("clean", filter.as_str()), ("process", &filter), ("required", "true")] {
        project.git(&["config", &format!("filter.a=b.{key}"), value]);
    }
    let before = project.fingerprint();
    project.write("y.x", "longer than before");
    assert_ne!(project.fingerprint(), before);
    project.write("y.x", "abc");
    assert_eq!(project.fingerprint(), before);
    // A setting that appears later is replaced as well.
    project.git(&["config", "filter.later.clean", &filter]);
    project.write(".git/info/attributes", "*.txt filter=later\n").write("a.txt", "changed");
    assert_ne!(project.fingerprint(), before);
    assert!(!trace.exists());
}

#[test]
fn replaced_objects_change_no_observation() {
    let mut project = TestProject::repository();
    let before = project.signals();
    project.write("b.txt", "b");
    let other = project.git(&["hash-object", "-w", "b.txt"]);
    project.git(&["replace", "HEAD:a.txt", other.trim()]);
    project.remove("b.txt");
    assert_eq!(project.signals(), before);
}

#[test]
fn uncommitted_changes_in_a_submodule_are_observed() {
    let mut project = TestProject::repository();
    let other = TestProject::repository();
    let url = other.work.to_str().expect("it is a text");
    project.git(&["submodule", "--quiet", "add", url, "sub module"]);
    project.commit();
    let before = project.signals().files;
    assert_eq!(project.signals().files, before, "looking changes nothing");
    project.write("sub module/a.txt", "changed");
    let changed = project.signals().files;
    assert_ne!(changed, before);
    project.write("sub module/new.txt", "new");
    assert_ne!(project.signals().files, changed);
    let status = git(&project.work.join("sub module"), &["status", "--porcelain"]);
    assert_eq!(status, " M a.txt\n?? new.txt\n", "and nothing was added there");
    commit(&project.work.join("sub module"));
    assert_ne!(project.signals().files, changed);
}

#[test]
fn worktrees_of_one_repository_are_observed_separately() {
    let mut project = TestProject::repository();
    let linked = project.beside("linked");
    project.git(&["worktree", "add", "--quiet", linked.to_str().expect("it is a text")]);
    let main = project.fingerprint();
    project.work = linked;
    project.with_environment(&inherited());
    let before = project.fingerprint();
    assert_eq!(before, main, "the same commit, with the same files");
    project.write("a.txt", "changed");
    assert_ne!(project.fingerprint(), before);
    project.write("a.txt", "a");
    assert_eq!(project.fingerprint(), before);
}

#[test]
fn the_whole_repository_counts_from_any_subdirectory() {
    let mut project = TestProject::repository();
    project.write("sub/dir/b.txt", "b").commit();
    project.work_in("sub/dir", None);
    let before = project.fingerprint();
    project.write("a.txt", "changed");
    assert_ne!(project.fingerprint(), before);
}

fn stretch(project: &TestProject, name: &str, size: u64) {
    let mut options = fs::File::options();
    let file = options.create(true).truncate(false).write(true).open(project.work.join(name));
    file.and_then(|file| file.set_len(size)).expect("there is room");
}

#[test]
fn large_files_are_compared_by_size_and_not_kept() {
    let mut project = TestProject::kept_repository();
    stretch(&project, "a.txt", MAX_FILE_BYTES + 1);
    stretch(&project, "large.bin", MAX_FILE_BYTES + 1);
    let before = project.observe(&keep(0));
    let commit = before.snapshot.expect("it is kept").commit;
    let listed = project.git(&["ls-tree", "-r", "--long", &commit]);
    let sizes: Vec<&str> =
        listed.lines().filter_map(|line| line.split_whitespace().nth(3)).collect();
    assert_eq!(sizes, ["1"], "only what was committed of `a.txt`: {listed}");
    stretch(&project, "large.bin", MAX_FILE_BYTES + 2);
    let after = project.signals().files;
    assert_ne!(Some(&after), before.signals.as_ref().map(|signals| &signals.files));
    stretch(&project, "a.txt", MAX_FILE_BYTES + 2);
    assert_ne!(project.signals().files, after);
}

#[test]
fn an_unresolved_merge_is_handled() {
    let mut project = TestProject::repository();
    project.git(&["checkout", "--quiet", "-b", "other"]);
    project.write("a.txt", "other").commit();
    project.git(&["checkout", "--quiet", "-"]);
    project.write("a.txt", "mine").commit();
    // Without a second name nothing is merged, but the index records the conflict.
    project.git(&["read-tree", "-m", "HEAD~", "HEAD", "other"]);
    assert!(project.git(&["status", "--porcelain"]).starts_with("UU"), "there is a conflict");
    let before = project.fingerprint();
    project.write("a.txt", "settled");
    assert_ne!(project.fingerprint(), before);
}

#[test]
fn a_git_status_changes_no_fingerprint() {
    let mut project = TestProject::repository();
    project.write("a.txt", "b");
    let before = project.fingerprint();
    project.write("a.txt", "c").write("a.txt", "b");
    project.git(&["status"]);
    assert_eq!(project.fingerprint(), before);
}

#[test]
fn a_repository_of_the_environment_is_used() {
    let mut project = TestProject::new();
    let repository = project.beside("repository.git");
    git(&project.work, &["init", "--quiet", "--bare", repository.to_str().expect("it is a text")]);
    let mut environment = inherited();
    environment.push(("GIT_DIR".into(), "../repository.git".into()));
    environment.push(("GIT_WORK_TREE".into(), ".".into()));
    project.with_environment(&environment);
    let before = project.signals();
    project.write("new.txt", "new");
    assert_ne!(project.signals().files, before.files);
}

#[test]
fn a_repository_that_agents_make_is_found() {
    let mut project = TestProject::new();
    assert_eq!(project.observe(&work_tree_query()).signals, None);
    project.git(&["init", "--quiet"]);
    assert!(project.observe(&work_tree_query()).signals.is_some());
    fs::remove_dir_all(project.work.join(".git")).expect("it is ours");
    assert_eq!(project.observe(&work_tree_query()).signals, None);
}
