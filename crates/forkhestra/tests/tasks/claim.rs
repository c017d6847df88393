//! Taking tasks.

use crate::project::Project;

fn claim(project: &Project, arguments: &[&str]) -> testkit::CommandOutput {
    project.run(&[&["claim", "--plain", "--as", "ada"], arguments].concat())
}

fn id(output: testkit::CommandOutput) -> String {
    let printed = output.success();
    let line = printed.lines().next().unwrap_or_default();
    line.strip_prefix("id=").unwrap_or_else(|| panic!("{printed}")).to_owned()
}

#[test]
fn the_best_task_that_is_ready_is_taken() {
    let project = Project::new();
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
fn one_that_is_named_is_taken_or_it_is_told_why_not() {
    let project = Project::with(&["One", "Two", "Three"]);
    project.ok(&["edit", "3", "--add-dep", "1"]);
    assert_eq!(id(claim(&project, &["2"])), "TASK-002");
    for (arguments, why) in
        [("2", "TASK-002 is in progress (ada, until "), ("3", "TASK-003 waits for TASK-001\n")]
    {
        let said = claim(&project, &[arguments]).failure(3);
        assert!(said.starts_with(why), "{said}");
    }
    project.ok(&["edit", "1", "-s", "blocked"]);
    assert_eq!(claim(&project, &["1"]).failure(3), "TASK-001 is blocked\n");
    claim(&project, &["9"]).failure(1);
}

#[test]
fn a_lease_that_ran_out_lets_others_take_the_task() {
    let project = Project::with(&["One"]);
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
fn what_is_released_or_done_is_nobodys() {
    let project = Project::with(&["One"]);
    claim(&project, &[]).success();
    assert_eq!(project.ok(&["release", "1", "--plain"]), "released TASK-001\n");
    assert_eq!(project.field("1", "status"), "To Do");
    assert_eq!(project.field("1", "assignee"), serde_json::Value::Null);
    assert!(!project.file("TASK-001").contains("lease"));
    let said = project.refused(&["release", "1"]);
    assert_eq!(said, "TASK-001 is To Do; only what is in progress can be released");
    claim(&project, &[]).success();
    project.ok(&["edit", "1", "-s", "done"]);
    assert!(!project.file("TASK-001").contains("lease"));
}

#[test]
fn who_claims_is_told_by_the_surroundings() {
    let project = Project::with(&["One", "Two", "Three"]);
    let claimed_with = |name: &str, value: &str| {
        let mut command = project.command(&["claim", "--plain"]);
        command.env(name, value);
        project.env.output_of(&mut command)
    };
    assert!(claimed_with("FORKHESTRA_AGENT", "builder").success().contains("assignee=builder\n"));
    assert!(claimed_with("USER", "ada").success().contains("assignee=ada\n"));
    let said = project.refused(&["claim"]);
    assert!(said.contains("--as"), "{said}");
}

#[test]
fn without_tasks_there_is_nothing_to_claim() {
    let project = Project::new();
    assert_eq!(claim(&project, &[]).failure(3), "there are no tasks\n");
    assert!(!project.env.has("forge"), "and nothing was created");
}

#[test]
fn a_lease_ends_with_its_run() {
    let project = Project::with(&["One"]);
    let program = env!("CARGO_BIN_EXE_forge-tasks");
    project.env.agent(
        "builder",
        &format!(
            "{program} claim --lease 10h --plain > taken\n\
             # It is ours as long as the run goes on.\n\
             env -u FORKHESTRA_RUN_ID {program} claim --as somebody-else 2> refused; echo $? > code"
        ),
    );
    project.env.run(env!("CARGO_BIN_EXE_forkhestra"), &["builder", "--quiet"]).success();
    assert!(project.env.read("taken").contains("\nassignee=builder\n"));
    assert_eq!(project.env.read("code"), "3\n");
    assert!(project.env.read("refused").contains("TASK-001 is in progress (builder, until "));
    assert!(project.file("TASK-001").contains("\nleaseRun: "));
    assert_eq!(id(claim(&project, &[])), "TASK-001", "the run is over");
    assert!(!project.file("TASK-001").contains("leaseRun"), "the new lease has no run");
}
