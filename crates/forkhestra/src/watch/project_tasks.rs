//! The tasks of the project in which a run works.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use forge_tasks::actions::TaskIndex;
use forge_tasks::database::{
    self, Database, DirectoryListing, FindTaskError, TaskDirectory, TaskScope,
};
use forge_tasks::document::{FrontMatter, Task};
use forge_tasks::{IdQuery, TaskStatus};
use forkhestra_core::id::RunId;
use forkhestra_core::plan::Plan;
use forkhestra_tui::{TaskBoard, TaskCard, TaskDetails};

use crate::cli::command_error::in_full;
use crate::project::project_location::ProjectLocation;

/// A file that is modified in place does not change its directory's timestamp, so everything is
/// read again after this time.
const MAX_CACHE_AGE: Duration = Duration::from_secs(10);

/// Reader for the tasks of a run's project, with a cache.
pub(super) struct ProjectTasks {
    run: RunId,
    /// The database directory that the environment names for agents.
    named: Option<OsString>,
    known: Option<ProjectTasksCache>,
}

struct ProjectTasksCache {
    place: PathBuf,
    /// Modification time of the directory.
    changed: Option<SystemTime>,
    read: Instant,
    board: Option<Result<TaskBoard, String>>,
}

impl ProjectTasks {
    pub(super) fn new(project: &ProjectLocation, run: &RunId) -> Self {
        let named = project.environment.forge_tasks_dir.clone().filter(|named| !named.is_empty());
        Self { run: run.clone(), named, known: None }
    }

    /// The current tasks; `None` if there is no database.
    pub(super) fn read(&mut self, plan: &Plan) -> Option<Result<TaskBoard, String>> {
        let place = self.directory(plan)?;
        let changed = fs::metadata(&place).and_then(|metadata| metadata.modified()).ok();
        let is_same = |known: &&ProjectTasksCache| {
            known.place == place && known.changed == changed && known.read.elapsed() < MAX_CACHE_AGE
        };
        if let Some(known) = self.known.as_ref().filter(is_same) {
            return known.board.clone();
        }
        let board = board(&place, &self.run).transpose();
        let read = Instant::now();
        self.known = Some(ProjectTasksCache { place, changed, read, board: board.clone() });
        board
    }

    /// The details of one task; `None` if it does not exist.
    pub(super) fn details(&self, plan: &Plan, id: &str) -> Result<Option<TaskDetails>, String> {
        let Some(place) = self.directory(plan) else { return Ok(None) };
        let opened = Database::open(&place).map_err(|error| in_full(&error))?;
        match (opened, IdQuery::parse(id)) {
            (None, _) => Ok(None),
            (Some(database), Ok(query)) => {
                details(&database, &query, Path::new(&plan.working_directory))
            }
            // An unreadable file is identified by its path.
            (Some(_), Err(_)) => {
                let board =
                    self.known.as_ref().and_then(|known| known.board.as_ref()?.as_ref().ok());
                let card = board.and_then(|board| board.tasks.iter().find(|task| task.id == id));
                card.map_or(Ok(None), |card| Err(card.title.clone()))
            }
        }
    }

    fn directory(&self, plan: &Plan) -> Option<PathBuf> {
        let directory = Path::new(&plan.working_directory);
        match (&plan.task_database, &self.named) {
            (Some(planned), _) => Some(directory.join(planned)),
            (None, Some(named)) => Some(directory.join(named)),
            (None, None) => database::find(directory),
        }
    }
}

fn board(directory: &Path, run: &RunId) -> Result<Option<TaskBoard>, String> {
    let Some(database) = Database::open(directory).map_err(|error| in_full(&error))? else {
        return Ok(None);
    };
    // Archived tasks are not shown, but other tasks may depend on them.
    let all = database.fronts(TaskScope::All).map_err(|error| in_full(&error))?;
    let index = TaskIndex::new(&all);
    let active = all.tasks.iter().filter(|task| task.directory == TaskDirectory::Tasks);
    let sound = active.map(|task| card(&task.content, &index, run));
    // An unreadable file is shown as a task, because its task cannot be completed.
    let broken = all.broken.iter().filter(|broken| broken.directory == TaskDirectory::Tasks);
    let broken = broken.map(|broken| TaskCard {
        id: broken.path(),
        title: format!("{} {}", broken.file, broken.why),
        status: TaskStatus::Blocked.name().to_owned(),
        assignee: None,
        is_of_run: false,
        waits_for: Vec::new(),
    });
    Ok(Some(TaskBoard { tasks: sound.chain(broken).collect() }))
}

fn card(front: &FrontMatter, index: &TaskIndex<'_>, run: &RunId) -> TaskCard {
    let lease = front.lease.as_ref().and_then(|lease| lease.run.as_deref());
    TaskCard {
        id: front.id.to_string(),
        title: front.title.clone(),
        status: front.status.name().to_owned(),
        assignee: front.assignee.clone(),
        is_of_run: lease == Some(run.as_str()),
        waits_for: index.waits_for(front).into_iter().map(str::to_owned).collect(),
    }
}

fn details(
    database: &Database,
    query: &IdQuery,
    directory: &Path,
) -> Result<Option<TaskDetails>, String> {
    let found = match database.find(query) {
        Ok(found) => found,
        Err(FindTaskError::Unknown { .. }) => return Ok(None),
        Err(error) => return Err(in_full(&error)),
    };
    let task = Task::read(&found.content).map_err(|error| in_full(&error))?;
    let all = database.fronts(TaskScope::All).map_err(|error| in_full(&error))?;
    let dependencies = dependencies(&task.front, &all);
    let path = database.path_of(&found);
    let file = path.strip_prefix(directory).unwrap_or(&path).display().to_string();
    Ok(Some(TaskDetails {
        id: task.front.id.to_string(),
        title: task.front.title,
        status: task.front.status.name().to_owned(),
        priority: task.front.priority.map(|priority| priority.name().to_owned()),
        assignee: task.front.assignee,
        labels: task.front.labels,
        parent: task.front.parent,
        dependencies,
        description: task.body.description,
        plan: task.body.plan,
        notes: task.body.notes,
        criteria: task.body.criteria.into_iter().map(|one| (one.text, one.checked)).collect(),
        file,
    }))
}

/// The dependencies of a task, with status and title if they exist.
fn dependencies(
    front: &FrontMatter,
    all: &DirectoryListing<FrontMatter>,
) -> Vec<(String, Option<(String, String)>)> {
    let index = TaskIndex::new(all);
    let known = |written: &String| {
        let referred = index.referred(written);
        let front = referred.first().map(|task| &task.content);
        let known = front.map(|front| (front.status.name().to_owned(), front.title.clone()));
        (written.clone(), known)
    };
    front.dependencies.iter().map(known).collect()
}
