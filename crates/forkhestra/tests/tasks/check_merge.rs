//! Which task a reference means after two branches gave the same numbers.
//!
//! All times are such that they would decide wrongly: their top task is the youngest of all, so that
//! the last one that was created before it is our base.

use std::process::{Command, Output};

use serde_json::json;

use crate::check::kinds;
use crate::project::{PLACE, Project, task_file};

struct Repository {
    project: Project,
}

impl Repository {
    /// One with a first commit, that stands on `main`.
    fn new() -> Self {
        let project = Project::new();
        project.env.borrow_program("git");
        let repository = Self { project };
        repository.git(&["init", "-q"]);
        repository.count(1).task("TASK-001", "Common", "09", "").commit();
        repository
    }

    fn try_git(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new("git");
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
    fn git(&self, arguments: &[&str]) -> &Self {
        let output = self.try_git(arguments);
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        self
    }

    #[track_caller]
    fn conflicts(&self, arguments: &[&str]) {
        assert!(!self.try_git(arguments).status.success(), "{arguments:?}");
    }

    fn commit(&self) -> &Self {
        self.git(&["add", "-A"]).git(&["commit", "-qm", "a commit"])
    }

    /// Something that has nothing to do with tasks.
    fn other_work(&self, name: &str) -> &Self {
        self.project.env.write(name, name);
        self.commit()
    }

    fn count(&self, last: u64) -> &Self {
        self.project.write("config.json", &format!("{{\"lastIdNumber\": {last}}}\n"));
        self
    }

    /// Writes a task that was created at some hour.
    fn task(&self, id: &str, title: &str, hour: &str, more: &str) -> &Self {
        let more = format!("status: todo\n{more}createdAt: \"2026-11-15T{hour}:00:00.000Z\"\n");
        self.project.write(&format!("{id} - {title}.md"), &task_file(id, title, &more, ""));
        self
    }

    fn run(&self, arguments: &[&str]) -> &Self {
        self.project.ok(arguments);
        self
    }

    /// The usual case: a branch `theirs`, and `main`, on which we stand.
    fn with_sides() -> Self {
        let repository = Self::new();
        repository.git(&["checkout", "-qb", "theirs"]);
        repository.their_base().commit().other_work("theirs").their_top().commit();
        repository.git(&["checkout", "-q", "main"]);
        repository.our_base().commit().other_work("ours").our_top().commit();
        repository
    }

    /// The same, with a single commit on our side.
    fn with_our_commit() -> Self {
        let repository = Self::new();
        repository.git(&["checkout", "-qb", "theirs"]).their_base().their_top().commit();
        repository.git(&["checkout", "-q", "main"]).our_base().our_top().commit();
        repository
    }

    fn their_base(&self) -> &Self {
        self.count(2).task("TASK-002", "Their base", "10", "")
    }

    fn their_top(&self) -> &Self {
        self.count(3).task("TASK-003", "Their top", "13", "dependencies: [TASK-002]\n")
    }

    fn our_base(&self) -> &Self {
        self.count(2).task("TASK-002", "Our base", "11", "")
    }

    fn our_top(&self) -> &Self {
        let more = "dependencies: [2]\nparent: TASK-002\n";
        self.count(3).task("TASK-003", "Our top", "12", more)
    }

    /// The task whose title ends like this.
    #[track_caller]
    fn id_of(&self, title: &str) -> String {
        let printed = self.project.ok(&["list", "--all", "--plain"]);
        let line = printed.lines().find(|line| line.ends_with(title)).expect("it is there");
        line.split(' ').next().unwrap_or_default().to_owned()
    }

    /// Mends everything, and gives what was said.
    #[track_caller]
    fn mended(&self) -> String {
        let output = self.project.run(&["check", "--fix", "--plain"]);
        assert_eq!(output.code, Some(0), "{output}");
        assert_eq!(kinds(&self.project), [""; 0]);
        output.stdout
    }

    /// Mends everything, and each side has its own references then.
    #[track_caller]
    fn mended_by_commits(&self) {
        let said = self.mended();
        for whose in ["Our", "Their"] {
            let depends = self.project.field(&self.id_of(&format!("{whose} top")), "dependencies");
            assert_eq!(depends, json!([self.id_of(&format!("{whose} base"))]), "{said}");
        }
        let parent = self.project.field(&self.id_of("Our top"), "parent");
        assert_eq!(parent, self.id_of("Our base").as_str());
        assert!(said.contains("(by their commits)") && !said.contains("times"), "{said}");
        assert_eq!(self.id_of("Their base"), "TASK-002", "the elder keeps its number");
    }
}

#[test]
fn references_follow_the_task_of_their_own_branch() {
    let repository = Repository::with_sides();
    repository.git(&["merge", "-q", "theirs"]);
    assert_eq!(kinds(&repository.project), ["duplicate-id", "duplicate-id"]);
    repository.mended_by_commits();
}

#[test]
fn a_merge_need_not_be_committed_yet() {
    let repository = Repository::with_sides();
    repository.git(&["checkout", "-q", "theirs"]).count(4).task("TASK-004", "More", "14", "");
    repository.commit().git(&["checkout", "-q", "main"]);
    repository.conflicts(&["merge", "-q", "theirs"]);
    assert_eq!(kinds(&repository.project), ["config", "duplicate-id", "duplicate-id"]);
    repository.mended_by_commits();
}

#[test]
fn a_rebase_need_not_be_finished_yet() {
    let repository = Repository::with_our_commit();
    repository.git(&["checkout", "-q", "theirs"]).count(5).commit();
    repository.git(&["checkout", "-q", "main"]);
    repository.conflicts(&["rebase", "-q", "theirs"]);
    repository.mended_by_commits();
}

#[test]
fn a_commit_may_be_about_to_be_picked() {
    let repository = Repository::with_our_commit();
    repository.git(&["checkout", "-q", "theirs"]).count(5).commit();
    repository.conflicts(&["cherry-pick", "main"]);
    repository.mended_by_commits();
}

#[test]
fn commits_that_were_rebased_are_judged_as_they_were_made() {
    let repository = Repository::with_our_commit();
    repository.git(&["rebase", "-q", "theirs"]);
    repository.mended_by_commits();
}

#[test]
fn a_task_may_have_got_another_title_on_its_branch() {
    let repository = Repository::with_sides();
    repository.run(&["edit", "2", "--title", "This is Our base"]).commit();
    repository.run(&["edit", "3", "--title", "This is Our top"]).commit();
    repository.git(&["checkout", "-q", "theirs"]);
    repository.run(&["edit", "3", "--title", "This is Their top"]).commit();
    repository.git(&["checkout", "-q", "main"]).git(&["merge", "-q", "theirs"]);
    repository.mended_by_commits();
}

#[test]
fn a_task_may_have_got_another_title_after_the_merge() {
    let repository = Repository::with_sides();
    repository.git(&["merge", "-q", "theirs"]);
    let edited = |name: &str, old: &str, new: &str| {
        let text = repository.project.file(name).replace(old, new);
        repository.project.write(name, &text);
    };
    edited("TASK-003 - Their top.md", "status: todo", "status: Blocked");
    edited("TASK-003 - Our top.md", "status: todo", "status: Blocked");
    repository.commit();
    for (old, new) in [("Their base", "This is Their base"), ("Our top", "This is Our top")] {
        let number = if old.ends_with("top") { "TASK-003" } else { "TASK-002" };
        let (from, to) = (format!("{number} - {old}.md"), format!("{number} - {new}.md"));
        edited(&from, &format!("title: {old}"), &format!("title: {new}"));
        let place = repository.project.place();
        std::fs::rename(place.join(from), place.join(to)).expect("it is ours");
        repository.commit();
    }
    repository.mended_by_commits();
}

#[test]
fn a_task_may_have_been_archived_on_its_branch() {
    let repository = Repository::with_sides();
    repository.run(&["edit", "2", "-s", "done"]).run(&["archive", "2"]).commit();
    repository.git(&["checkout", "-q", "theirs"]).run(&["archive", "3"]).commit();
    repository.git(&["checkout", "-q", "main"]).git(&["merge", "-q", "theirs"]);
    repository.mended_by_commits();
}

#[test]
fn a_reference_may_have_been_written_before_its_task() {
    let repository = Repository::new();
    repository.git(&["checkout", "-qb", "theirs"]);
    repository.their_top().commit().their_base().count(3).commit();
    repository.git(&["checkout", "-q", "main"]).our_base().our_top().commit();
    repository.git(&["merge", "-q", "theirs"]);
    repository.mended_by_commits();
}

#[test]
fn a_merge_may_have_brought_a_task_of_its_own() {
    let repository = Repository::new();
    repository.git(&["checkout", "-qb", "theirs"]).their_base().their_top().commit();
    repository
        .git(&["checkout", "-qb", "side", "main"])
        .task("TASK-008", "Side", "09", "")
        .commit();
    repository.git(&["checkout", "-q", "main"]).task("TASK-009", "Main", "09", "").commit();
    repository.git(&["merge", "-q", "--no-commit", "side"]).our_base().our_top().commit();
    repository.git(&["merge", "-q", "theirs"]);
    repository.mended_by_commits();
}

/// One commit for everything, as some merge: nobody can know more than the times say.
#[test]
fn what_commits_do_not_tell_is_not_said_to_come_from_them() {
    let repository = Repository::new();
    repository.their_base().their_top().our_base().our_top().commit();
    let said = repository.mended();
    assert!(said.contains("(by the times of their creation)"), "{said}");
    assert!(!said.contains("commits"), "{said}");
    let top = repository.id_of("Our top");
    assert_eq!(repository.project.field(&top, "parent"), repository.id_of("Our base").as_str());
}

/// Both sides created the task that a common one was waiting for, and one of them edited that.
#[test]
fn an_edit_is_not_taken_for_the_reference() {
    let repository = Repository::new();
    repository.task("TASK-009", "Waits", "09", "dependencies: [TASK-002]\n").commit();
    repository.git(&["checkout", "-qb", "theirs"]).their_base().their_top().commit();
    repository.git(&["checkout", "-q", "main"]).our_base().our_top().commit();
    repository.run(&["edit", "9", "--assignee", "ada"]).commit();
    repository.git(&["merge", "-q", "theirs"]);
    repository.mended();
    assert_eq!(repository.project.field("9", "dependencies"), json!(["TASK-002"]));
    assert_eq!(repository.id_of("Their base"), "TASK-002");
}

impl Repository {
    /// One with a task that was changed on two branches, whose merge is in conflict.
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
        let shown = self.try_git(&["show", &format!("{branch}:{PLACE}/{SHARED}")]).stdout;
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
        let repository = Repository::with_changes(theirs, ours);
        assert_eq!(kinds(&repository.project), ["merge-conflict"], "{ours:?}");
        let said = repository.project.run(&["check"]).stdout;
        let expected = format!(
            "✗ {SHARED} has a merge conflict in updatedAt; `forge-tasks check --fix` settles it"
        );
        assert!(said.starts_with(&expected), "{said}");
        let newer = repository.updated_at("main");
        assert!(newer > repository.updated_at("theirs"), "it was changed later");
        repository.mended();
        let task = repository.project.file(SHARED);
        assert!(task.contains("Look at the lexer.") && task.contains(&newer), "{task}");
        assert!(!task.contains("<<<<<<<"), "{task}");
        repository.commit();
    }
}

#[test]
fn a_conflict_of_two_answers_is_left_to_a_person() {
    let repository =
        Repository::with_changes(&["edit", "2", "-s", "blocked"], &["edit", "2", "-s", "done"]);
    let said = repository.project.run(&["check", "--plain"]).stdout;
    let both = "has a merge conflict in line 4; edit the file, and one in updatedAt";
    assert!(said.contains(both), "{said}");
    let fixed = repository.project.run(&["check", "--fix", "--plain"]);
    assert_eq!(fixed.code, Some(1), "{fixed}");
    let expected = format!(
        "fixed | - | {SHARED}: the conflict in updatedAt, with the newer time\n\
         merge-conflict | - | {SHARED} has a merge conflict in line 4; edit the file\n"
    );
    assert_eq!(fixed.stdout, expected);
    assert_eq!(repository.project.file(SHARED).matches("<<<<<<<").count(), 1);
}

#[test]
fn a_conflict_in_a_text_is_named() {
    let notes = |text| ["edit", "2", "--append-notes", text];
    let repository = Repository::with_changes(&notes("Theirs."), &notes("Ours."));
    assert_eq!(kinds(&repository.project), ["merge-conflict"]);
    let fixed = repository.project.run(&["check", "--fix", "--plain"]);
    assert_eq!(fixed.code, Some(1), "{fixed}");
    let left = fixed.stdout.lines().last().unwrap_or_default().to_owned();
    assert!(left.starts_with("merge-conflict | TASK-002 | "), "{left}");
    assert!(left.ends_with("; edit the file"), "{left}");
    assert_eq!(repository.project.field("2", "status"), "To Do", "it can be read again");
}
