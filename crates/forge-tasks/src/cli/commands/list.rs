//! `list`: lists tasks.

use super::CommandContext;
use super::context::{FileNaming, fronts_of, tasks};
use crate::actions::{LeaseCheck, TaskIndex, TaskReadiness, readiness};
use crate::cli::args::{ListTasksArgs, TasksOutputFormat};
use crate::cli::error::TasksCliError;
use crate::cli::exit_code;
use crate::cli::filter::TaskFilter;
use crate::cli::report::list::{self, ListedTask};
use crate::cli::report::{json, plain};
use crate::cli::tasks_directory::TasksDirectory;
use crate::database::{DirectoryListing, StoredFile, TaskDirectory, TaskScope};
use crate::document::FrontMatter;

/// Lists the selected tasks.
pub(crate) fn execute(
    args: &ListTasksArgs,
    context: &mut CommandContext<'_, '_>,
) -> Result<u8, TasksCliError> {
    let place = context.place();
    let Some(database) = place.database()? else { return nothing(&place, context) };
    let files = FileNaming { place: &place, database: &database };
    let wanted = ListSelection::new(args, context.format());
    if context.format() == TasksOutputFormat::Json {
        return whole(&wanted, &files, context);
    }
    let listing = database.fronts(wanted.scope)?;
    context.warn_about(&listing, |front| front, &files);
    let leases = context.leases();
    let shown = wanted.of(&listing, leases);
    let text = match context.format() {
        TasksOutputFormat::Plain => plain::list(shown.iter().map(|task| &task.content)),
        _ => {
            let listed: Vec<ListedTask<'_>> =
                shown.iter().map(|task| ListedTask::new(task, &task.content)).collect();
            list::list(&listed, ready(&shown, &listing, leases), context.showing())
        }
    };
    context.answer(&text)
}

/// Lists the selected tasks with all fields.
fn whole(
    wanted: &ListSelection,
    files: &FileNaming<'_>,
    context: &mut CommandContext<'_, '_>,
) -> Result<u8, TasksCliError> {
    let listing = tasks(files.database.documents(wanted.scope)?);
    context.warn_about(&listing, |task| &task.front, files);
    let fronts = fronts_of(&listing);
    // Both are in the same order.
    let mut shown = wanted.of(&fronts, context.leases()).into_iter().peekable();
    let is_shown = |task: &&StoredFile<_>| {
        shown.next_if(|next| (next.shelf, &next.file) == (task.shelf, &task.file)).is_some()
    };
    let shown = listing.tasks.iter().filter(is_shown).map(|task| &task.content);
    context.answer(&json::list(shown))
}

/// The empty list, without a database.
fn nothing(
    place: &TasksDirectory,
    context: &mut CommandContext<'_, '_>,
) -> Result<u8, TasksCliError> {
    context.note_missing_database(place);
    match context.format() {
        TasksOutputFormat::Json => context.answer(&json::list([])),
        TasksOutputFormat::Human | TasksOutputFormat::Plain => Ok(exit_code::DONE),
    }
}

/// The number of ready tasks.
fn ready(
    shown: &[&StoredFile<FrontMatter>],
    all: &DirectoryListing<FrontMatter>,
    leases: LeaseCheck<'_>,
) -> usize {
    let index = TaskIndex::new(all);
    let active = shown.iter().filter(|task| task.shelf == TaskDirectory::Tasks);
    active.filter(|task| readiness(&task.content, &index, leases) == TaskReadiness::Ready).count()
}

/// The selection, and the directories to read.
struct ListSelection {
    filter: TaskFilter,
    readiness: Option<TaskReadiness>,
    scope: TaskScope,
}

impl ListSelection {
    fn new(args: &ListTasksArgs, format: TasksOutputFormat) -> Self {
        let readiness = match (args.ready, args.blocked) {
            (true, _) => Some(TaskReadiness::Ready),
            (false, true) => Some(TaskReadiness::Blocked),
            (false, false) => None,
        };
        // People see how many tasks are ready, and tasks may depend on archived ones.
        let filter = args.filter();
        let is_active = filter.directory == Some(TaskDirectory::Tasks);
        let needs_all = !is_active || readiness.is_some() || format == TasksOutputFormat::Human;
        let scope = if needs_all { TaskScope::All } else { TaskScope::Active };
        Self { filter, readiness, scope }
    }

    /// The selected tasks.
    fn of<'a>(
        &self,
        all: &'a DirectoryListing<FrontMatter>,
        leases: LeaseCheck<'_>,
    ) -> Vec<&'a StoredFile<FrontMatter>> {
        let chosen = self.readiness.map(|readiness| (readiness, TaskIndex::new(all)));
        let is_wanted = |task: &&StoredFile<FrontMatter>| {
            self.filter.admits(task.shelf, &task.content)
                && chosen.as_ref().is_none_or(|(wanted, index)| {
                    readiness(&task.content, index, leases) == *wanted
                })
        };
        all.tasks.iter().filter(is_wanted).collect()
    }
}
