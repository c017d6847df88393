//! Steps with lanes work through the one task database of the project.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use rustix::process::{Pid, Signal};
use testkit::{CommandOutput, TestEnv, TestProcess, eventually, kill};

use crate::support::{events_of, forkhestra, git, reason, repository};
use crate::{FORGE_TASKS, FORKHESTRA};

/// Claims a task, and notes it with the lane.
const CLAIM: &str = r#"
    id=$(forge-tasks claim --plain | sed -n 's/^id=//p')
    [ -n "$id" ] || exit 0
    echo "$id $FORKHESTRA_LANE" >> "$NOTES/claims"
"#;

const FINISH: &str = r#"
    git add --all
    git commit --quiet --message "Do $id"
    forge-tasks edit "$id" --status done --plain
"#;

/// Waits until two tasks were claimed.
const MEET: &str = r#"until [ $(grep -c . "$NOTES/claims") -ge 2 ]; do sleep 0.02; done"#;

/// A repository with tasks, which are created with these arguments, and an agent.
struct LanesProject {
    env: TestEnv,
    notes: PathBuf,
}

impl LanesProject {
    fn new(tasks: &[&[&str]], agent: &str) -> Self {
        let env = repository();
        let notes = env.home().join("notes");
        fs::create_dir(&notes).expect("the place is ours");
        for args in tasks {
            let args = [&["create"], *args].concat();
            let done = env.run(FORGE_TASKS, &args);
            assert_eq!(done.code, Some(0), "{args:?}: {done}");
        }
        env.agent("a", &format!("NOTES='{}'\n{CLAIM}{agent}", notes.display()));
        git(&env, "add --all");
        git(&env, "commit --quiet --message tasks");
        Self { env, notes }
    }

    fn run(&self, chain: &str) -> CommandOutput {
        forkhestra(&self.env, &[chain, "--check", "tasks"])
    }

    /// The lanes in which each task was claimed.
    fn claims(&self) -> BTreeMap<String, Vec<String>> {
        let mut claims: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let text = fs::read_to_string(self.notes.join("claims")).expect("tasks were claimed");
        for (id, lane) in text.lines().filter_map(|line| line.split_once(' ')) {
            claims.entry(id.to_owned()).or_default().push(lane.to_owned());
        }
        claims
    }

    fn statuses(&self) -> Vec<String> {
        let listed = self.env.run(FORGE_TASKS, &["list", "--json"]);
        let listed: serde_json::Value = serde_json::from_str(&listed.stdout).expect("it is JSON");
        let tasks = listed.as_array().expect("it is a list").iter();
        tasks.map(|task| task["status"].as_str().unwrap_or_default().to_owned()).collect()
    }

    /// How many commits that are in the user's branch did each task.
    fn commits(&self) -> BTreeMap<String, usize> {
        let mut commits = BTreeMap::new();
        for line in git(&self.env, "log --format=%s").lines() {
            if let Some(id) = line.strip_prefix("Do ") {
                *commits.entry(id.to_owned()).or_default() += 1;
            }
        }
        commits
    }

    #[track_caller]
    fn assert_all_is_done(&self, output: &CommandOutput, tasks: usize) {
        assert_eq!((output.code, &*reason(&self.env)), (Some(0), "tasks_done"), "{output}");
        assert_eq!(self.statuses(), vec!["Done"; tasks], "{output}");
        assert_eq!(git(&self.env, "status --short"), "", "{output}");
    }
}

#[test]
fn every_task_is_worked_on_once_and_lands() {
    let agent = format!(
        r#"
        [ "$id" != TASK-006 ] || ls > "$NOTES/seen"
        echo "$id" > "$id.txt"
        {FINISH}"#
    );
    let last: &[&str] = &["six", "--depends-on", "1"];
    let project =
        LanesProject::new(&[&["one"], &["two"], &["three"], &["four"], &["five"], last], &agent);
    let output = project.run("a:20 x3");
    project.assert_all_is_done(&output, 6);
    let claims = project.claims();
    assert_eq!(claims.len(), 6, "{output}");
    assert!(claims.values().all(|lanes| lanes.len() == 1), "{claims:?}: {output}");
    assert_eq!(events_of(&project.env, "iteration_started").len(), 6, "{output}");
    let seen = fs::read_to_string(project.notes.join("seen")).expect("the last one was claimed");
    assert!(seen.contains("TASK-001.txt"), "what it waits for has landed: {seen}");
    let log = git(&project.env, "log --format=%s");
    assert!(log.contains("Land TASK-006: six\n"), "{log}");
    let committed = git(&project.env, "grep --name-only -e '^status: Done' HEAD -- forge");
    assert_eq!(committed.lines().count(), 6, "{committed}");
    let finished: Vec<String> = events_of(&project.env, "tasks_changed")
        .iter()
        .flat_map(|event| event["changes"].as_array().cloned().unwrap_or_default())
        .filter(|change| change["kind"] == "finished")
        .map(|change| change["id"].as_str().unwrap_or_default().to_owned())
        .collect();
    assert_eq!(finished.len(), 6, "each is told once: {finished:?}");
}

#[test]
fn a_task_in_conflict_goes_back_to_its_lane_and_lands_after_the_repair() {
    let agent = format!(
        r#"
        if [ -z "$FORKHESTRA_FEEDBACK" ]; then
            {MEET}
            echo "$id" > shared.txt
        else
            git merge --quiet -X ours refs/forkhestra/integration
            echo "$id repaired" > shared.txt
        fi
        {FINISH}"#
    );
    let project = LanesProject::new(&[&["one"], &["two"]], &agent);
    let output = project.run("a:20 x2");
    project.assert_all_is_done(&output, 2);
    assert_eq!(events_of(&project.env, "landing_refused").len(), 1, "{output}");
    let claims = project.claims();
    let again = claims.values().find(|lanes| lanes.len() == 2).expect("one was claimed again");
    assert_eq!(again[0], again[1], "{claims:?}: {output}");
    assert_eq!(claims.values().map(Vec::len).sum::<usize>(), 3, "{claims:?}: {output}");
    assert!(project.env.read("shared.txt").ends_with(" repaired\n"));
}

#[test]
fn the_task_of_parked_work_is_blocked_and_says_how_to_have_it_back() {
    let agent = format!(
        r#"
        {MEET}
        echo "$id $FORKHESTRA_ITERATION" > shared.txt
        {FINISH}"#
    );
    let project = LanesProject::new(&[&["one"], &["two"]], &agent);
    let output = project.run("a:20 x2");
    assert_eq!((output.code, &*reason(&project.env)), (Some(1), "tasks_blocked"), "{output}");
    let mut statuses = project.statuses();
    statuses.sort();
    assert_eq!(statuses, ["Blocked", "Done"], "{output}");
    let claims = project.claims();
    let (id, lanes) = claims.iter().find(|(_, lanes)| lanes.len() > 1).expect("one was refused");
    assert!(lanes.len() == 3 && lanes.iter().all(|lane| *lane == lanes[0]), "{claims:?}");
    let shown = project.env.run(FORGE_TASKS, &["view", id, "--plain"]).success();
    let command = shown.split("git merge ").nth(1).expect("it is said how to have it back");
    let reference = command.split_whitespace().next().unwrap_or_default();
    let parked = git(&project.env, &format!("log -1 --format=%s {reference}"));
    assert_eq!(parked, format!("Do {id}\n"), "{shown}");
}

#[test]
fn after_a_kill_no_task_is_done_twice_or_lost() {
    let agent = format!(
        r#"
        echo "$id" > "$id.txt"
        if [ "$id" = TASK-002 ] && [ ! -e "$NOTES/up" ]; then
            touch "$NOTES/up"
            while :; do sleep 1000; done
        fi
        {FINISH}"#
    );
    let project = LanesProject::new(&[&["one"], &["two"], &["three"], &["four"]], &agent);
    let mut run = project.env.command(FORKHESTRA);
    let mut run = run.args(["a:20 x2", "--check", "tasks", "--quiet"]).spawn().expect("it starts");
    eventually("the task is being worked on", || project.notes.join("up").exists().then_some(()));
    let guard = TestProcess(Pid::from_child(&run));
    let runner = guard.children();
    kill(guard, Signal::STOP);
    runner.iter().for_each(|runner| kill(*runner, Signal::KILL));
    kill(guard, Signal::KILL);
    run.wait().expect("it is our child");
    eventually("the runner is gone", || runner.iter().all(|runner| runner.is_gone()).then_some(()));
    let output = forkhestra(&project.env, &["resume"]);
    project.assert_all_is_done(&output, 4);
    let commits = project.commits();
    assert_eq!(commits.len(), 4, "{commits:?}: {output}");
    assert!(commits.values().all(|number| *number == 1), "{commits:?}: {output}");
    let claims = project.claims();
    let lanes = &claims["TASK-002"];
    assert!(lanes.len() == 2 && lanes[0] == lanes[1], "{claims:?}: {output}");
}
