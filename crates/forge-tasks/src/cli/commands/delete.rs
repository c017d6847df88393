//! `delete`: removes a task for good.

use super::Context;
use crate::actions;
use crate::cli::args::DeleteArgs;
use crate::cli::error::CliError;
use crate::cli::place::Place;
use crate::cli::report::deed;
use crate::document::Task;

/// Removes a task, after a question unless that is not wanted.
pub(crate) fn execute(args: &DeleteArgs, context: &mut Context<'_, '_>) -> Result<u8, CliError> {
    let place = context.place();
    if !args.force {
        ask(args, &place, context)?;
    }
    let mut writer = place.writer()?;
    let done = actions::delete(&mut writer, &args.id)?;
    context.warn_of(&done);
    context.answer(&deed::deleted(&done.task.content, context.format()))
}

/// Asks without holding the lock: people think for as long as they like.
fn ask(args: &DeleteArgs, place: &Place, context: &mut Context<'_, '_>) -> Result<(), CliError> {
    let stored = place.existing()?.find(&args.id)?;
    let (id, title) = match Task::read(&stored.content) {
        Ok(task) => (task.front.id.to_string(), task.front.title),
        Err(_) => (args.id.to_string(), stored.file),
    };
    if !context.screen.looks.can_ask {
        return Err(CliError::Wrong(format!(
            "{id} is not deleted without -f: there is no terminal to ask on"
        )));
    }
    let is_sure = context.screen.ask(&format!("Delete {id} '{title}' for good?"))?;
    if is_sure { Ok(()) } else { Err(CliError::Wrong(format!("{id} is not deleted"))) }
}
