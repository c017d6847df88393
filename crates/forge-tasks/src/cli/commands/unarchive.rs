//! `unarchive`: moves tasks out of the archive.

use super::Context;
use super::archive::titles;
use crate::cli::args::{Format, UnarchiveArgs};
use crate::cli::error::CliError;
use crate::cli::report::deed;
use crate::database::Shelf;
use crate::{TaskId, actions, words};

/// Moves the tasks that are named.
pub(crate) fn execute(args: &UnarchiveArgs, context: &mut Context<'_, '_>) -> Result<u8, CliError> {
    let mut writer = context.place().writer()?;
    let ids = actions::unarchive(&mut writer, &args.ids)?;
    let titles = match context.format() {
        Format::Human => titles(&ids, Shelf::Tasks, writer.database()),
        Format::Plain | Format::Json => Vec::new(),
    };
    let text = deed::unarchived(&ids, &titles, context.format());
    let names: Vec<&str> = ids.iter().map(TaskId::as_str).collect();
    let was = if names.len() == 1 { "was" } else { "were" };
    context.answer_after(&format!("{} {was} unarchived", words::all_of(&names)), &text)
}
