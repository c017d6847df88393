//! Databases merged by git: the same numbers on two branches, and conflicts.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::json;

use crate::check::problems::kinds;
use crate::task_test_project::{TASKS_DIRECTORY, TaskTestProject, task_file};

pub(crate) struct MergeRepository {
    pub(crate) project: TaskTestProject,
}

impl MergeRepository {
    /// A repository with one commit, on branch `main`.
    pub(crate) fn new() -> Self {
        let project = TaskTestProject::new();
        project.env.link_system_program("git");
        let repository = Self { project };
        repository.git(&["init", "-q"]);
        repository.count(1).task("TASK-001", "Common", "09", "").commit();
        repository
    }

    pub(crate) fn try_git(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new("git");
        // A merge driver is found as the user finds the program.
        let program = Path::new(env!("CARGO_BIN_EXE_forge-tasks"));
        let mut path = program.parent().expect("it is in a directory").as_os_str().to_owned();
        path.push(":");
        path.push(std::env::var_os("PATH").unwrap_or_default());
        command.env("PATH", path);
        command.current_dir(self.project.env.project()).args([
            "-c",
            "user.name=Ada",
            "-c",
            "user.email=ada@example.org",
            "-c",
            "init.defaultBranch=main",
            "-c",
            "core.editor=true",
            "-c",
            "merge.renames=false",
        ]);
        command.args(arguments).env("GIT_CONFIG_GLOBAL", "/dev/null");
        command.output().expect("there is git")
    }

    #[track_caller]
    pub(crate) fn git(&self, arguments: &[&str]) -> &Self {
        let output = self.try_git(arguments);
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        self
    }

    #[track_caller]
    pub(crate) fn conflicts(&self, arguments: &[&str]) {
        assert!(!self.try_git(arguments).status.success(), "{arguments:?}");
    }

    pub(crate) fn commit(&self) -> &Self {
        self.git(&["add", "-A"]).git(&["commit", "-qm", "a commit"])
    }

    fn count(&self, last: u64) -> &Self {
        self.project.write("config.json", &format!("{{\"lastIdNumber\": {last}}}\n"));
        self
    }

    /// Writes a task that was created at `hour`.
    fn task(&self, id: &str, title: &str, hour: &str, more: &str) -> &Self {
        let more = format!("status: todo\n{more}createdAt: \"2026-11-15T{hour}:00:00.000Z\"\n");
        self.project.write(&format!("{id} - {title}.md"), &task_file(id, title, &more, ""));
        self
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> &Self {
        self.project.ok(arguments);
        self
    }

    /// Branches `theirs` and `main`, each with two tasks created at these hours.
    fn with_sides_before_merge(theirs: [&str; 2], ours: [&str; 2]) -> Self {
        let repository = Self::new();
        repository.git(&["checkout", "-qb", "theirs"]).count(3);
        repository.task("TASK-002", "Their base", theirs[0], "");
        repository.task("TASK-003", "Their top", theirs[1], "dependencies: [TASK-002]\n").commit();
        repository.git(&["checkout", "-q", "main"]).count(3);
        repository.task("TASK-002", "Our base", ours[0], "");
        let more = "dependencies: [2]\nparent: TASK-002\n";
        repository.task("TASK-003", "Our top", ours[1], more).commit();
        repository
    }

    /// The same, merged into `main`.
    fn with_sides(theirs: [&str; 2], ours: [&str; 2]) -> Self {
        let repository = Self::with_sides_before_merge(theirs, ours);
        repository.git(&["merge", "-q", "theirs"]);
        repository
    }

    /// The task whose title ends with this.
    #[track_caller]
    fn id_of(&self, title: &str) -> String {
        let printed = self.project.ok(&["list", "--all", "--plain"]);
        let line = printed.lines().find(|line| line.ends_with(title)).expect("it is there");
        line.split(' ').next().unwrap_or_default().to_owned()
    }

    /// Fixes everything and returns the report.
    #[track_caller]
    fn fix_report(&self) -> String {
        let output = self.project.run(&["check", "--fix", "--plain"]);
        let code = if output.stdout.contains("mention | ") { 1 } else { 0 };
        assert_eq!(output.code, Some(code), "{output}");
        assert_eq!(kinds(&self.project), [""; 0]);
        output.stdout
    }
}

#[test]
fn references_follow_when_one_side_is_older_than_the_other() {
    let repository = MergeRepository::with_sides(["10", "11"], ["12", "13"]);
    assert_eq!(kinds(&repository.project), ["duplicate-id", "duplicate-id"]);
    let output = repository.fix_report();
    for whose in ["Our", "Their"] {
        let depends =
            repository.project.field(&repository.id_of(&format!("{whose} top")), "dependencies");
        assert_eq!(depends, json!([repository.id_of(&format!("{whose} base"))]), "{output}");
    }
    let top = repository.id_of("Our top");
    assert_eq!(repository.project.field(&top, "parent"), repository.id_of("Our base").as_str());
    assert_eq!(repository.id_of("Their base"), "TASK-002", "the older task keeps its number");
    let expected = "fixed | - | TASK-003 - Our top.md depends on TASK-004, which was TASK-002\n\
                    fixed | - | TASK-003 - Our top.md is a part of TASK-004, which was TASK-002\n\
                    fixed | - | TASK-002 - Our base.md: TASK-002 is now TASK-004\n\
                    fixed | - | TASK-003 - Our top.md: TASK-003 is now TASK-005\n";
    assert_eq!(output, expected);
}

#[test]
fn references_are_listed_when_both_sides_were_written_at_the_same_time() {
    let repository = MergeRepository::with_sides(["10", "13"], ["11", "12"]);
    let output = repository.fix_report();
    let expected = "fixed | - | TASK-002 - Our base.md: TASK-002 is now TASK-004\n\
                    fixed | - | TASK-003 - Their top.md: TASK-003 is now TASK-005\n\
                    mention | - | TASK-003 - Our top.md depends on TASK-002; \
                    it may mean TASK-004 - Our base.md or TASK-002 - Their base.md\n\
                    mention | - | TASK-003 - Our top.md is a part of TASK-002; \
                    it may mean TASK-004 - Our base.md or TASK-002 - Their base.md\n\
                    mention | - | TASK-005 - Their top.md depends on TASK-002; \
                    it may mean TASK-004 - Our base.md or TASK-002 - Their base.md\n";
    assert_eq!(output, expected);
    for title in ["Our top", "Their top"] {
        let depends = repository.project.field(&repository.id_of(title), "dependencies");
        assert!(depends == json!(["TASK-002"]) || depends == json!(["2"]), "{depends}");
    }
}

#[test]
fn a_reference_of_a_task_with_a_number_of_its_own_is_listed() {
    let repository = MergeRepository::new();
    repository.git(&["checkout", "-qb", "theirs"]).count(3);
    repository.task("TASK-002", "Their base", "10", "");
    repository.task("TASK-003", "Their top", "12", "dependencies: [TASK-002]\n").commit();
    repository.git(&["checkout", "-q", "main"]).count(2);
    repository.task("TASK-002", "Our base", "11", "").commit();
    repository.conflicts(&["merge", "-q", "theirs"]);
    let output = repository.fix_report();
    let expected = "mention | - | TASK-003 - Their top.md depends on TASK-002; \
                    it may mean TASK-004 - Our base.md or TASK-002 - Their base.md\n";
    assert!(output.ends_with(expected), "{output}");
    assert_eq!(repository.project.field("TASK-003", "dependencies"), json!(["TASK-002"]));
}

#[test]
fn a_reference_to_a_task_that_was_created_later_follows_its_side() {
    let repository = MergeRepository::new();
    repository.git(&["checkout", "-qb", "theirs"]).count(3);
    repository.task("TASK-002", "Their base", "10", "");
    repository.task("TASK-003", "Their top", "11", "").commit();
    repository.git(&["checkout", "-q", "main"]).count(3);
    repository.task("TASK-002", "Our base", "12", "dependencies: [TASK-003]\n");
    repository.task("TASK-003", "Our top", "13", "").commit();
    repository.git(&["merge", "-q", "theirs"]);
    let output = repository.fix_report();
    let (base, top) = (repository.id_of("Our base"), repository.id_of("Our top"));
    assert_eq!(repository.project.field(&base, "dependencies"), json!([top]), "{output}");
}

#[test]
fn a_merge_need_not_be_committed_yet() {
    let repository = MergeRepository::with_sides_before_merge(["10", "11"], ["12", "13"]);
    repository.git(&["checkout", "-q", "theirs"]).count(4).task("TASK-004", "More", "11", "");
    repository.commit().git(&["checkout", "-q", "main"]);
    repository.conflicts(&["merge", "-q", "theirs"]);
    assert_eq!(kinds(&repository.project), ["config", "duplicate-id", "duplicate-id"]);
    repository.fix_report();
    let top = repository.id_of("Our top");
    let base = repository.id_of("Our base");
    assert_eq!(repository.project.field(&top, "dependencies"), json!([base]));
}

impl MergeRepository {
    /// A repository with a task that was changed on two branches, with a merge conflict.
    fn with_changes(theirs: &[&str], ours: &[&str]) -> Self {
        let repository = Self::new();
        repository.run(&["create", "Shared", "-p", "low"]);
        repository.run(&["edit", "2", "--notes", "Begun."]).commit();
        repository.git(&["checkout", "-qb", "theirs"]).run(theirs).commit();
        repository.git(&["checkout", "-q", "main"]).run(ours).commit();
        repository.conflicts(&["merge", "-q", "theirs"]);
        repository
    }

    /// When the task was last changed on a branch.
    fn updated_at(&self, branch: &str) -> String {
        let shown = self.try_git(&["show", &format!("{branch}:{TASKS_DIRECTORY}/{SHARED}")]).stdout;
        let shown = String::from_utf8_lossy(&shown).into_owned();
        let line = shown.lines().find(|line| line.starts_with("updatedAt: "));
        line.expect("it was changed").to_owned()
    }
}

const SHARED: &str = "TASK-002 - Shared.md";

#[test]
fn branches_that_changed_different_parts_of_a_task_are_merged() {
    let theirs = &["edit", "2", "--append-notes", "Look at the lexer."][..];
    for ours in [&["edit", "2", "-s", "done"][..], &["claim", "2"], &["edit", "2", "-p", "high"]] {
        let repository = MergeRepository::with_changes(theirs, ours);
        assert_eq!(kinds(&repository.project), ["merge-conflict"], "{ours:?}");
        let output = repository.project.run(&["check"]).stdout;
        let expected = format!(
            "✗ {SHARED} has a merge conflict in updatedAt; `forge-tasks check --fix` settles it"
        );
        assert!(output.starts_with(&expected), "{output}");
        let newer = repository.updated_at("main");
        assert!(newer > repository.updated_at("theirs"), "it was changed later");
        repository.fix_report();
        let task = repository.project.file(SHARED);
        assert!(task.contains("Look at the lexer.") && task.contains(&newer), "{task}");
        assert!(!task.contains("<<<<<<<"), "{task}");
        repository.commit();
    }
}

#[test]
fn a_conflict_between_two_values_is_left_to_the_user() {
    let repository = MergeRepository::with_changes(
        &["edit", "2", "-s", "blocked"],
        &["edit", "2", "-s", "done"],
    );
    let output = repository.project.run(&["check", "--plain"]).stdout;
    let both = "has a merge conflict in line 4; edit the file, and one in updatedAt";
    assert!(output.contains(both), "{output}");
    let fixed = repository.project.run(&["check", "--fix", "--plain"]);
    assert_eq!(fixed.code, Some(1), "{fixed}");
    let expected = format!(
        "fixed | - | {SHARED}: merged field by field, but both sides changed status\n\
         merge-conflict | TASK-002 | {SHARED} has a merge conflict in line 4; edit the file\n"
    );
    assert_eq!(fixed.stdout, expected);
    assert_eq!(repository.project.field("2", "status"), "Done", "it is a task, and ours counts");
    assert!(repository.project.file(SHARED).contains("# status: Blocked\n"));
}

#[test]
fn a_file_that_the_user_has_begun_to_edit_is_not_merged_again() {
    let repository = MergeRepository::with_changes(
        &["edit", "2", "-s", "blocked"],
        &["edit", "2", "-s", "done"],
    );
    let edited = repository.project.file(SHARED).replace("status: Done\n", "");
    repository.project.write(SHARED, &edited);
    let fixed = repository.project.run(&["check", "--fix", "--plain"]);
    let expected =
        format!("fixed | - | {SHARED}: the conflict in updatedAt, with the newer time\n");
    assert!(fixed.stdout.starts_with(&expected), "{fixed}");
}

#[test]
fn a_task_that_one_side_deleted_and_the_other_changed_is_listed() {
    let repository =
        MergeRepository::with_changes(&["delete", "2", "-f"], &["edit", "2", "-s", "done"]);
    let fixed = repository.project.run(&["check", "--fix", "--plain"]);
    let expected = format!(
        "mention | - | {SHARED} was deleted by them and changed by us; `git add` keeps it, \
         `git rm` deletes it\n"
    );
    assert_eq!((fixed.code, fixed.stdout), (Some(1), expected));
}

#[test]
fn notes_of_both_sides_are_kept() {
    let notes = |text| ["edit", "2", "--append-notes", text];
    let repository = MergeRepository::with_changes(&notes("Theirs."), &notes("Ours."));
    assert_eq!(kinds(&repository.project), ["merge-conflict"]);
    repository.fix_report();
    let notes = repository.project.field("2", "implementationNotes");
    assert_eq!(notes, "Begun.\n\nTheirs.\n\nOurs.", "in order of time");
}

#[test]
fn a_conflict_in_a_text_is_named() {
    let text = |text| ["edit", "2", "-d", text];
    let repository = MergeRepository::with_changes(&text("Theirs."), &text("Ours."));
    let fixed = repository.project.run(&["check", "--fix", "--plain"]);
    assert_eq!(fixed.code, Some(1), "{fixed}");
    let left = fixed.stdout.lines().last().unwrap_or_default().to_owned();
    assert!(left.starts_with("merge-conflict | TASK-002 | "), "{left}");
    assert!(left.ends_with("; edit the file"), "{left}");
    assert_eq!(repository.project.field("2", "status"), "To Do", "it can be read again");
}
