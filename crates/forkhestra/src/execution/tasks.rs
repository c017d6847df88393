//! What is left to do in a task database.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use forge_tasks::Status;
use forge_tasks::database::{self, Database, Scope};
use forkhestra_engine::TaskBook;

use crate::error::in_full;
use crate::project::Environment;

/// So many tasks are named.
const NAMED: usize = 3;

/// The task databases on this machine.
pub(super) struct Tasks {
    /// Where agents look for theirs, if somebody says so.
    named: Option<OsString>,
}

impl Tasks {
    pub(super) fn new(environment: &Environment) -> Self {
        Self { named: environment.forge_tasks_dir.clone().filter(|named| !named.is_empty()) }
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

    fn find(&self, working_directory: &Path) -> Option<PathBuf> {
        let found = match &self.named {
            Some(named) => Some(working_directory.join(named)),
            None => database::find(working_directory),
        };
        found.filter(|path| path.is_dir())
    }
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

    const NOBODY: Tasks = Tasks { named: None };

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
            let left = NOBODY.left_to_do(place.path()).expect("it can be read");
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
        assert_eq!(NOBODY.left_to_do(place.path()), Ok(None));
    }

    #[test]
    fn nobody_can_tell_what_cannot_be_read() {
        let place = database(&["Done"]);
        fs::write(place.path().join("TASK-2 - Broken.md"), "no front matter").expect("it is ours");
        let error = NOBODY.left_to_do(place.path()).expect_err("one of them is broken");
        assert!(error.starts_with("the task TASK-2 - Broken.md "), "{error}");
        let nowhere = place.path().join("nowhere");
        let error = NOBODY.left_to_do(&nowhere).expect_err("it is not there");
        assert_eq!(error, format!("there is no task database at {}", nowhere.display()));
    }

    #[test]
    fn a_database_is_found_where_agents_would_find_it() {
        let place = tempfile::tempdir().expect("there is room");
        assert_eq!(NOBODY.find(place.path()), None);
        let usual = place.path().join("forge/tasks");
        fs::create_dir_all(&usual).expect("the place is ours");
        assert_eq!(NOBODY.find(place.path()), Some(usual));
        let elsewhere = Tasks { named: Some("elsewhere".into()) };
        assert_eq!(elsewhere.find(place.path()), None);
        fs::create_dir(place.path().join("elsewhere")).expect("the place is ours");
        assert_eq!(elsewhere.find(place.path()), Some(place.path().join("elsewhere")));
    }
}
