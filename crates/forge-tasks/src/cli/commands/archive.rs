//! `archive`: moves tasks to the archive.

use std::collections::BTreeMap;

use super::Context;
use crate::cli::args::{ArchiveArgs, Format};
use crate::cli::error::CliError;
use crate::cli::report::deed;
use crate::database::{Database, Scope, Shelf};
use crate::{TaskId, actions, words};

/// Moves the tasks that are named, or all that are Done.
pub(crate) fn execute(args: &ArchiveArgs, context: &mut Context<'_, '_>) -> Result<u8, CliError> {
    if args.ids.is_empty() && !args.done {
        return Err(CliError::wrong("say which tasks to archive, or `--done` for all that are"));
    }
    let mut writer = context.place().writer()?;
    let ids = if args.done {
        actions::archive_done(&mut writer)?
    } else {
        actions::archive(&mut writer, &args.ids)?
    };
    let titles = match context.format() {
        Format::Human => titles(&ids, Shelf::Archive, writer.database()),
        Format::Plain | Format::Json => Vec::new(),
    };
    let text = deed::archived(&ids, &titles, context.format());
    let names: Vec<&str> = ids.iter().map(TaskId::as_str).collect();
    match names[..] {
        [] => context.answer(&text),
        [only] => context.answer_after(&format!("{only} was archived"), &text),
        _ => context.answer_after(&format!("{} were archived", words::all_of(&names)), &text),
    }
}

/// The titles of tasks that were moved to a shelf. They are moved by now, so a title that cannot be read
/// is no error.
pub(super) fn titles(ids: &[TaskId], shelf: Shelf, database: &Database) -> Vec<String> {
    let all = database.fronts(Scope::All).map(|listing| listing.tasks).unwrap_or_default();
    let moved = all.into_iter().filter(|task| task.shelf == shelf);
    let titles: BTreeMap<TaskId, String> =
        moved.map(|task| (task.content.id, task.content.title)).collect();
    ids.iter().map(|id| titles.get(id).cloned().unwrap_or_default()).collect()
}
