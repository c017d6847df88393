//! Finds the problems of a database.

use crate::TaskStatus;
use crate::database::{Database, DirectoryListing, StoredFile, TaskDirectory, TaskScope};
use crate::document::{FrontMatter, Task};
use crate::words::all_of;

use super::{
    ActionError, DatabaseProblem, TaskIndex, action_outcome, circles, conflicts, cycle, fix,
};

/// Finds all problems: of each file first, then of references.
pub fn check(database: &Database) -> Result<Vec<DatabaseProblem>, ActionError> {
    let documents = database.documents(TaskScope::All)?;
    let has_tasks = !documents.tasks.is_empty();
    let mut problems: Vec<DatabaseProblem> =
        DatabaseProblem::of_config(database, has_tasks).into_iter().collect();
    let broken = documents.broken.iter();
    problems.extend(broken.map(|file| conflicts::of_broken_file(database, file)));
    let mut fronts = DirectoryListing { tasks: Vec::new(), broken: Vec::new() };
    for stored in &documents.tasks {
        let task = action_outcome::read(stored)?;
        problems.extend(conflicts::of_document(stored));
        problems.extend(of_one(&task));
        let pending = fix::pending_id(&stored.content);
        problems.extend(pending.map(|id| DatabaseProblem::of_unfinished(&task, &id)));
        fronts.tasks.push(task.front());
    }
    let index = TaskIndex::new(&fronts);
    problems.extend(duplicates(&index).iter().map(|same| DatabaseProblem::of_duplicates(same)));
    problems.extend(fronts.tasks.iter().flat_map(|task| dangling(task, &index)));
    problems.extend(fronts.tasks.iter().flat_map(|task| waits_for_archived(task, &index)));
    problems.extend(circles::find(&index, cycle::dependencies, "depends on itself"));
    problems.extend(circles::find(&index, cycle::parents, "is a part of itself"));
    Ok(problems)
}

/// The problems of one task.
fn of_one(task: &StoredFile<Task>) -> Vec<DatabaseProblem> {
    let Task { front, body, .. } = &task.content;
    let with = |kind, message| DatabaseProblem::of_task(kind, task, &front.id, message);
    let mut problems: Vec<DatabaseProblem> = front
        .oddities
        .iter()
        .map(|oddity| with("odd-value", format!("{}: {oddity}", front.id)))
        .collect();
    if !crate::database::is_named_after(&task.file, &front.id) {
        let message = format!("{} is in a file with another name, {}", front.id, task.file);
        problems.push(with("misnamed-file", message));
    }
    let open: Vec<String> =
        body.criteria.iter().filter(|c| !c.checked).map(|c| format!("#{}", c.index)).collect();
    if front.status == TaskStatus::Done && !open.is_empty() {
        let message = match open.len() {
            number if number > 5 => {
                format!("{} is Done with {number} open criteria", front.id)
            }
            1 => format!("{} is Done, but {} is open", front.id, open[0]),
            _ => format!("{} is Done, but {} are open", front.id, all_of(&open)),
        };
        problems.push(with("open-criteria", message));
    }
    problems
}

/// The tasks that share an id with others, in groups.
fn duplicates<'a>(index: &TaskIndex<'a>) -> Vec<&'a [StoredFile<FrontMatter>]> {
    index
        .tasks()
        .chunk_by(|one, other| one.content.id == other.content.id)
        .filter(|same| same.len() > 1)
        .collect()
}

/// Dependencies of an open task that are archived but not Done, so that no list shows them.
fn waits_for_archived(
    task: &StoredFile<FrontMatter>,
    index: &TaskIndex<'_>,
) -> Vec<DatabaseProblem> {
    let front = &task.content;
    if task.shelf == TaskDirectory::Archive || front.status == TaskStatus::Done {
        return Vec::new();
    }
    let is_archived = |written: &&str| {
        let referred = index.referred(written);
        !referred.is_empty() && referred.iter().all(|task| task.shelf == TaskDirectory::Archive)
    };
    let found = index.waits_for(front).into_iter().filter(is_archived).map(|written| {
        let message = format!(
            "{} waits for {written}, which is archived but not Done; `forge-tasks unarchive {written}` \
             brings it back",
            front.id
        );
        DatabaseProblem::of_task("archived-dependency", task, &front.id, message)
    });
    found.collect()
}

/// References to missing tasks.
fn dangling(task: &StoredFile<FrontMatter>, index: &TaskIndex<'_>) -> Vec<DatabaseProblem> {
    let front = &task.content;
    let with = |kind, message| DatabaseProblem::of_task(kind, task, &front.id, message);
    let is_missing = |written: &&String| index.referred(written).is_empty();
    let dependencies = front.dependencies.iter().filter(is_missing).map(|written| {
        let message = format!("{} depends on {written}, which is not there", front.id);
        with("missing-dependency", message)
    });
    let parent = front.parent.iter().filter(is_missing).map(|written| {
        with("missing-parent", format!("{} is a part of {written}, which is not there", front.id))
    });
    dependencies.chain(parent).collect()
}
