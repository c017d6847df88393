//! Tasks that are done in a lane and whose work has not landed yet.

use std::path::Path;
use std::time::Duration;

use jiff::Timestamp;

use super::claim_task::lease_edits;
use crate::actions::ActionError;
use crate::actions::edit::{changed, text};
use crate::database::{Database, DatabaseWriter, StoredFile, TaskScope};
use crate::document::{FrontEdit, FrontKey, FrontMatter, Task, TaskDocument};
use crate::{IdQuery, RunLane, TaskId, TaskStatus};

/// The tasks whose landing has changed.
#[derive(Debug, Default)]
pub struct LandingChange {
    pub tasks: Vec<TaskId>,
    /// Tasks that could not be changed, a line each.
    pub warnings: Vec<String>,
}

/// The tasks that are done in a lane and wait to land there.
pub fn landing_tasks(database: &Database, lane: &RunLane) -> Result<Vec<TaskId>, ActionError> {
    let all = database.fronts(TaskScope::All)?.tasks.into_iter();
    let own = all.filter(|task| task.content.landing.as_ref() == Some(lane));
    Ok(own.map(|task| task.content.id).collect())
}

/// The files of these tasks as they are once the tasks have landed: those that wait for it in this lane.
pub fn landed_files(
    database: &Database,
    lane: &RunLane,
    tasks: &[TaskId],
) -> Result<Vec<StoredFile<TaskDocument>>, ActionError> {
    let mut files = Vec::new();
    for stored in database.documents(TaskScope::All)?.tasks {
        let Ok(front) = stored.content.front() else { continue };
        if front.landing.as_ref() != Some(lane) || !tasks.contains(&front.id) {
            continue;
        }
        let landed = stored.content.edited(&[text(FrontKey::Landing, None)], &[]);
        let landed = landed.map_err(|why| ActionError::Edit { id: front.id.clone(), why })?;
        files.push(stored.with(landed));
    }
    Ok(files)
}

/// The work of these tasks has landed: those that wait for it in this lane are Done now. The time of
/// their last change stays, so that their files equal [`landed_files`].
pub fn mark_landed(
    database: &Path,
    lane: &RunLane,
    tasks: &[TaskId],
    now: Timestamp,
) -> Result<LandingChange, ActionError> {
    let is_meant =
        |task: &FrontMatter| task.landing.as_ref() == Some(lane) && tasks.contains(&task.id);
    let last_change = |task: &FrontMatter| {
        let written = task.updated_at.as_ref().and_then(|time| time.parse().ok());
        written.unwrap_or(now)
    };
    change_all(database, last_change, is_meant, &[text(FrontKey::Landing, None)])
}

/// The work of these tasks was sent back to its lane: they are In Progress again, and the lane keeps
/// them for this time.
pub fn send_back(
    database: &Path,
    lane: &RunLane,
    tasks: &[TaskId],
    lease: Duration,
    now: Timestamp,
) -> Result<LandingChange, ActionError> {
    let is_meant =
        |task: &FrontMatter| task.landing.as_ref() == Some(lane) && tasks.contains(&task.id);
    let mut edits = back_to_work();
    edits.extend(lease_edits(lease, Some(&lane.run), Some(lane.lane), now));
    change_all(database, |_| now, is_meant, &edits)
}

/// Releases the tasks of a run that is over and whose work has not landed: they are In Progress
/// without a lease, so that any agent can claim them.
///
/// The caller must know that nothing of the run lands any more.
pub fn release_landing(
    database: &Path,
    run: &str,
    now: Timestamp,
) -> Result<LandingChange, ActionError> {
    let is_meant =
        |task: &FrontMatter| task.landing.as_ref().is_some_and(|landing| landing.run == run);
    change_all(database, |_| now, is_meant, &back_to_work())
}

fn back_to_work() -> Vec<FrontEdit> {
    vec![text(FrontKey::Status, Some(TaskStatus::InProgress.name())), text(FrontKey::Landing, None)]
}

/// Changes all tasks that are meant. If there are none, the database is only read, without its
/// lock.
fn change_all(
    database: &Path,
    time: impl Fn(&FrontMatter) -> Timestamp,
    is_meant: impl Fn(&FrontMatter) -> bool,
    edits: &[FrontEdit],
) -> Result<LandingChange, ActionError> {
    let mut change = LandingChange::default();
    let meant = |database: &Database| -> Result<Vec<FrontMatter>, ActionError> {
        let all = database.fronts(TaskScope::All)?.tasks.into_iter();
        Ok(all.map(|task| task.content).filter(|task| is_meant(task)).collect())
    };
    let Some(reader) = Database::open(database)? else { return Ok(change) };
    if meant(&reader)?.is_empty() {
        return Ok(change);
    }
    let Some(mut writer) = DatabaseWriter::open_existing(database)? else { return Ok(change) };
    for task in meant(writer.database())? {
        let (id, now) = (task.id.clone(), time(&task));
        let edited = |_: &DatabaseWriter, task: &Task| match is_meant(&task.front) {
            true => Ok((edits.to_vec(), Vec::new())),
            false => Err(ActionError::Overtaken(task.front.id.clone())),
        };
        match changed(&mut writer, &IdQuery::from(&id), now, edited, Vec::new) {
            Ok(_) => change.tasks.push(id),
            // Another process changed it without the lock.
            Err(ActionError::Overtaken(_)) => {}
            Err(error) if error.is_about_one_file() => {
                change.warnings.push(format!("{id} stays as it is: {error}"));
            }
            Err(error) => return Err(error),
        }
    }
    Ok(change)
}

#[cfg(test)]
mod tests;
