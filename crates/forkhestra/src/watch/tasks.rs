//! The tasks of the project that a run works in.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use forge_tasks::Status;
use forge_tasks::database::{self, Database, Scope};
use forkhestra_core::plan::Plan;
use forkhestra_tui::{TaskBoard, TaskCard};

use crate::error::in_full;
use crate::project::Project;

/// Files may be changed in their place, which nothing but reading them tells.
const PATIENCE: Duration = Duration::from_secs(10);

/// The tasks of the project that a run works in.
pub(super) struct Tasks {
    /// Where agents look for them, if somebody says so.
    named: Option<OsString>,
    known: Option<Known>,
}

struct Known {
    place: PathBuf,
    /// When a file was last added, removed or replaced.
    changed: Option<SystemTime>,
    read: Instant,
    board: Option<Result<TaskBoard, String>>,
}

impl Tasks {
    pub(super) fn new(project: &Project) -> Self {
        let named = project.environment.forge_tasks_dir.clone().filter(|named| !named.is_empty());
        Self { named, known: None }
    }

    /// The tasks as they are now; none if there is no database.
    pub(super) fn read(&mut self, plan: &Plan) -> Option<Result<TaskBoard, String>> {
        let place = self.place(plan)?;
        let changed = fs::metadata(&place).and_then(|metadata| metadata.modified()).ok();
        let is_same = |known: &&Known| {
            known.place == place && known.changed == changed && known.read.elapsed() < PATIENCE
        };
        if let Some(known) = self.known.as_ref().filter(is_same) {
            return known.board.clone();
        }
        let board = board(&place).transpose();
        let read = Instant::now();
        self.known = Some(Known { place, changed, read, board: board.clone() });
        board
    }

    fn place(&self, plan: &Plan) -> Option<PathBuf> {
        let directory = Path::new(&plan.working_directory);
        match (&plan.task_database, &self.named) {
            (Some(planned), _) => Some(directory.join(planned)),
            (None, Some(named)) => Some(directory.join(named)),
            (None, None) => database::find(directory),
        }
    }
}

fn board(place: &Path) -> Result<Option<TaskBoard>, String> {
    let Some(database) = Database::open(place).map_err(|error| in_full(&error))? else {
        return Ok(None);
    };
    let listing = database.fronts(Scope::Active).map_err(|error| in_full(&error))?;
    let card = |id, title, status: Status, assignee| TaskCard {
        id,
        title,
        status: status.name().to_owned(),
        assignee,
    };
    let sound = listing.tasks.into_iter().map(|task| {
        let front = task.content;
        card(front.id.to_string(), front.title, front.status, front.assignee)
    });
    // Nobody can work on what cannot be read.
    let broken = listing.broken.into_iter().map(|broken| {
        card(broken.path(), format!("{} {}", broken.file, broken.why), Status::Blocked, None)
    });
    Ok(Some(TaskBoard { tasks: sound.chain(broken).collect() }))
}
