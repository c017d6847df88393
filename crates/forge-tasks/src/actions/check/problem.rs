//! A problem of a database.

use crate::TaskId;
use crate::database::{BrokenFile, ConfigState, Database, StoredFile};
use crate::document::{FrontMatter, Task, TaskEditError};
use crate::words::all_of;

const CONFIG: &str = "config.json";

/// A problem of a database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatabaseProblem {
    /// One word for programs: `config`, `broken-file`, `merge-conflict`, `odd-value`,
    /// `misnamed-file`, `open-criteria`, `duplicate-id`, `unfinished-renumbering`,
    /// `not-renumbered`, `missing-dependency`, `missing-parent`, `archived-dependency` or `cycle`.
    pub kind: &'static str,
    /// The tasks concerned.
    pub ids: Vec<TaskId>,
    /// The files concerned, as paths below the database.
    pub files: Vec<String>,
    /// The problem, in a line.
    pub message: String,
}

impl DatabaseProblem {
    /// A problem of `config.json`. A database without tasks need not have one.
    pub(super) fn of_config(database: &Database, has_tasks: bool) -> Option<Self> {
        let message = match database.config_state() {
            ConfigState::Damaged(why) => format!("{CONFIG}{why}"),
            ConfigState::Missing if has_tasks => {
                format!("{CONFIG} is missing; `forge-tasks init` writes a new one")
            }
            ConfigState::WithoutCounter if has_tasks => {
                format!("{CONFIG} has no lastIdNumber; `forge-tasks init --force` adds it")
            }
            _ => return None,
        };
        Some(Self { kind: "config", ids: Vec::new(), files: vec![CONFIG.to_owned()], message })
    }

    pub(super) fn of_broken_file(file: &BrokenFile) -> Self {
        let path = file.path();
        let message = format!("{path} {}", file.why);
        Self { kind: "broken-file", ids: Vec::new(), files: vec![path], message }
    }

    pub(super) fn of_task<T>(
        kind: &'static str,
        task: &StoredFile<T>,
        id: &TaskId,
        message: String,
    ) -> Self {
        Self { kind, ids: vec![id.clone()], files: vec![task.path()], message }
    }

    pub(super) fn of_duplicates(same: &[StoredFile<FrontMatter>]) -> Self {
        let files: Vec<String> = same.iter().map(StoredFile::path).collect();
        let id = &same[0].content.id;
        let message = format!("{id} is the id of {}", all_of(&files));
        Self { kind: "duplicate-id", ids: vec![id.clone()], files, message }
    }

    /// A task whose renumbering was interrupted.
    pub(super) fn of_unfinished(task: &StoredFile<Task>, pending: &TaskId) -> Self {
        let path = task.path();
        let message =
            format!("{path} is to become {pending}; `forge-tasks check --fix` completes that");
        Self::of_task("unfinished-renumbering", task, &task.content.front.id, message)
    }

    /// Duplicate ids that stay because a file cannot be edited.
    pub(super) fn of_unmoved(id: &TaskId, path: &str, why: &TaskEditError) -> Self {
        let message = format!("{id} is not renumbered because of {path}: {why}");
        Self {
            kind: "not-renumbered",
            ids: vec![id.clone()],
            files: vec![path.to_owned()],
            message,
        }
    }
}
