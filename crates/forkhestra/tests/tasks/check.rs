//! What is wrong, and mending it.

use std::process::Command;

use crate::project::{Project, task_file};

fn kinds(project: &Project) -> Vec<String> {
    let output = project.run(&["check", "--json"]);
    let report: serde_json::Value = serde_json::from_str(&output.stdout).expect("it is JSON");
    let problems = report["problems"].as_array().expect("it is a list");
    assert_eq!(output.code, Some(i32::from(!problems.is_empty())), "{output}");
    problems
        .iter()
        .map(|problem| problem["kind"].as_str().expect("it is text").to_owned())
        .collect()
}

#[test]
fn a_sound_database_has_no_problems() {
    let project = Project::with(&["One", "Two"]);
    project.ok(&["edit", "2", "--add-dep", "1"]);
    assert_eq!(kinds(&project), [""; 0]);
    assert_eq!(project.run(&["check"]).code, Some(0));
}

#[test]
fn everything_that_is_wrong_is_found() {
    let project = Project::new();
    project.write("config.json", "{\"lastIdNumber\": 9}");
    project.write(
        "TASK-001 - A.md",
        &task_file("TASK-001", "A", "status: todo\ndependencies: [TASK-002]\n", ""),
    );
    project.write(
        "TASK-002 - B.md",
        &task_file("TASK-002", "B", "status: todo\ndependencies: [TASK-001, TASK-099]\n", ""),
    );
    project.write(
        "TASK-003 - C.md",
        &task_file("TASK-003", "C", "status: done\n", "## Acceptance Criteria\n- [ ] open\n"),
    );
    project.write(
        "TASK-004 - D.md",
        &task_file("TASK-004", "D", "status: odd\nparent: TASK-098\n", ""),
    );
    project.write("TASK-004 - E.md", &task_file("task-4", "E", "status: todo\n", ""));
    project.write("TASK-009 - F.md", &task_file("TASK-005", "F", "status: todo\n", ""));
    project.write("broken.md", "");
    let mut found = kinds(&project);
    found.sort();
    assert_eq!(
        found,
        [
            "broken-file",
            "cycle",
            "duplicate-id",
            "misnamed-file",
            "missing-dependency",
            "missing-parent",
            "odd-value",
            "open-criteria"
        ]
    );
    let output = project.run(&["check", "--plain"]);
    assert_eq!((output.code, output.stdout.lines().count()), (Some(1), 8), "{output}");
}

#[test]
fn an_id_that_two_tasks_have_is_told_wherever_it_matters_and_can_be_mended() {
    let project = Project::with(&["One"]);
    let text = |title: &str, more: &str| {
        task_file("TASK-001", title, &format!("status: todo\n{more}"), "")
    };
    project.write(
        "TASK-001 - Younger.md",
        &text("Younger", "createdAt: \"2099-01-01T00:00:00.000Z\"\n"),
    );
    let said = project.refused(&["edit", "1", "-s", "done"]);
    assert!(said.contains("TASK-001 - One.md") && said.contains("check --fix"), "{said}");
    let output = project.run(&["check", "--fix", "--plain"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(project.names(), ["TASK-001 - One.md", "TASK-002 - Younger.md", "config.json"]);
    assert_eq!(project.field("2", "title"), "Younger");
    assert_eq!(project.ok(&["create", "Next", "--plain"]), "TASK-003\n");
}

/// Two branches that both create tasks, merged.
#[test]
fn references_follow_the_task_of_their_own_branch() {
    let project = Project::new();
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        command.current_dir(project.env.project()).args([
            "-c",
            "user.name=Ada",
            "-c",
            "user.email=ada@example.org",
            "-c",
            "init.defaultBranch=main",
        ]);
        let output = command
            .args(arguments)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .output()
            .expect("there is git");
        (output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let commit = |message: &str| {
        assert!(git(&["add", "-A"]).0);
        assert!(git(&["commit", "-qm", message]).0);
    };
    project.env.borrow_program("git");
    assert!(git(&["init", "-q"]).0);
    project.ok(&["create", "Common"]);
    commit("common");
    // On the first branch: TASK-002 and TASK-003, which needs it.
    assert!(git(&["checkout", "-qb", "theirs"]).0);
    project.ok(&["create", "Their base"]);
    project.ok(&["create", "Their top", "--depends-on", "2"]);
    commit("theirs");
    // On the second one the same numbers, created later.
    assert!(git(&["checkout", "-q", "main"]).0);
    project.ok(&["create", "Our base"]);
    project.ok(&["create", "Our top", "--depends-on", "2", "--parent", "2"]);
    commit("ours");
    // The counter of both is the same, so that git sees no conflict.
    let (merged, said) = git(&["merge", "-q", "--no-edit", "theirs"]);
    assert!(merged, "{said}");
    assert_eq!(kinds(&project), ["duplicate-id", "duplicate-id"]);

    let output = project.run(&["check", "--fix", "--plain"]);
    assert_eq!(output.code, Some(0), "{output}");
    let printed = project.ok(&["list", "--plain"]);
    let id_of = |title: &str| {
        let line = printed.lines().find(|line| line.ends_with(title)).expect("it is there");
        line.split(' ').next().unwrap_or_default().to_owned()
    };
    for whose in ["Our", "Their"] {
        let depends_on = project.field(&id_of(&format!("{whose} top")), "dependencies");
        assert_eq!(depends_on, serde_json::json!([id_of(&format!("{whose} base"))]), "{output}");
    }
    assert_eq!(project.field(&id_of("Our top"), "parent"), id_of("Our base").as_str());
    assert_eq!(id_of("Their base"), "TASK-002", "the elder keeps its number");
}

#[test]
fn a_merge_conflict_in_the_counter_can_be_settled() {
    let project = Project::with(&["One"]);
    let config = project.file("config.json");
    let conflict = config.replace(
        "  \"lastIdNumber\": 1\n",
        "<<<<<<< HEAD\n  \"lastIdNumber\": 7\n=======\n  \"lastIdNumber\": 12\n>>>>>>> theirs\n",
    );
    assert_ne!(conflict, config);
    project.write("config.json", &conflict);
    let said = project.refused(&["create", "Two"]);
    assert!(said.contains("merge conflict") && said.contains("check --fix"), "{said}");
    assert_eq!(kinds(&project), ["config"]);
    let output = project.run(&["check", "--fix"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(
        project.file("config.json"),
        config.replace("\"lastIdNumber\": 1", "\"lastIdNumber\": 12")
    );
    assert_eq!(project.ok(&["create", "Two", "--plain"]), "TASK-013\n");
}
