//! `create`: creates a task, and the database if there is none.

use std::fs;

use super::context::FileNaming;
use super::{CommandContext, CommandResult};
use crate::actions;
use crate::cli::args::CreateArgs;
use crate::cli::report::action_report;
use crate::git;

/// Creates a task.
pub(crate) fn execute(args: &CreateArgs, context: &mut CommandContext<'_>) -> CommandResult {
    let place = context.place();
    let missing = place.missing_directories();
    let mut writer = place.created()?;
    let highest = git::highest_number(writer.database().path(), writer.database().config());
    writer.number_after(highest);
    let done = actions::create(&mut writer, &args.new_task(), context.now());
    if done.is_err() {
        // A failed action must change nothing. `remove_dir` only removes empty directories.
        missing.iter().for_each(|directory| drop(fs::remove_dir(directory)));
    }
    let done = done?;
    context.warn_of(&done);
    let files = FileNaming { place: &place, database: writer.database() };
    let text = action_report::created(&done.task.content, &files.of(&done.task), context.format());
    context.answer_after(&format!("{} was created", done.task.content.front.id), &text)
}
