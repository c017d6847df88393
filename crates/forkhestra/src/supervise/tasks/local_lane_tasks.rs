//! The tasks that agents finish in the lanes of a run.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use forge_tasks::actions::{
    ActionError, LandingChange, TaskEdit, edit, landed_files, mark_landed, send_back,
};
use forge_tasks::cli::now;
use forge_tasks::database::{Database, DatabaseError, DatabaseWriter, TaskScope};
use forge_tasks::document::FrontMatter;
use forge_tasks::{IdQuery, RunLane, TaskId, TaskStatus};
use forkhestra_engine::lanes::{LandedTaskFile, LandingTask, LaneTasks};

use super::local_task_databases::LocalTaskDatabases;
use super::task_holder::lane_of_task;
use crate::cli::command_error::in_full;

/// How long a lane keeps a task that is given back to it, as if its agent had claimed it.
const LEASE: Duration = Duration::from_secs(2 * 60 * 60);

/// The tasks that agents finish in the lanes of a run, in its one live database.
pub(crate) struct LocalLaneTasks {
    databases: Arc<LocalTaskDatabases>,
    /// `None` if there was no database when the run began.
    database: Option<PathBuf>,
}

impl LocalLaneTasks {
    pub(crate) fn new(databases: Arc<LocalTaskDatabases>, database: Option<PathBuf>) -> Self {
        Self { databases, database }
    }

    /// Changes tasks of a lane. They are no changes of the agents that are at work.
    fn change(
        &self,
        tasks: &[String],
        act: impl FnOnce(&Path, &[TaskId]) -> Result<LandingChange, ActionError>,
    ) -> Result<(), String> {
        let Some(database) = &self.database else { return Ok(()) };
        let database = self.databases.written_path(database)?;
        let change = act(&database, &ids(tasks)).map_err(|error| in_full(&error))?;
        self.databases.note_own_changes(&database, &change.tasks);
        match change.warnings.as_slice() {
            [] => Ok(()),
            warnings => Err(warnings.join("; ")),
        }
    }

    fn opened(&self) -> Result<Option<Database>, String> {
        let Some(database) = &self.database else { return Ok(None) };
        Database::open(database).map_err(|error: DatabaseError| in_full(&error))
    }
}

impl LaneTasks for LocalLaneTasks {
    fn landing(&self, holder: &str) -> Result<Vec<LandingTask>, String> {
        let Some(opened) = self.opened()? else { return Ok(Vec::new()) };
        let lane = lane(holder)?;
        let all = opened.fronts(TaskScope::All).map_err(|error| in_full(&error))?.tasks;
        let own = all.into_iter().filter(|task| task.content.landing.as_ref() == Some(&lane));
        let task = |FrontMatter { id, title, .. }| LandingTask { id: id.to_string(), title };
        Ok(own.map(|stored| task(stored.content)).collect())
    }

    fn files(&self, holder: &str, tasks: &[String]) -> Result<Vec<LandedTaskFile>, String> {
        let Some(opened) = self.opened()? else { return Ok(Vec::new()) };
        let files = landed_files(&opened, &lane(holder)?, &ids(tasks));
        let files = files.map_err(|error| in_full(&error))?.into_iter();
        let file = files.map(|stored| LandedTaskFile {
            path: opened.path_of(&stored),
            content: stored.content.text().as_bytes().to_vec(),
        });
        Ok(file.collect())
    }

    fn landed(&self, holder: &str, tasks: &[String]) -> Result<(), String> {
        let lane = lane(holder)?;
        self.change(tasks, |database, ids| mark_landed(database, &lane, ids, now()))
    }

    fn send_back(&self, holder: &str, tasks: &[String]) -> Result<(), String> {
        let lane = lane(holder)?;
        self.change(tasks, |database, ids| send_back(database, &lane, ids, LEASE, now()))
    }

    fn block(&self, holder: &str, tasks: &[String], why: &str) -> Result<(), String> {
        let lane = lane(holder)?;
        self.change(tasks, |database, ids| block(database, &lane, ids, why))
    }
}

/// Blocks the tasks of a lane, and those of its parked work that nobody has.
fn block(
    database: &Path,
    lane: &RunLane,
    ids: &[TaskId],
    why: &str,
) -> Result<LandingChange, ActionError> {
    let mut change = LandingChange::default();
    let Some(mut writer) = DatabaseWriter::open_existing(database)? else { return Ok(change) };
    for stored in writer.database().fronts(TaskScope::Active)?.tasks {
        let task = stored.content;
        let is_meant = match lane_of_task(&task) {
            Some(holder) => holder == *lane,
            None => {
                let is_open = matches!(task.status, TaskStatus::ToDo | TaskStatus::InProgress);
                ids.contains(&task.id) && is_open && task.lease.is_none()
            }
        };
        if !is_meant {
            continue;
        }
        let blocked = TaskEdit {
            status: Some(TaskStatus::Blocked),
            append_notes: vec![why.to_owned()],
            ..TaskEdit::default()
        };
        match edit(&mut writer, &IdQuery::from(&task.id), &blocked, now()) {
            Ok(_) => change.tasks.push(task.id),
            Err(error) => change.warnings.push(format!("{} is not blocked: {error}", task.id)),
        }
    }
    Ok(change)
}

fn lane(holder: &str) -> Result<RunLane, String> {
    RunLane::parse(holder).map_err(|error| error.to_string())
}

/// Ids that the run has recorded. What is none belongs to no task.
fn ids(tasks: &[String]) -> Vec<TaskId> {
    tasks.iter().filter_map(|id| TaskId::parse(id).ok()).collect()
}

#[cfg(test)]
mod tests;
