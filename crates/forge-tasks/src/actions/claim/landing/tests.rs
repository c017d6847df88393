use jiff::SignedDuration;
use tempfile::TempDir;

use super::*;
use crate::actions::testing::now;
use crate::actions::{
    ClaimPreview, Claimer, LeaseCheck, NewTask, RunRegistry, TaskEdit, TaskReadiness, TaskTexts,
    check, claim, create, edit, preview_claim, preview_claim_in, readiness, release_lane,
};

/// The run `over` has ended; every other one is active.
struct LandingTestRuns;

impl RunRegistry for LandingTestRuns {
    fn is_running(&self, run: &str) -> Option<bool> {
        Some(run != "over")
    }
}

const LEASE: Duration = Duration::from_secs(60);

/// A database in which TASK-002 depends on TASK-001, and TASK-003 on nothing.
struct LandingProject {
    place: TempDir,
}

impl LandingProject {
    fn new() -> Self {
        let project = Self { place: tempfile::tempdir().expect("there is room") };
        let mut writer = project.writer();
        for (title, depends_on) in [("One", None), ("Two", Some("1")), ("Three", None)] {
            let depends_on = depends_on.map(|id| IdQuery::parse(id).expect("it is one"));
            let depends_on = depends_on.into_iter().collect();
            let new = NewTask { title: title.to_owned(), depends_on, ..NewTask::default() };
            create(&mut writer, &new, now()).expect("it can be created");
        }
        project
    }

    fn writer(&self) -> DatabaseWriter {
        DatabaseWriter::open(self.place.path()).expect("it can be written")
    }

    fn set(&self, id: &str, status: TaskStatus, lane: Option<&RunLane>) {
        let change = TaskEdit { status: Some(status), lane: lane.cloned(), ..TaskEdit::default() };
        let id = IdQuery::parse(id).expect("it is one");
        edit(&mut self.writer(), &id, &change, now()).expect("it can be changed");
    }

    fn front(&self, id: &str) -> FrontMatter {
        let id = IdQuery::parse(id).expect("it is one");
        let found = self.writer().database().find(&id).expect("it is there");
        found.content.front().expect("it is a task")
    }

    fn claim(&self, id: Option<&str>, lane: Option<&RunLane>) -> Result<String, String> {
        let id = id.map(|id| IdQuery::parse(id).expect("it is one"));
        let claimer = Claimer {
            name: "builder".to_owned(),
            run: lane.map(|lane| lane.run.clone()),
            lane: lane.map(|lane| lane.lane),
            lease: LEASE,
        };
        let claim = claim(&mut self.writer(), id.as_ref(), &claimer, &LandingTestRuns, now());
        let outcome = claim.expect("it can be claimed").outcome;
        outcome.map(|done| done.task.content.front.id.to_string())
    }

    fn preview(&self, lane: Option<&RunLane>) -> ClaimPreview {
        let all = self.writer().database().fronts(TaskScope::All).expect("they can be read");
        let leases = LeaseCheck { runs: &LandingTestRuns, now: now() };
        match lane {
            Some(lane) => preview_claim_in(lane, &all, &[], leases),
            None => preview_claim(&all, &[], leases),
        }
    }
}

fn lane(text: &str) -> RunLane {
    RunLane::parse(text).expect("it is one")
}

fn names(ids: &[TaskId]) -> Vec<&str> {
    ids.iter().map(TaskId::as_str).collect()
}

fn id(text: &str) -> TaskId {
    TaskId::parse(text).expect("it is one")
}

#[test]
fn what_is_done_in_a_lane_is_not_done_until_it_has_landed() {
    let project = LandingProject::new();
    let own = lane("k3v/2");
    project.set("1", TaskStatus::Done, Some(&own));
    let front = project.front("1");
    assert_eq!((front.status, front.landing.as_ref()), (TaskStatus::Landing, Some(&own)));
    let why = "TASK-001 is done in lane 2 of run k3v, and has not landed yet";
    assert_eq!(project.claim(Some("1"), None), Err(why.to_owned()));
    assert_eq!(project.claim(Some("2"), None), Err("TASK-002 waits for TASK-001".to_owned()));
    assert_eq!(project.claim(None, None), Ok("TASK-003".to_owned()));
    project.set("3", TaskStatus::Done, None);
    let expected = ClaimPreview::Stuck(format!("{why}; TASK-002 waits for TASK-001"));
    assert_eq!(project.preview(None), expected);

    let database = project.place.path();
    let reader = project.writer();
    let landing = landing_tasks(reader.database(), &own).expect("they can be read");
    assert_eq!(names(&landing), ["TASK-001"]);
    drop(reader);
    let wrong = mark_landed(database, &lane("k3v/1"), &landing, now()).expect("it can be written");
    assert_eq!(names(&wrong.tasks), [""; 0], "it is of another lane");
    let files = landed_files(project.writer().database(), &own, &landing);
    let [file] = &files.expect("they can be read")[..] else { panic!("it is one task") };
    let later = now() + SignedDuration::from_secs(9);
    let landed = mark_landed(database, &own, &landing, later).expect("it can be written");
    let text = std::fs::read_to_string(database.join(file.path())).expect("it is there");
    assert_eq!(text, file.content.text(), "it is what was foreseen");
    assert_eq!(names(&landed.tasks), ["TASK-001"]);
    assert_eq!((project.front("1").status, project.front("1").landing), (TaskStatus::Done, None));
    assert_eq!(project.claim(None, None), Ok("TASK-002".to_owned()));
}

#[test]
fn a_task_that_is_sent_back_belongs_to_its_lane() {
    let project = LandingProject::new();
    let (own, other) = (lane("k3v/1"), lane("k3v/2"));
    project.set("3", TaskStatus::Done, Some(&own));
    let sent = send_back(project.place.path(), &own, &[id("TASK-003")], LEASE, now());
    assert_eq!(names(&sent.expect("it can be written").tasks), ["TASK-003"]);
    assert_eq!(project.front("3").status, TaskStatus::InProgress);
    let ready = |tasks: &[&str], open: &[&str]| ClaimPreview::Ready {
        ready: tasks.iter().map(|task| id(task)).collect(),
        open: open.iter().map(|task| id(task)).collect(),
    };
    let open = ["TASK-001", "TASK-002", "TASK-003"];
    assert_eq!(project.preview(Some(&own)), ready(&["TASK-003", "TASK-001"], &open));
    assert_eq!(project.preview(Some(&other)), ready(&["TASK-001"], &open));
    assert_eq!(project.claim(None, Some(&other)), Ok("TASK-001".to_owned()));
    assert_eq!(project.claim(None, Some(&own)), Ok("TASK-003".to_owned()));
    assert!(project.claim(Some("1"), Some(&own)).is_err(), "it is of the other lane");

    let nothing = TaskTexts::default();
    let released = release_lane(project.place.path(), &own, &nothing, now());
    assert_eq!(names(&released.expect("it can be written").tasks), ["TASK-003"]);
    assert_eq!(project.front("1").status, TaskStatus::InProgress, "it is of the other lane");
    assert_eq!(project.front("3").lease, None);
}

#[test]
fn what_a_run_that_is_over_has_not_landed_can_be_claimed_again() {
    let project = LandingProject::new();
    project.set("1", TaskStatus::Done, Some(&lane("over/2")));
    let writer = project.writer();
    let problems = check(writer.database(), &LandingTestRuns).expect("it can be read");
    drop(writer);
    let kinds: Vec<&str> = problems.iter().map(|problem| problem.kind).collect();
    assert_eq!(kinds, ["not-landed"]);
    assert!(problems[0].message.contains("in lane 2 of run over, which is over"), "{problems:?}");
    assert_eq!(project.claim(None, None), Ok("TASK-001".to_owned()), "unfinished work comes first");
    let front = project.front("1");
    assert_eq!((front.status, front.landing), (TaskStatus::InProgress, None));

    project.set("3", TaskStatus::Done, Some(&lane("over/1")));
    let released = release_landing(project.place.path(), "over", now()).expect("it can be written");
    assert_eq!(names(&released.tasks), ["TASK-003"]);
    let front = project.front("3");
    assert_eq!((front.status, front.landing, front.lease), (TaskStatus::InProgress, None, None));
}

#[test]
fn another_status_ends_the_landing_and_done_outside_of_a_lane_is_done() {
    let project = LandingProject::new();
    let own = lane("k3v/2");
    for (status, by, expected) in [
        (TaskStatus::Blocked, Some(&own), TaskStatus::Blocked),
        (TaskStatus::InProgress, None, TaskStatus::InProgress),
        (TaskStatus::Done, Some(&lane("k3v/1")), TaskStatus::Landing),
        (TaskStatus::Done, None, TaskStatus::Done),
    ] {
        project.set("3", TaskStatus::ToDo, None);
        project.set("3", TaskStatus::Done, Some(&own));
        project.set("3", status, by);
        let front = project.front("3");
        assert_eq!(front.status, expected, "{status}");
        let landing = (expected == TaskStatus::Landing).then(|| own.clone());
        assert_eq!(front.landing, landing, "the lane that did the work lands it");
    }
    project.set("3", TaskStatus::Done, Some(&own));
    assert_eq!(project.front("3").status, TaskStatus::Done, "it was Done before");
}

#[test]
fn a_landing_task_is_neither_ready_nor_blocked_while_its_run_goes_on() {
    let project = LandingProject::new();
    project.set("1", TaskStatus::Done, Some(&lane("k3v/1")));
    project.set("3", TaskStatus::Done, Some(&lane("over/1")));
    let all = project.writer().database().fronts(TaskScope::All).expect("they can be read");
    let index = crate::actions::TaskIndex::new(&all);
    let later = now() + SignedDuration::from_hours(100);
    let leases = LeaseCheck { runs: &LandingTestRuns, now: later };
    let found: Vec<TaskReadiness> =
        all.tasks.iter().map(|task| readiness(&task.content, &index, leases)).collect();
    assert_eq!(found, [TaskReadiness::Other, TaskReadiness::Blocked, TaskReadiness::Ready]);
}
