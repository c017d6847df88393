use std::fs;

use forkhestra_core::policy::{TaskQuery, TaskWork};
use forkhestra_engine::TaskDatabases;

use super::*;

const LEASED: &str =
    "status: In Progress\nleaseUntil: \"2999-01-01T00:00:00.000Z\"\nleaseRun: k3v\nleaseLane: ";

/// A database whose tasks have these lines of front matter, numbered from one.
struct LaneTasksCase {
    tasks: LocalLaneTasks,
    databases: Arc<LocalTaskDatabases>,
    directory: tempfile::TempDir,
}

impl LaneTasksCase {
    fn new(fronts: &[&str]) -> Self {
        let directory = tempfile::tempdir().expect("there is room");
        for (number, front) in (1..).zip(fronts) {
            write(directory.path(), number, front);
        }
        let databases = Arc::new(LocalTaskDatabases::for_test(directory.path()));
        let database = Some(directory.path().to_owned());
        let tasks = LocalLaneTasks::new(Arc::clone(&databases), database);
        Self { tasks, databases, directory }
    }

    fn text(&self, number: u32) -> String {
        let file = self.directory.path().join(format!("TASK-{number} - It.md"));
        fs::read_to_string(file).expect("it is there")
    }

    /// Starts an agent of a holder.
    fn begin(&self, holder: &str) {
        self.databases.save_baseline(Some(self.directory.path()), holder).expect("it is saved");
    }

    /// The changes that are told of an agent that has ended.
    fn changes(&self, holder: &str) -> Vec<String> {
        let found = self.databases.changes(self.directory.path(), holder);
        let changes = found.into_iter().flat_map(|found| found.changes);
        changes.map(|change| format!("{} {}", change.id, change.kind.label())).collect()
    }
}

fn write(directory: &Path, number: u32, front: &str) {
    let text = format!("---\nid: TASK-{number}\ntitle: It {number}\n{front}\n---\n");
    fs::write(directory.join(format!("TASK-{number} - It.md")), text).expect("it is ours");
}

fn owned(ids: &[&str]) -> Vec<String> {
    ids.iter().map(|id| (*id).to_owned()).collect()
}

#[test]
fn tasks_land_as_their_files_were_committed() {
    let case = LaneTasksCase::new(&[
        "status: Done\nlanding: k3v/1\nupdatedAt: \"2026-11-15T12:00:00.000Z\"",
        "status: Done\nlanding: k3v/2",
        "status: Done\nlanding: k3v/1",
    ]);
    let landing = case.tasks.landing("k3v/1").expect("they can be read");
    let names: Vec<(&str, &str)> =
        landing.iter().map(|task| (task.id.as_str(), task.title.as_str())).collect();
    assert_eq!(names, [("TASK-1", "It 1"), ("TASK-3", "It 3")]);
    let ids = owned(&["TASK-1", "TASK-2"]);
    let files = case.tasks.files("k3v/1", &ids).expect("they can be read");
    let [file] = files.as_slice() else { panic!("the other one is of another lane: {files:?}") };
    case.tasks.landed("k3v/1", &ids).expect("it can be written");
    assert_eq!(fs::read(&file.path).expect("it is there"), file.content);
    assert!(!case.text(1).contains("landing") && case.text(1).contains("status: Done"));
    assert!(case.text(2).contains("landing") && case.text(3).contains("landing"));
}

#[test]
fn a_task_that_is_given_back_belongs_to_its_lane() {
    let case = LaneTasksCase::new(&["status: Done\nlanding: k3v/1"]);
    case.tasks.send_back("k3v/1", &owned(&["TASK-1"])).expect("it can be written");
    let text = case.text(1);
    assert!(text.contains("status: In Progress") && text.contains("leaseLane: \"1\""), "{text}");
    let work =
        |holder| case.databases.work_for(case.directory.path(), holder, &TaskQuery::default());
    let ids = owned(&["TASK-1"]);
    assert_eq!(work("k3v/1"), TaskWork::Ready { ready: ids.clone(), open: ids });
    assert!(matches!(work("k3v/2"), TaskWork::Taken(_)));
}

#[test]
fn the_tasks_of_parked_work_are_blocked() {
    let case = LaneTasksCase::new(&[
        "status: Done\nlanding: k3v/1",
        &format!("{LEASED}1"),
        &format!("{LEASED}2"),
        "status: To Do",
        "status: To Do",
        "status: Done",
    ]);
    let ids = owned(&["TASK-1", "TASK-3", "TASK-4", "TASK-6"]);
    case.tasks.block("k3v/1", &ids, "It is parked at refs/x.").expect("it can be written");
    for (number, is_blocked) in
        [(1, true), (2, true), (3, false), (4, true), (5, false), (6, false)]
    {
        let text = case.text(number);
        assert_eq!(text.contains("status: Blocked"), is_blocked, "{text}");
        assert_eq!(text.contains("It is parked at refs/x."), is_blocked, "{text}");
        assert!(!is_blocked || !text.contains("lease") && !text.contains("landing"), "{text}");
    }
}

#[test]
fn each_lane_tells_only_its_own_changes_and_each_change_is_told_once() {
    let case = LaneTasksCase::new(&["status: To Do", "status: To Do", "status: To Do"]);
    let directory = case.directory.path();
    case.begin("k3v/1");
    case.begin("k3v/2");
    write(directory, 1, "status: Done\nlanding: k3v/1");
    write(directory, 2, &format!("{LEASED}2"));
    write(directory, 3, "status: Blocked");
    assert_eq!(case.changes("k3v/1"), ["TASK-1 finished", "TASK-3 blocked"]);
    case.tasks.landed("k3v/1", &owned(&["TASK-1"])).expect("it can be written");
    assert_eq!(case.changes("k3v/2"), ["TASK-2 claimed"]);
    // What forkhestra itself does is no change of an agent.
    case.begin("k3v/1");
    case.tasks.block("k3v/2", &[], "It is parked.").expect("it can be written");
    assert_eq!(case.changes("k3v/1"), [""; 0]);
}

#[test]
fn the_unfinished_tasks_of_one_lane_are_released() {
    let case = LaneTasksCase::new(&[
        &format!("{LEASED}1"),
        &format!("{LEASED}2"),
        "status: Done\nlanding: k3v/2",
    ]);
    let release = |holder| {
        let released = case.databases.release_tasks(case.directory.path(), holder);
        released.expect("it can be written");
        [1, 2, 3].map(|number| case.text(number).lines().nth(3).unwrap_or_default().to_owned())
    };
    assert_eq!(release("k3v/1"), ["status: To Do", "status: In Progress", "status: Done"]);
    assert_eq!(release("k3v"), ["status: To Do", "status: To Do", "status: In Progress"]);
}
