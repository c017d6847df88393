//! Finds the problems of a database.

use std::collections::{HashMap, HashSet};

use serde::Serialize;

use crate::actions::check::{conflicts, fix};
use crate::actions::edit::read_task;
use crate::actions::reference_links::{circle, dependencies, parents, way_back};
use crate::actions::{ActionError, RunRegistry, TaskIndex};
use crate::database::{
    BrokenFile, CONFIG, ConfigState, Database, DirectoryListing, StoredFile, TaskDirectory,
    TaskScope,
};
use crate::document::{FrontMatter, Task, TaskEditError};
use crate::words::join_with_and;
use crate::{RunLane, TaskId, TaskStatus};

/// Finds all problems: of each file first, then of references.
pub fn check(
    database: &Database,
    runs: &dyn RunRegistry,
) -> Result<Vec<DatabaseProblem>, ActionError> {
    let documents = database.documents(TaskScope::All)?;
    let has_tasks = !documents.tasks.is_empty();
    let mut problems: Vec<DatabaseProblem> =
        DatabaseProblem::of_config(database, has_tasks).into_iter().collect();
    let broken = documents.broken.iter();
    problems.extend(broken.map(|file| conflicts::of_broken_file(database, file)));
    let mut fronts = DirectoryListing { tasks: Vec::new(), broken: Vec::new() };
    for stored in &documents.tasks {
        let task = read_task(stored)?;
        problems.extend(conflicts::of_document(stored));
        problems.extend(of_one(&task));
        problems.extend(not_landed(&task, runs));
        let pending = fix::pending_id(&stored.content);
        problems.extend(pending.map(|id| DatabaseProblem::of_unfinished(&task, &id)));
        fronts.tasks.push(task.front());
    }
    let index = TaskIndex::new(&fronts);
    problems.extend(duplicates(&index).iter().map(|same| DatabaseProblem::of_duplicates(same)));
    problems.extend(fronts.tasks.iter().flat_map(|task| dangling(task, &index)));
    problems.extend(fronts.tasks.iter().flat_map(|task| waits_for_archived(task, &index)));
    problems.extend(find_cycles(&index, dependencies, "depends on itself"));
    problems.extend(find_cycles(&index, parents, "is a part of itself"));
    Ok(problems)
}

/// The problems of one task.
fn of_one(task: &StoredFile<Task>) -> Vec<DatabaseProblem> {
    let Task { front, body, .. } = &task.content;
    let with = |kind, message| DatabaseProblem::of_task(kind, task, &front.id, message);
    let mut problems: Vec<DatabaseProblem> = front
        .warnings
        .iter()
        .map(|warning| with("invalid-value", format!("{}: {warning}", front.id)))
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
            _ => format!("{} is Done, but {} are open", front.id, join_with_and(&open)),
        };
        problems.push(with("open-criteria", message));
    }
    problems
}

/// A task that is done in a lane of a run that is over, so that nobody lands its work.
fn not_landed(task: &StoredFile<Task>, runs: &dyn RunRegistry) -> Option<DatabaseProblem> {
    let front = &task.content.front;
    let RunLane { run, lane } = front.landing.as_ref()?;
    let is_over = runs.is_running(run) == Some(false);
    let message = format!(
        "{} is done in lane {lane} of run {run}, which is over, and has not landed; \
         `forge-tasks claim {0}` takes it up again",
        front.id
    );
    is_over.then(|| DatabaseProblem::of_task("not-landed", task, &front.id, message))
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
    if task.directory == TaskDirectory::Archive || front.status == TaskStatus::Done {
        return Vec::new();
    }
    let is_archived = |written: &&str| {
        let referred = index.referred(written);
        !referred.is_empty() && referred.iter().all(|task| task.directory == TaskDirectory::Archive)
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
        let message = format!("{} depends on {written}, which does not exist", front.id);
        with("missing-dependency", message)
    });
    let parent = front.parent.iter().filter(is_missing).map(|written| {
        with("missing-parent", format!("{} is a part of {written}, which does not exist", front.id))
    });
    dependencies.chain(parent).collect()
}

/// A problem of a database.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DatabaseProblem {
    /// One word for programs: `config`, `broken-file`, `merge-conflict`, `invalid-value`,
    /// `misnamed-file`, `open-criteria`, `duplicate-id`, `unfinished-renumbering`,
    /// `not-renumbered`, `not-landed`, `missing-dependency`, `missing-parent`, `archived-dependency` or `cycle`.
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
    pub(crate) fn of_config(database: &Database, has_tasks: bool) -> Option<Self> {
        let conflict = database.config_conflict();
        let message = match database.config_state() {
            ConfigState::Read | ConfigState::WithoutCounter if conflict.is_some() => {
                let line = conflict.unwrap_or_default();
                format!("{CONFIG} has a merge conflict in line {line}; edit the file")
            }
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

    pub(crate) fn of_broken_file(file: &BrokenFile) -> Self {
        let path = file.path();
        let message = format!("{path} {}", file.why);
        Self { kind: "broken-file", ids: Vec::new(), files: vec![path], message }
    }

    pub(crate) fn of_task<T>(
        kind: &'static str,
        task: &StoredFile<T>,
        id: &TaskId,
        message: String,
    ) -> Self {
        Self { kind, ids: vec![id.clone()], files: vec![task.path()], message }
    }

    pub(crate) fn of_duplicates(same: &[StoredFile<FrontMatter>]) -> Self {
        let files: Vec<String> = same.iter().map(StoredFile::path).collect();
        let id = &same[0].content.id;
        let message = format!("{id} is the id of {}", join_with_and(&files));
        Self { kind: "duplicate-id", ids: vec![id.clone()], files, message }
    }

    /// A task whose renumbering was interrupted.
    pub(crate) fn of_unfinished(task: &StoredFile<Task>, pending: &TaskId) -> Self {
        let path = task.path();
        let message =
            format!("{path} is to become {pending}; `forge-tasks check --fix` completes that");
        Self::of_task("unfinished-renumbering", task, &task.content.front.id, message)
    }

    /// Duplicate ids that stay because a file cannot be edited.
    pub(crate) fn of_unmoved(id: &TaskId, path: &str, why: &TaskEditError) -> Self {
        let message = format!("{id} is not renumbered because of {path}: {why}");
        Self {
            kind: "not-renumbered",
            ids: vec![id.clone()],
            files: vec![path.to_owned()],
            message,
        }
    }
}

/// Finds cycles. A task that is in several is reported once.
pub(crate) fn find_cycles(
    index: &TaskIndex<'_>,
    references: fn(&FrontMatter) -> Vec<&str>,
    what: &str,
) -> Vec<DatabaseProblem> {
    let mut reported: HashSet<*const FrontMatter> = HashSet::new();
    let mut problems = Vec::new();
    for task in suspects(index, references) {
        if reported.contains(&std::ptr::from_ref(&task.content)) {
            continue;
        }
        let id = &task.content.id;
        let way = way_back(index, id, &references(&task.content), references);
        let Some(way) = way else { continue };
        let members = index.tasks().iter().filter(|task| way.contains(&task.content.id));
        let members: Vec<&StoredFile<FrontMatter>> = members.collect();
        reported.extend(members.iter().map(|task| std::ptr::from_ref(&task.content)));
        problems.push(DatabaseProblem {
            kind: "cycle",
            ids: members.iter().map(|task| task.content.id.clone()).collect::<Vec<TaskId>>(),
            files: members.iter().map(|task| task.path()).collect(),
            message: format!("{id} {what}: {}", circle(id, &way)),
        });
    }
    problems
}

/// The tasks that are in a cycle or depend on one. A valid database has none, which one pass finds
/// out.
fn suspects<'a>(
    index: &TaskIndex<'a>,
    references: fn(&FrontMatter) -> Vec<&str>,
) -> Vec<&'a StoredFile<FrontMatter>> {
    let tasks = index.tasks();
    let place: HashMap<*const FrontMatter, usize> = tasks
        .iter()
        .enumerate()
        .map(|(place, task)| (std::ptr::from_ref(&task.content), place))
        .collect();
    let mut led_from: Vec<Vec<usize>> = vec![Vec::new(); tasks.len()];
    let mut open = vec![0; tasks.len()];
    for (from, task) in tasks.iter().enumerate() {
        for other in references(&task.content).iter().flat_map(|written| index.referred(written)) {
            led_from[place[&std::ptr::from_ref(&other.content)]].push(from);
            open[from] += 1;
        }
    }
    let mut cleared: Vec<usize> = (0..tasks.len()).filter(|place| open[*place] == 0).collect();
    while let Some(place) = cleared.pop() {
        for other in &led_from[place] {
            open[*other] -= 1;
            if open[*other] == 0 {
                cleared.push(*other);
            }
        }
    }
    tasks.iter().zip(open).filter(|(_, open)| *open > 0).map(|(task, _)| task).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actions::testing::listed;

    fn found(lines: &[&str]) -> Vec<String> {
        let all = listed(lines);
        let problems = find_cycles(&TaskIndex::new(&all), dependencies, "depends on itself");
        problems.into_iter().map(|problem| problem.message).collect()
    }

    #[test]
    fn every_cycle_is_reported_once() {
        let lines = [
            "TASK-1",
            "TASK-2 TASK-1 TASK-3",
            "TASK-3 TASK-4",
            "TASK-4 TASK-5",
            "TASK-5 TASK-3",
            "TASK-6 6",
            "TASK-7 TASK-6 TASK-9",
            "TASK-8 TASK-99 nonsense",
        ];
        assert_eq!(
            found(&lines),
            [
                "TASK-3 depends on itself: TASK-3 → TASK-4 → TASK-5 → TASK-3",
                "TASK-6 depends on itself: TASK-6 → TASK-6",
            ]
        );
    }

    #[test]
    fn a_long_chain_of_dependencies_is_no_cycle() {
        let lines: Vec<String> = (1..2_000).map(|n| format!("TASK-{n} TASK-{}", n + 1)).collect();
        assert_eq!(found(&lines.iter().map(String::as_str).collect::<Vec<_>>()), [""; 0]);
    }

    #[test]
    fn two_connected_cycles_are_reported_separately() {
        let lines = ["TASK-1 TASK-2", "TASK-2 TASK-1 TASK-3", "TASK-3 TASK-4", "TASK-4 TASK-3"];
        assert_eq!(found(&lines).len(), 2);
    }
}
