//! `archive` and `unarchive`: move tasks to the archive and back.

use std::collections::BTreeMap;

use super::Context;
use crate::cli::args::{ArchiveArgs, Format, UnarchiveArgs};
use crate::cli::error::CliError;
use crate::cli::report::deed;
use crate::database::{Database, Scope, Shelf, Writer};
use crate::{TaskId, actions, words};

/// Archives the named tasks, or all that are Done.
pub(crate) fn execute(args: &ArchiveArgs, context: &mut Context<'_, '_>) -> Result<u8, CliError> {
    if args.ids.is_empty() && !args.done {
        return Err(CliError::wrong("say which tasks to archive, or `--done` for all that are"));
    }
    let mut writer = context.place().writer()?;
    let ids = if args.done {
        actions::archive_done(&mut writer)?
    } else {
        actions::relocate(&mut writer, &args.ids, Shelf::Archive)?
    };
    report(&ids, Shelf::Archive, &writer, context)
}

/// Moves the named tasks out of the archive.
pub(crate) fn unarchive(
    args: &UnarchiveArgs,
    context: &mut Context<'_, '_>,
) -> Result<u8, CliError> {
    let mut writer = context.place().writer()?;
    let ids = actions::relocate(&mut writer, &args.ids, Shelf::Tasks)?;
    report(&ids, Shelf::Tasks, &writer, context)
}

fn report(
    ids: &[TaskId],
    to: Shelf,
    writer: &Writer,
    context: &mut Context<'_, '_>,
) -> Result<u8, CliError> {
    let titles = match context.format() {
        Format::Human => titles(ids, to, writer.database()),
        Format::Plain | Format::Json => Vec::new(),
    };
    let text = deed::relocated(ids, &titles, to, context.format());
    if ids.is_empty() {
        return context.answer(&text);
    }
    let names: Vec<&str> = ids.iter().map(TaskId::as_str).collect();
    let was = if names.len() == 1 { "was" } else { "were" };
    let done = if to == Shelf::Archive { "archived" } else { "unarchived" };
    context.answer_after(&format!("{} {was} {done}", words::all_of(&names)), &text)
}

/// The titles of tasks that were moved. A title that cannot be read is empty.
fn titles(ids: &[TaskId], shelf: Shelf, database: &Database) -> Vec<String> {
    let all = database.fronts(Scope::All).map(|listing| listing.tasks).unwrap_or_default();
    let moved = all.into_iter().filter(|task| task.shelf == shelf);
    let titles: BTreeMap<TaskId, String> =
        moved.map(|task| (task.content.id, task.content.title)).collect();
    ids.iter().map(|id| titles.get(id).cloned().unwrap_or_default()).collect()
}
