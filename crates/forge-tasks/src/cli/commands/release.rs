//! `release`: releases a task.

use super::{CommandContext, CommandResult};
use crate::actions;
use crate::cli::args::IdArgs;
use crate::cli::report::action_report;

/// Releases a task.
pub(crate) fn execute(args: &IdArgs, context: &mut CommandContext<'_>) -> CommandResult {
    let mut writer = context.place().writer()?;
    let done = actions::release(&mut writer, &args.id, context.now())?;
    context.warn_of(&done);
    let text = action_report::acted("Released", &done.task.content, context.format());
    context.answer_after(&format!("{} was released", done.task.content.front.id), &text)
}
