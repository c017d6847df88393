//! Claiming tasks.

use crate::task_test_project::TaskTestProject;

fn claim(project: &TaskTestProject, arguments: &[&str]) -> testkit::CommandOutput {
    project.run(&[&["claim", "--plain", "--as", "ada"], arguments].concat())
}

fn id(output: testkit::CommandOutput) -> String {
    let printed = output.success();
    let line = printed.lines().next().unwrap_or_default();
    line.strip_prefix("id=").unwrap_or_else(|| panic!("{printed}")).to_owned()
}

#[test]
fn the_best_ready_task_is_claimed() {
    let project = TaskTestProject::new();
    project.ok(&["create", "Low", "-p", "low"]);
    project.ok(&["create", "Needs low", "-p", "high", "--depends-on", "1"]);
    project.ok(&["create", "Medium", "-p", "medium"]);
    let printed = claim(&project, &[]).success();
    assert!(
        printed.starts_with(
            "id=TASK-003\ntitle=Medium\nstatus=In Progress\npriority=medium\nassignee=ada\n"
        ),
        "{printed}"
    );
    assert_eq!(id(claim(&project, &[])), "TASK-001");
    let nothing = claim(&project, &[]).failure(3);
    assert!(
        nothing.starts_with("nothing is ready: TASK-001 is in progress (ada, until 20"),
        "{nothing}"
    );
    assert!(nothing.contains("; TASK-002 waits for TASK-001; "), "{nothing}");
    project.ok(&["edit", "1", "-s", "done"]);
    assert_eq!(id(claim(&project, &[])), "TASK-002");
    for task in ["2", "3"] {
        project.ok(&["edit", task, "-s", "done"]);
    }
    assert_eq!(claim(&project, &[]).failure(3), "all 3 tasks are done\n");
}

#[test]
fn a_named_task_is_claimed_or_refused_with_a_reason() {
    let project = TaskTestProject::with(&["One", "Two", "Three"]);
    project.ok(&["edit", "3", "--add-dep", "1"]);
    assert_eq!(id(claim(&project, &["2"])), "TASK-002");
    for (arguments, why) in
        [("2", "TASK-002 is in progress (ada, until "), ("3", "TASK-003 waits for TASK-001\n")]
    {
        let message = claim(&project, &[arguments]).failure(3);
        assert!(message.starts_with(why), "{message}");
    }
    project.ok(&["edit", "1", "-s", "blocked"]);
    assert_eq!(claim(&project, &["1"]).failure(3), "TASK-001 is blocked\n");
    claim(&project, &["9"]).failure(1);
}

#[test]
fn an_expired_lease_lets_others_claim_the_task() {
    let project = TaskTestProject::with(&["One"]);
    assert_eq!(id(claim(&project, &["--lease", "2h"])), "TASK-001");
    claim(&project, &[]).failure(3);
    let text = project.file("TASK-001");
    let until = text
        .split("leaseUntil: \"")
        .nth(1)
        .and_then(|rest| rest.get(..24))
        .expect("there is a lease");
    project.write("TASK-001 - One.md", &text.replace(until, "2026-01-01T00:00:00.000Z"));
    assert_eq!(id(project.run(&["claim", "--plain", "--as", "bob"])), "TASK-001");
    assert_eq!(project.field("1", "assignee"), "bob");
}

#[test]
fn released_and_done_tasks_have_no_owner() {
    let project = TaskTestProject::with(&["One"]);
    claim(&project, &[]).success();
    assert_eq!(project.ok(&["release", "1", "--plain"]), "released TASK-001\n");
    assert_eq!(project.field("1", "status"), "To Do");
    assert_eq!(project.field("1", "assignee"), serde_json::Value::Null);
    assert!(!project.file("TASK-001").contains("lease"));
    let message = project.refused(&["release", "1"]);
    assert_eq!(message, "TASK-001 is To Do; only what is in progress can be released");
    claim(&project, &[]).success();
    project.ok(&["edit", "1", "-s", "done"]);
    assert!(!project.file("TASK-001").contains("lease"));
}

#[test]
fn the_owner_of_a_claim_comes_from_the_environment() {
    let project = TaskTestProject::with(&["One", "Two", "Three"]);
    let claimed_with = |name: &str, value: &str| {
        let mut command = project.command(&["claim", "--plain"]);
        command.env(name, value);
        project.env.output_of(&mut command)
    };
    assert!(claimed_with("FORKHESTRA_AGENT", "builder").success().contains("assignee=builder\n"));
    assert!(claimed_with("USER", "ada").success().contains("assignee=ada\n"));
    // A container may set no user variable; the account name or a default is used.
    assert_ne!(project.ok(&["claim", "--json"]), "");
    assert_ne!(project.field("3", "assignee"), serde_json::Value::Null);
}

#[test]
fn an_uneditable_file_blocks_no_claim() {
    let project = TaskTestProject::with(&["One"]);
    project.write(
        "TASK-002 - B.md",
        "---\n{id: TASK-002, title: B, status: todo, priority: high}\n---\n",
    );
    project.write(
        "TASK-003 - C.md",
        &crate::task_test_project::task_file(
            "TASK-003",
            "C",
            "status: Cancelled\npriority: high\n",
            "",
        ),
    );
    for title in ["D", "E"] {
        let text = crate::task_test_project::task_file(
            "TASK-004",
            title,
            "status: todo\npriority: high\n",
            "",
        );
        project.write(&format!("TASK-004 - {title}.md"), &text);
    }
    let output = claim(&project, &[]);
    assert!(output.stdout.starts_with("id=TASK-001\n"), "{output}");
    for id in ["TASK-002", "TASK-003", "TASK-004"] {
        let message =
            output.stderr.lines().filter(|line| line.contains(&format!("{id} is passed over")));
        assert!(message.count() >= 1, "{output}");
    }
    // A claim of a named task is refused with a reason, or succeeds.
    claim(&project, &["2"]).failure(1);
    assert!(claim(&project, &["3"]).stdout.starts_with("id=TASK-003\n"));
}

#[test]
fn an_unreadable_task_is_named_and_does_not_count_as_done() {
    let project = TaskTestProject::with(&["One"]);
    project.ok(&["edit", "1", "-s", "done"]);
    project.write("TASK-002 - Two.md", "---\nid: TASK-002\ntitle: [\n---\n");
    let message = claim(&project, &[]).failure(3);
    let lines: Vec<&str> = message.lines().collect();
    assert!(
        lines[0].starts_with("warning: forge/tasks/TASK-002 - Two.md cannot be read: line "),
        "{message}"
    );
    assert_eq!(lines[1], "the only task is done, but 1 file cannot be read");
}

#[test]
fn a_lease_can_be_extended() {
    let project = TaskTestProject::with(&["One"]);
    let claimed = |run: &str, arguments: &[&str]| {
        let mut command =
            project.command(&[&["claim", "--as", "builder", "--plain"], arguments].concat());
        command.env("FORKHESTRA_RUN_ID", run);
        project.env.output_of(&mut command)
    };
    claimed("a-run", &["--lease", "1h"]).success();
    let before = project.file("TASK-001");
    claimed("another-run", &["1"]).failure(3);
    claimed("a-run", &[]).failure(3);
    claimed("a-run", &["1", "--lease", "5h"]).success();
    assert_ne!(project.file("TASK-001"), before);
}

#[test]
fn without_tasks_there_is_nothing_to_claim() {
    let project = TaskTestProject::new();
    assert_eq!(claim(&project, &[]).failure(3), "there are no tasks\n");
    claim(&project, &["1"]).failure(1);
    assert!(!project.env.has("forge"), "and nothing was created");
}

#[test]
fn a_lease_ends_with_its_run() {
    let project = TaskTestProject::with(&["One"]);
    let program = env!("CARGO_BIN_EXE_forge-tasks");
    project.env.agent(
        "builder",
        &format!(
            "{program} claim --lease 10h --plain > taken\n\
             # It is ours as long as the run goes on.\n\
             env -u FORKHESTRA_RUN_ID {program} claim --as somebody-else 2> refused; echo $? > code\n\
             cat forge/tasks/TASK-001* > task"
        ),
    );
    let output = project.env.run(env!("CARGO_BIN_EXE_forkhestra"), &["builder", "--quiet"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert!(project.env.read("taken").contains("\nassignee=builder\n"));
    assert_eq!(project.env.read("code"), "3\n");
    assert!(project.env.read("refused").contains("TASK-001 is in progress (builder, until "));
    assert!(project.env.read("task").contains("\nleaseRun: "));
    assert!(!project.file("TASK-001").contains("lease"), "it was given back");
    assert_eq!(id(claim(&project, &[])), "TASK-001", "the run is over");
    assert!(!project.file("TASK-001").contains("leaseRun"), "the new lease has no run");
}

#[test]
fn tasks_in_progress_without_a_lease_are_claimed_first() {
    let project = TaskTestProject::with(&["One", "Two"]);
    project.ok(&["edit", "1", "-p", "high"]);
    project.ok(&["edit", "2", "-s", "in-progress"]);
    let ready = project.ok(&["list", "--ready", "--plain"]);
    assert!(ready.contains("TASK-001") && ready.contains("TASK-002"), "{ready}");
    assert_eq!(id(claim(&project, &[])), "TASK-002");
    let ready = project.ok(&["list", "--ready", "--plain"]);
    assert!(!ready.contains("TASK-002"), "a lease holds: {ready}");
    assert_eq!(id(claim(&project, &[])), "TASK-001");
}
