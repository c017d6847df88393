//! `board`: the tasks in columns.

use super::CommandContext;
use super::context::{FileNaming, tasks};
use crate::TaskStatus;
use crate::cli::args::TasksOutputFormat;
use crate::cli::error::TasksCliError;
use crate::cli::exit_code;
use crate::cli::report::board::board;
use crate::cli::report::{json, plain};
use crate::cli::tasks_directory::TasksDirectory;
use crate::database::TaskScope;
use crate::document::{FrontMatter, Task};

/// The width of a board without a terminal.
const USUAL_WIDTH: usize = 100;

/// Shows the tasks that are not archived, a column for each status.
pub(crate) fn execute(context: &mut CommandContext<'_, '_>) -> Result<u8, TasksCliError> {
    let place = context.place();
    let Some(database) = place.database()? else { return nothing(&place, context) };
    let files = FileNaming { place: &place, database: &database };
    if context.format() == TasksOutputFormat::Json {
        let listing = tasks(database.documents(TaskScope::Active)?);
        context.warn_about(&listing, |task| &task.front, &files);
        let all: Vec<&Task> = listing.tasks.iter().map(|task| &task.content).collect();
        return context.answer(&json::board(&all));
    }
    let listing = database.fronts(TaskScope::Active)?;
    context.warn_about(&listing, |front| front, &files);
    let all: Vec<&FrontMatter> = listing.tasks.iter().map(|task| &task.content).collect();
    let text = match context.format() {
        TasksOutputFormat::Plain => plain::list(by_status(&all)),
        _ => board(&all, context.now(), context.screen.looks.columns.unwrap_or(USUAL_WIDTH)),
    };
    context.answer(&text)
}

/// The empty board, without a database.
fn nothing(
    place: &TasksDirectory,
    context: &mut CommandContext<'_, '_>,
) -> Result<u8, TasksCliError> {
    context.note_missing_database(place);
    match context.format() {
        TasksOutputFormat::Json => context.answer(&json::board(&[])),
        TasksOutputFormat::Human | TasksOutputFormat::Plain => Ok(exit_code::DONE),
    }
}

/// One column after the other.
fn by_status<'a>(all: &[&'a FrontMatter]) -> impl Iterator<Item = &'a FrontMatter> {
    let column = |status| all.iter().copied().filter(move |front| front.status == status);
    TaskStatus::ALL.into_iter().flat_map(column)
}
