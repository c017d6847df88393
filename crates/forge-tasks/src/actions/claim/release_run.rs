//! Releasing a task, or all tasks of a run.

use std::collections::BTreeMap;
use std::path::Path;

use jiff::Timestamp;

use crate::actions::edit::{changed, lease_ends, text};
use crate::actions::{ActionError, ActionOutcome};
use crate::database::{Database, DatabaseError, DatabaseWriter, StoredFile, TaskScope};
use crate::document::{FrontEdit, FrontKey, FrontMatter, FrontValue, Task, TaskDocument};
use crate::{IdQuery, RunLane, TaskId, TaskStatus};

/// Releases a task: it is To Do again, without an assignee.
pub fn release(
    writer: &mut DatabaseWriter,
    id: &IdQuery,
    now: Timestamp,
) -> Result<ActionOutcome, ActionError> {
    let give_back = |_: &DatabaseWriter, task: &Task| {
        let Task { front, .. } = task;
        if front.status != TaskStatus::InProgress {
            let why = format!(
                "{} is {}; only what is in progress can be released",
                front.id, front.status
            );
            return Err(ActionError::Refused(why));
        }
        Ok((release_edits(), Vec::new()))
    };
    changed(writer, id, now, give_back, Vec::new)
}

/// The edits that release a task.
pub(crate) fn release_edits() -> Vec<FrontEdit> {
    let mut edits =
        vec![text(FrontKey::Status, Some(TaskStatus::ToDo.name())), text(FrontKey::Assignee, None)];
    edits.extend(lease_ends());
    edits
}

/// The released tasks.
#[derive(Debug, Default)]
pub struct ReleasedTasks {
    /// The tasks that are To Do again.
    pub tasks: Vec<TaskId>,
    /// Tasks that could not be released, a line each.
    pub warnings: Vec<String>,
}

/// Releases the unfinished tasks of a run: those that are In Progress with a lease that names the
/// run. A task in which only `updatedAt` differs from `before` gets its old text back. If there is
/// nothing to do, the database is only read, without its lock.
///
/// The caller must know that no agent of the run is working any more.
pub fn release_run(
    database: &Path,
    run: &str,
    before: &TaskTexts,
    now: Timestamp,
) -> Result<ReleasedTasks, ActionError> {
    release_all(database, &LeaseOwner::Run(run), before, now)
}

/// The same for the tasks of one lane of a run.
pub fn release_lane(
    database: &Path,
    lane: &RunLane,
    before: &TaskTexts,
    now: Timestamp,
) -> Result<ReleasedTasks, ActionError> {
    release_all(database, &LeaseOwner::Lane(lane), before, now)
}

/// Whose tasks are released.
enum LeaseOwner<'a> {
    /// All of a run, in whatever lane.
    Run(&'a str),
    /// Those of one lane.
    Lane(&'a RunLane),
}

fn release_all(
    database: &Path,
    owner: &LeaseOwner<'_>,
    before: &TaskTexts,
    now: Timestamp,
) -> Result<ReleasedTasks, ActionError> {
    let Some(reader) = Database::open(database)? else { return Ok(ReleasedTasks::default()) };
    if taken_by(owner, &reader)?.is_empty() && before.touched(&reader)?.is_empty() {
        return Ok(ReleasedTasks::default());
    }
    let Some(mut writer) = DatabaseWriter::open_existing(database)? else {
        return Ok(ReleasedTasks::default());
    };
    let mut released = ReleasedTasks::default();
    for task in taken_by(owner, writer.database())? {
        let id = task.content.id;
        let give_back = |_: &DatabaseWriter, task: &Task| match is_taken_by(owner, &task.front) {
            true => Ok((release_edits(), Vec::new())),
            false => Err(ActionError::Overtaken(task.front.id.clone())),
        };
        match changed(&mut writer, &IdQuery::from(&id), now, give_back, Vec::new) {
            Ok(_) => released.tasks.push(id),
            // Another process took it over or finished it without the lock.
            Err(ActionError::Overtaken(_)) => {}
            Err(error) if error.is_about_one_file() => {
                released.warnings.push(format!("{id} cannot be given back: {error}"));
            }
            Err(error) => return Err(error),
        }
    }
    for (task, old) in before.touched(writer.database())? {
        match writer.replace(&task, old) {
            // An editor that ignores the lock has changed the task meanwhile.
            Ok(_) | Err(DatabaseError::Changed { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(released)
}

fn taken_by(
    owner: &LeaseOwner<'_>,
    database: &Database,
) -> Result<Vec<StoredFile<FrontMatter>>, ActionError> {
    let all = database.fronts(TaskScope::Active)?.tasks.into_iter();
    Ok(all.filter(|task| is_taken_by(owner, &task.content)).collect())
}

fn is_taken_by(owner: &LeaseOwner<'_>, task: &FrontMatter) -> bool {
    let Some(lease) = task.lease.as_ref().filter(|_| task.status == TaskStatus::InProgress) else {
        return false;
    };
    match owner {
        LeaseOwner::Run(run) => lease.run.as_deref() == Some(*run),
        LeaseOwner::Lane(RunLane { run, lane }) => {
            lease.run.as_ref() == Some(run) && lease.lane == Some(*lane)
        }
    }
}

/// The texts of all tasks that are not archived, by their files.
#[derive(Debug, Default)]
pub struct TaskTexts(BTreeMap<String, TaskDocument>);

impl TaskTexts {
    /// Reads them. A file that cannot be read as a task is left out.
    pub fn of(database: &Database) -> Result<Self, DatabaseError> {
        let tasks = database.documents(TaskScope::Active)?.tasks.into_iter();
        Ok(Self(tasks.map(|task| (task.path(), task.content)).collect()))
    }

    /// The tasks that only differ in their time of change now, with their old texts.
    pub(crate) fn touched(
        &self,
        database: &Database,
    ) -> Result<Vec<(StoredFile<TaskDocument>, &TaskDocument)>, DatabaseError> {
        if self.0.is_empty() {
            return Ok(Vec::new());
        }
        let tasks = database.documents(TaskScope::Active)?.tasks.into_iter();
        let touched = tasks.filter_map(|task| {
            let old = self.0.get(&task.path())?;
            is_touched(old, &task.content).then_some((task, old))
        });
        Ok(touched.collect())
    }
}

fn is_touched(old: &TaskDocument, new: &TaskDocument) -> bool {
    if old.text() == new.text() {
        return false;
    }
    let Ok(front) = new.front() else { return false };
    // Every change writes the time in quotes.
    let value = front.updated_at.map(FrontValue::Quoted);
    let touched = old.edited(&[FrontEdit { key: FrontKey::UpdatedAt, value }], &[]);
    touched.is_ok_and(|touched| touched.text() == new.text())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use std::time::Duration;

    use jiff::SignedDuration;

    use super::*;
    use crate::actions::Claimer;
    use crate::actions::NewTask;
    use crate::actions::RunRegistry;
    use crate::actions::TaskEdit;
    use crate::actions::claim;
    use crate::actions::create;
    use crate::actions::edit;
    use crate::actions::release;
    use crate::actions::testing::NOW;
    use crate::actions::testing::now;

    struct ReleaseNoRuns;

    impl RunRegistry for ReleaseNoRuns {
        fn is_running(&self, _: &str) -> Option<bool> {
            None
        }
    }

    fn nothing() -> TaskTexts {
        TaskTexts::default()
    }

    fn write(place: &Path, number: u32, front: &str) {
        let text = format!("---\nid: TASK-{number}\ntitle: It\n{front}---\n\nAs it was.\n");
        fs::write(place.join(format!("TASK-{number} - It.md")), text).expect("the place is ours");
    }

    fn read(place: &Path, number: u32) -> String {
        fs::read_to_string(place.join(format!("TASK-{number} - It.md"))).expect("it is there")
    }

    fn leased(status: &str, run: &str) -> String {
        format!("status: {status}\nassignee: builder\nleaseUntil: \"{NOW}\"\nleaseRun: {run}\n")
    }

    #[test]
    fn only_tasks_that_the_run_has_in_progress_are_released() {
        let place = tempfile::tempdir().expect("there is room");
        let place = place.path();
        write(place, 1, &leased("In Progress", "ours"));
        write(place, 2, &leased("In Progress", "other"));
        write(place, 3, &leased("Blocked", "ours"));
        write(place, 4, &leased("Done", "ours"));
        write(place, 5, "status: In Progress\nassignee: ada\n");
        let before = [2, 3, 4, 5].map(|number| read(place, number));
        let released = release_run(place, "ours", &nothing(), now()).expect("it can be written");
        let ids: Vec<&str> = released.tasks.iter().map(TaskId::as_str).collect();
        assert_eq!((ids, released.warnings), (vec!["TASK-1"], vec![]));
        let text = read(place, 1);
        assert!(text.contains("status: To Do\n") && text.ends_with("\nAs it was.\n"), "{text}");
        assert!(!text.contains("assignee") && !text.contains("lease"), "{text}");
        assert_eq!([2, 3, 4, 5].map(|number| read(place, number)), before);
    }

    /// What an agent does with a task between two observations.
    #[derive(Debug, Clone, Copy)]
    enum AgentTaskAction {
        Claim,
        ClaimAndRelease,
        ClaimAndNote,
        Finish,
    }

    #[test]
    fn releasing_a_task_that_was_only_claimed_restores_its_text() {
        let place = tempfile::tempdir().expect("there is room");
        let mut writer = DatabaseWriter::open(place.path()).expect("it can be written");
        let new = NewTask { title: "It".to_owned(), ..NewTask::default() };
        let file = create(&mut writer, &new, now()).expect("it can be created").task.file;
        let text = || fs::read_to_string(place.path().join(&file)).expect("it is there");
        let run = Some("ours".to_owned());
        let claimer =
            Claimer { name: "a".to_owned(), run, lane: None, lease: Duration::from_secs(60) };
        let id = IdQuery::parse("1").expect("it is one");
        let table = [
            (AgentTaskAction::Claim, true),
            (AgentTaskAction::ClaimAndRelease, true),
            (AgentTaskAction::ClaimAndNote, false),
            (AgentTaskAction::Finish, false),
        ];
        for (seconds, (did, is_untouched)) in (1..).zip(table) {
            let before = TaskTexts::of(writer.database()).expect("they can be read");
            let first = text();
            let later = now() + SignedDuration::from_secs(seconds);
            claim(&mut writer, None, &claimer, &ReleaseNoRuns, later).expect("it can be taken");
            let change = match did {
                AgentTaskAction::Claim | AgentTaskAction::ClaimAndRelease => None,
                AgentTaskAction::ClaimAndNote => {
                    Some(TaskEdit { notes: Some("tried".to_owned()), ..TaskEdit::default() })
                }
                AgentTaskAction::Finish => {
                    Some(TaskEdit { status: Some(TaskStatus::Done), ..TaskEdit::default() })
                }
            };
            if matches!(did, AgentTaskAction::ClaimAndRelease) {
                release(&mut writer, &id, later).expect("it can be released");
            }
            if let Some(change) = change {
                edit(&mut writer, &id, &change, later).expect("it can be changed");
            }
            drop(writer);
            release_run(place.path(), "ours", &before, later).expect("it can be written");
            assert_eq!(text() == first, is_untouched, "{did:?}: {}", text());
            writer = DatabaseWriter::open(place.path()).expect("it can be written");
        }
    }

    #[test]
    fn without_a_task_of_the_run_the_lock_is_not_taken() {
        let place = tempfile::tempdir().expect("there is room");
        write(place.path(), 1, &leased("In Progress", "other"));
        let _writer = DatabaseWriter::open(place.path()).expect("it can be written");
        let released =
            release_run(place.path(), "ours", &nothing(), now()).expect("it can be read");
        assert!(released.tasks.is_empty());
    }

    #[test]
    fn a_missing_database_releases_nothing_and_is_not_created() {
        let place = tempfile::tempdir().expect("there is room");
        let nowhere = place.path().join("nowhere");
        let released =
            release_run(&nowhere, "ours", &nothing(), now()).expect("nothing stands against it");
        assert!(released.tasks.is_empty() && !nowhere.exists());
    }
}
