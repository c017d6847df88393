//! `archive` and `unarchive`: move tasks to the archive and back.

use std::collections::BTreeMap;

use super::{CommandContext, CommandResult};
use crate::cli::args::{ArchiveArgs, TasksOutputFormat, UnarchiveArgs};
use crate::cli::error::TasksCliError;
use crate::cli::report::action_report;
use crate::database::{Database, DatabaseWriter, TaskDirectory, TaskScope};
use crate::{TaskId, actions, words};

/// Archives the named tasks, or all that are Done.
pub(crate) fn execute(args: &ArchiveArgs, context: &mut CommandContext<'_>) -> CommandResult {
    if args.ids.is_empty() && !args.done {
        return Err(TasksCliError::wrong(
            "say which tasks to archive, or `--done` for all that are",
        ));
    }
    let mut writer = context.place().writer()?;
    let ids = if args.done {
        actions::archive_done(&mut writer)?
    } else {
        actions::relocate(&mut writer, &args.ids, TaskDirectory::Archive)?
    };
    report(&ids, TaskDirectory::Archive, &writer, context)
}

/// Moves the named tasks out of the archive.
pub(crate) fn unarchive(args: &UnarchiveArgs, context: &mut CommandContext<'_>) -> CommandResult {
    let mut writer = context.place().writer()?;
    let ids = actions::relocate(&mut writer, &args.ids, TaskDirectory::Tasks)?;
    report(&ids, TaskDirectory::Tasks, &writer, context)
}

fn report(
    ids: &[TaskId],
    to: TaskDirectory,
    writer: &DatabaseWriter,
    context: &mut CommandContext<'_>,
) -> CommandResult {
    let titles = match context.format() {
        TasksOutputFormat::Human => titles(ids, to, writer.database()),
        TasksOutputFormat::Plain | TasksOutputFormat::Json => Vec::new(),
    };
    let text = action_report::relocated(ids, &titles, to, context.format());
    if ids.is_empty() {
        return context.answer(&text);
    }
    let names: Vec<&str> = ids.iter().map(TaskId::as_str).collect();
    let was = if names.len() == 1 { "was" } else { "were" };
    let done = if to == TaskDirectory::Archive { "archived" } else { "unarchived" };
    context.answer_after(&format!("{} {was} {done}", words::join_with_and(&names)), &text)
}

/// The titles of tasks that were moved. A title that cannot be read is empty.
fn titles(ids: &[TaskId], directory: TaskDirectory, database: &Database) -> Vec<String> {
    let all = database.fronts(TaskScope::All).map(|listing| listing.tasks).unwrap_or_default();
    let moved = all.into_iter().filter(|task| task.directory == directory);
    let titles: BTreeMap<TaskId, String> =
        moved.map(|task| (task.content.id, task.content.title)).collect();
    ids.iter().map(|id| titles.get(id).cloned().unwrap_or_default()).collect()
}
