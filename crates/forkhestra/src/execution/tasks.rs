//! What is left to do in a task database.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use forge_tasks::actions::{Outlook, TaskTexts, outlook, release_run};
use forge_tasks::cli::now;
use forge_tasks::database::{self, Database, Scope};
use forge_tasks::{Status, TaskId};
use forkhestra_core::event::TaskChanges;
use forkhestra_core::policy::TaskWork;
use forkhestra_engine::TaskBook;

use super::task_snapshot::TaskSnapshot;
use crate::error::in_full;
use crate::leases::KnownRuns;
use crate::project::Project;

/// So many tasks are named.
const NAMED: usize = 3;

/// The task databases on this machine.
pub(super) struct Tasks {
    /// Where agents look for theirs, if somebody says so.
    named: Option<OsString>,
    /// Which of the runs that have tasks are going on.
    runs: KnownRuns,
    /// What was seen before an agent was started.
    before: Mutex<Before>,
}

/// What was seen of a database before an agent was started.
#[derive(Default)]
struct Before {
    /// The texts of its tasks.
    texts: TaskTexts,
    /// Its tasks; none if nobody looked, or if it could not be read.
    snapshot: Option<TaskSnapshot>,
    /// Whether the snapshot was just taken for the agent that is started next.
    is_fresh: bool,
    /// The tasks that were given back since then.
    released: Vec<TaskId>,
}

impl Tasks {
    pub(super) fn new(project: &Project) -> Self {
        let named = project.environment.forge_tasks_dir.clone().filter(|named| !named.is_empty());
        let runs = KnownRuns { directory: Some(project.working_directory.clone()) };
        Self { named, runs, before: Mutex::default() }
    }
}

impl Tasks {
    fn before(&self) -> MutexGuard<'_, Before> {
        // A panic leaves each of its parts whole.
        self.before.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TaskBook for Tasks {
    fn left_to_do(&self, database: &Path) -> Result<Option<String>, String> {
        let opened = Database::open(database).map_err(|error| in_full(&error))?;
        let Some(opened) = opened else {
            return Err(format!("there is no task database at {}", database.display()));
        };
        let listing = opened.fronts(Scope::Active).map_err(|error| in_full(&error))?;
        // It may be about something that is not done.
        if let Some(broken) = listing.broken.first() {
            return Err(format!("the task {} {}", broken.path(), broken.why));
        }
        let is_left = |status| matches!(status, Status::ToDo | Status::InProgress);
        let left = listing.tasks.iter().filter(|task| is_left(task.content.status));
        let left: Vec<String> = left.map(|task| task.content.id.to_string()).collect();
        Ok((!left.is_empty()).then(|| in_a_line(&left)))
    }

    fn work(&self, database: &Path) -> TaskWork {
        // Whatever cannot be read an agent may be able to mend, and the check will tell.
        let Ok(opened) = Database::open(database) else { return TaskWork::Unknown };
        let Some(opened) = opened else { return TaskWork::NoTasks };
        let Ok(all) = opened.fronts(Scope::All) else { return TaskWork::Unknown };
        let texts = texts(&opened);
        let snapshot = Some(TaskSnapshot::of(&all));
        *self.before() = Before { texts, snapshot, is_fresh: true, released: Vec::new() };
        match outlook(&all, &self.runs, now()) {
            Outlook::Ready => TaskWork::Ready,
            Outlook::AllDone => TaskWork::AllDone,
            Outlook::Stuck(why) => TaskWork::Stuck(why),
            Outlook::Empty => TaskWork::NoTasks,
            Outlook::Unclear => TaskWork::Unknown,
        }
    }

    fn give_back(&self, database: &Path, run: &str) -> Result<(), String> {
        let mut before = self.before();
        let released = release_run(database, run, &before.texts, now());
        let released = released.map_err(|error| in_full(&error))?;
        before.released.extend(released.tasks);
        match released.warnings.as_slice() {
            [] => Ok(()),
            warnings => Err(warnings.join("; ")),
        }
    }

    fn remember(&self, database: Option<&Path>) {
        let mut before = self.before();
        before.released.clear();
        if !std::mem::take(&mut before.is_fresh) {
            let opened = database.map(Database::open);
            before.texts = match &opened {
                Some(Ok(Some(opened))) => texts(opened),
                _ => TaskTexts::default(),
            };
            before.snapshot = match opened {
                Some(Err(_)) => None,
                None | Some(Ok(None)) => Some(TaskSnapshot::default()),
                Some(Ok(Some(opened))) => {
                    opened.fronts(Scope::All).ok().map(|all| TaskSnapshot::of(&all))
                }
            };
        }
    }

    fn changes(&self, database: &Path, run: &str) -> Option<TaskChanges> {
        let (before, released) = {
            let mut before = self.before();
            (before.snapshot.take()?, std::mem::take(&mut before.released))
        };
        let opened = Database::open(database).ok()??;
        let after = TaskSnapshot::of(&opened.fronts(Scope::All).ok()?);
        after.changes_since(&before, &released, run, &opened)
    }

    fn find(&self, working_directory: &Path) -> Option<PathBuf> {
        let found = match &self.named {
            Some(named) => Some(working_directory.join(named)),
            None => database::find(working_directory),
        };
        found.filter(|path| path.is_dir())
    }
}

/// The texts of the tasks of a database. If they cannot be read, every change counts as one.
fn texts(database: &Database) -> TaskTexts {
    TaskTexts::of(database).unwrap_or_default()
}

fn in_a_line(left: &[String]) -> String {
    let are = match left.len() {
        1 => "1 task is".to_owned(),
        number => format!("{number} tasks are"),
    };
    let named = left[..left.len().min(NAMED)].join(", ");
    let more = match left.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{are} not done: {named}{more}")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn nobody() -> Tasks {
        Tasks { named: None, runs: KnownRuns::default(), before: Mutex::default() }
    }

    /// A database with tasks of these states, numbered from one.
    fn database(states: &[&str]) -> tempfile::TempDir {
        let place = tempfile::tempdir().expect("there is room");
        for (number, status) in (1..).zip(states) {
            let text = format!("---\nid: TASK-{number}\ntitle: Something\nstatus: {status}\n---\n");
            let file = format!("TASK-{number} - Something.md");
            fs::write(place.path().join(file), text).expect("the place is ours");
        }
        place
    }

    #[test]
    fn whatever_is_to_do_or_in_progress_is_left() {
        for (states, expected) in [
            (&[][..], None),
            (&["Done", "Blocked"], None),
            (&["Done", "To Do"], Some("1 task is not done: TASK-2")),
            (&["To Do", "In Progress", "Blocked"], Some("2 tasks are not done: TASK-1, TASK-2")),
            (&["To Do"; 3], Some("3 tasks are not done: TASK-1, TASK-2, TASK-3")),
            (&["To Do"; 12], Some("12 tasks are not done: TASK-1, TASK-2, TASK-3 and 9 more")),
        ] {
            let place = database(states);
            let left = nobody().left_to_do(place.path()).expect("it can be read");
            assert_eq!(left.as_deref(), expected, "{states:?}");
        }
    }

    #[test]
    fn what_is_archived_is_not_left() {
        let place = database(&["To Do"]);
        fs::create_dir(place.path().join("archive")).expect("the place is ours");
        let file = "TASK-1 - Something.md";
        fs::rename(place.path().join(file), place.path().join("archive").join(file))
            .expect("the place is ours");
        assert_eq!(nobody().left_to_do(place.path()), Ok(None));
    }

    #[test]
    fn nobody_can_tell_what_cannot_be_read() {
        let place = database(&["Done"]);
        fs::write(place.path().join("TASK-2 - Broken.md"), "no front matter").expect("it is ours");
        let error = nobody().left_to_do(place.path()).expect_err("one of them is broken");
        assert!(error.starts_with("the task TASK-2 - Broken.md "), "{error}");
        let nowhere = place.path().join("nowhere");
        let error = nobody().left_to_do(&nowhere).expect_err("it is not there");
        assert_eq!(error, format!("there is no task database at {}", nowhere.display()));
    }

    #[test]
    fn a_database_is_found_where_agents_would_find_it() {
        let place = tempfile::tempdir().expect("there is room");
        assert_eq!(nobody().find(place.path()), None);
        let usual = place.path().join("forge/tasks");
        fs::create_dir_all(&usual).expect("the place is ours");
        assert_eq!(nobody().find(place.path()), Some(usual));
        let elsewhere = Tasks { named: Some("elsewhere".into()), ..nobody() };
        assert_eq!(elsewhere.find(place.path()), None);
        fs::create_dir(place.path().join("elsewhere")).expect("the place is ours");
        assert_eq!(elsewhere.find(place.path()), Some(place.path().join("elsewhere")));
    }
}
