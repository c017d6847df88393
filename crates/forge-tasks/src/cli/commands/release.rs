//! `release`: releases a task.

use super::Context;
use crate::actions;
use crate::cli::args::IdArgs;
use crate::cli::error::CliError;
use crate::cli::report::deed;

/// Releases a task.
pub(crate) fn execute(args: &IdArgs, context: &mut Context<'_, '_>) -> Result<u8, CliError> {
    let mut writer = context.place().writer()?;
    let done = actions::release(&mut writer, &args.id, context.now())?;
    context.warn_of(&done);
    let text = deed::released(&done.task.content, context.format());
    context.answer_after(&format!("{} was released", done.task.content.front.id), &text)
}
