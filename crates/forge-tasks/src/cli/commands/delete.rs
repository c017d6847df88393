//! `delete`: deletes a task.

use super::{CommandContext, CommandResult};
use crate::actions;
use crate::cli::args::DeleteArgs;
use crate::cli::error::TasksCliError;
use crate::cli::report::action_report;
use crate::cli::report::relations::TaskRelations;
use crate::cli::tasks_directory::TasksDirectory;
use crate::database::TaskScope;
use crate::document::Task;

/// Deletes a task, after a question unless `--force` is given.
pub(crate) fn execute(args: &DeleteArgs, context: &mut CommandContext<'_>) -> CommandResult {
    let place = context.place();
    if !args.force {
        ask(args, &place, context)?;
    }
    let mut writer = place.writer()?;
    let done = actions::delete(&mut writer, &args.id)?;
    context.warn_of(&done);
    let text = action_report::deleted(&done.task.content, context.format());
    context.answer_after(&format!("{} was deleted", done.task.content.front.id), &text)
}

/// Asks without holding the lock.
fn ask(
    args: &DeleteArgs,
    place: &TasksDirectory,
    context: &mut CommandContext<'_>,
) -> Result<(), TasksCliError> {
    let database = place.existing()?;
    let stored = database.find(&args.id)?;
    let front = Task::read(&stored.content).map(|task| task.front).ok();
    let id = front.as_ref().map_or_else(|| args.id.to_string(), |front| front.id.to_string());
    if !context.console.features.can_ask {
        return Err(TasksCliError::Wrong(format!(
            "{id} is not deleted without -f: there is no terminal to ask on"
        )));
    }
    if let Some(front) = &front {
        let relations = TaskRelations::of(&stored, front, &database.fronts(TaskScope::All)?);
        relations.dependents(&front.id).iter().for_each(|warning| context.console.say(warning));
    }
    let title = front.map_or(stored.file, |front| front.title);
    match context.console.ask(&format!("Delete {id} '{title}' for good?"))? {
        true => Ok(()),
        false => Err(TasksCliError::Declined("Nothing was deleted".to_owned())),
    }
}
