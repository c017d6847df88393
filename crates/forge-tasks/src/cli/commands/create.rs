//! `create`: creates a task, and the database if there is none.

use super::Context;
use super::context::Files;
use crate::actions;
use crate::cli::args::CreateArgs;
use crate::cli::error::CliError;
use crate::cli::report::deed;

/// Creates a task.
pub(crate) fn execute(args: &CreateArgs, context: &mut Context<'_, '_>) -> Result<u8, CliError> {
    let place = context.place();
    let mut writer = place.created()?;
    let done = actions::create(&mut writer, &args.new_task(), context.now())?;
    context.warn_of(&done);
    let files = Files { place: &place, database: writer.database() };
    let text = deed::created(&done.task.content, &files.of(&done.task), context.format());
    context.answer(&text)
}
