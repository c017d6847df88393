//! `edit`: changes a task.

use super::{CommandContext, CommandResult};
use crate::actions;
use crate::cli::args::EditArgs;
use crate::cli::error::TasksCliError;
use crate::cli::report::action_report;

/// Changes a task.
pub(crate) fn execute(args: &EditArgs, context: &mut CommandContext<'_>) -> CommandResult {
    let mut change = args.change().ok_or_else(|| TasksCliError::wrong(NOTHING))?;
    change.lane = context.inputs.environment.run_lane();
    let mut writer = context.place().writer()?;
    let done = actions::edit(&mut writer, &args.id, &change, context.now())?;
    context.warn_of(&done);
    let text = action_report::edited(&done.task.content, &done.changed, context.format());
    if done.changed.is_empty() {
        return context.answer(&text);
    }
    context.answer_after(&format!("{} was updated", done.task.content.front.id), &text)
}

const NOTHING: &str = "there is nothing to edit; say what is to change, such as `--status done`; \
                       see `forge-tasks edit --help`";
