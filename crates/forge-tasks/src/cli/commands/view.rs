//! `view`: shows a task.

use super::CommandContext;
use super::context::FileNaming;
use crate::cli::args::{IdArgs, TasksOutputFormat};
use crate::cli::error::TasksCliError;
use crate::cli::report::relations::TaskRelations;
use crate::cli::report::view::{ViewContext, view};
use crate::cli::report::{json, plain};
use crate::database::{StoredFile, TaskDirectory, TaskScope};
use crate::document::Task;

/// Shows a task.
pub(crate) fn execute(
    args: &IdArgs,
    context: &mut CommandContext<'_, '_>,
) -> Result<u8, TasksCliError> {
    let place = context.place();
    let database = place.existing()?;
    let StoredFile { shelf, file, content } = database.find(&args.id)?;
    let files = FileNaming { place: &place, database: &database };
    let content = Task::read(&content)
        .map_err(|why| TasksCliError::Wrong(format!("{} {why}", files.name(shelf, &file))))?;
    let task = StoredFile { shelf, file, content };
    context.warn_about_task(&task, &files);
    let text = shown(&task, &files, context)?;
    context.answer(&text)
}

/// A task in the chosen format.
pub(super) fn shown(
    task: &StoredFile<Task>,
    files: &FileNaming<'_>,
    context: &CommandContext<'_, '_>,
) -> Result<String, TasksCliError> {
    Ok(match context.format() {
        TasksOutputFormat::Json => json::task(&task.content),
        TasksOutputFormat::Plain => plain::view(&task.content),
        TasksOutputFormat::Human => {
            let all = files.database.fronts(TaskScope::All)?;
            let around = ViewContext {
                file: files.of(task),
                is_archived: task.shelf == TaskDirectory::Archive,
                now: context.now(),
                relations: TaskRelations::of(task, &task.content.front, &all),
                columns: context.screen.looks.columns,
            };
            view(&task.content, &around)
        }
    })
}
