//! `view`: shows a task.

use super::Context;
use super::context::Files;
use crate::cli::args::{Format, IdArgs};
use crate::cli::error::CliError;
use crate::cli::report::relations::Relations;
use crate::cli::report::view::{Surroundings, view};
use crate::cli::report::{json, plain};
use crate::database::{Scope, Shelf, Stored};
use crate::document::Task;

/// Shows a task.
pub(crate) fn execute(args: &IdArgs, context: &mut Context<'_, '_>) -> Result<u8, CliError> {
    let place = context.place();
    let database = place.existing()?;
    let Stored { shelf, file, content } = database.find(&args.id)?;
    let files = Files { place: &place, database: &database };
    let content = Task::read(&content)
        .map_err(|why| CliError::Wrong(format!("{} {why}", files.name(shelf, &file))))?;
    let task = Stored { shelf, file, content };
    context.warn_about_task(&task, &files);
    let text = shown(&task, &files, context)?;
    context.answer(&text)
}

/// A task in the chosen format.
pub(super) fn shown(
    task: &Stored<Task>,
    files: &Files<'_>,
    context: &Context<'_, '_>,
) -> Result<String, CliError> {
    Ok(match context.format() {
        Format::Json => json::task(&task.content),
        Format::Plain => plain::view(&task.content),
        Format::Human => {
            let all = files.database.fronts(Scope::All)?;
            let around = Surroundings {
                file: files.of(task),
                is_archived: task.shelf == Shelf::Archive,
                now: context.now(),
                relations: Relations::of(task, &task.content.front, &all),
                columns: context.screen.looks.columns,
            };
            view(&task.content, &around)
        }
    })
}
