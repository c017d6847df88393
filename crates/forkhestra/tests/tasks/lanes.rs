//! Agents in lanes of a run.

use testkit::CommandOutput;

use crate::task_test_project::TaskTestProject;

fn in_lane(project: &TaskTestProject, lane: &str, arguments: &[&str]) -> CommandOutput {
    let mut command = project.command(arguments);
    command.env("FORKHESTRA_RUN_ID", "k3v").env("FORKHESTRA_LANE", lane);
    project.env.output_of(&mut command)
}

#[test]
fn a_task_that_is_done_in_a_lane_is_landing() {
    let project = TaskTestProject::with(&["One", "Two"]);
    project.ok(&["edit", "2", "--add-dep", "1"]);
    in_lane(&project, "2", &["claim", "--as", "builder"]).success();
    assert!(project.file("TASK-001").contains("leaseRun: k3v\nleaseLane: \"2\"\n"));
    in_lane(&project, "2", &["edit", "1", "-s", "done"]).success();
    let file = project.file("TASK-001");
    assert!(file.contains("status: Done\n") && file.contains("landing: k3v/2\n"), "{file}");
    assert!(!file.contains("lease"), "{file}");
    assert_eq!(project.field("1", "status"), "Landing");
    assert_eq!(project.field("1", "landing"), "k3v/2");
    let listed = project.ok(&["list"]);
    assert!(listed.contains("◒ Landing") && listed.contains("1 landing"), "{listed}");
    assert_eq!(project.ok(&["list", "--ready", "--plain"]), "");
    let shown = project.ok(&["view", "1"]);
    assert!(shown.contains("◒ Landing") && shown.contains("in lane 2 of run k3v"), "{shown}");
    let board = project.ok(&["board"]);
    assert!(board.contains("◒ Landing (1)"), "{board}");
    let landing = project.ok(&["list", "-s", "landing", "--plain"]);
    assert!(landing.starts_with("TASK-001 | Landing | "), "{landing}");
    let claim = project.run(&["claim"]);
    assert_eq!(claim.code, Some(3), "{claim}");
    let why = "TASK-001 is done in lane 2 of run k3v, and has not landed yet; \
               TASK-002 waits for TASK-001";
    assert!(claim.stderr.contains(why), "{claim}");
    assert_eq!(project.ok(&["archive", "--done"]), "Nothing to archive\n");
    project.ok(&["edit", "1", "-s", "done"]);
    assert_eq!(project.field("1", "status"), "Done");
}

#[test]
fn two_lanes_of_a_run_are_different_owners() {
    let project = TaskTestProject::with(&["One", "Two"]);
    let claim = |lane| in_lane(&project, lane, &["claim", "--as", "builder", "--plain"]);
    assert!(claim("1").success().starts_with("id=TASK-001\n"));
    assert!(claim("2").success().starts_with("id=TASK-002\n"));
    assert!(claim("1").success().starts_with("id=TASK-001\n"), "it is its own");
    let other = in_lane(&project, "2", &["claim", "1", "--as", "builder"]);
    assert_eq!(other.code, Some(3), "{other}");
}

#[test]
fn nobody_sets_a_task_to_landing() {
    let project = TaskTestProject::with(&["One"]);
    let refused = project.run(&["edit", "1", "-s", "landing"]);
    assert_eq!(refused.code, Some(1), "{refused}");
    assert!(refused.stderr.contains("there are todo, in-progress, done and blocked"), "{refused}");
}
