//! `claim`: claims a task.

use super::context::FileNaming;
use super::{CommandContext, CommandResult, view};
use crate::actions::{self, ClaimResult, Claimer};
use crate::cli::args::{ClaimArgs, one_line};
use crate::cli::cli_inputs::TasksEnvironment;
use crate::cli::error::TasksCliError;
use crate::database::FindTaskError;

/// Claims a task, or the best ready one.
pub(crate) fn execute(args: &ClaimArgs, context: &mut CommandContext<'_>) -> CommandResult {
    let environment = &context.inputs.environment;
    let claimer = Claimer {
        name: claimer(args.name.as_deref(), environment),
        run: environment.run.clone(),
        lane: environment.lane,
        lease: args.lease,
    };
    let place = context.place();
    let Some(mut writer) = place.open_writer()? else {
        return Err(match &args.id {
            Some(id) => FindTaskError::without_tasks(id).into(),
            None => TasksCliError::NothingToClaim("there are no tasks".to_owned()),
        });
    };
    let runs = context.inputs.runs;
    let claim = actions::claim(&mut writer, args.id.as_ref(), &claimer, runs, context.now())?;
    let ClaimResult { outcome, broken, warnings } = claim;
    let files = FileNaming { place: &place, database: writer.database() };
    context.warn_about_files(&broken, &files);
    context.console.warn(&warnings);
    let done = outcome.map_err(TasksCliError::NothingToClaim)?;
    context.warn_of(&done);
    let action = format!("{} was claimed by {}", done.task.content.front.id, claimer.name);
    let text = view::shown(&done.task, &files, context).map_err(|error| error.after(&action))?;
    context.answer_after(&action, &text)
}

/// The claimant: the given name, the calling agent, the user, or a default.
fn claimer(name: Option<&str>, environment: &TasksEnvironment) -> String {
    let known = [name, environment.agent.as_deref(), environment.user.as_deref()];
    let name = known.into_iter().flatten().map(one_line).find(|name| !name.is_empty());
    name.unwrap_or_else(|| "unknown".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_claimer_is_the_option_else_the_agent_else_the_user() {
        let environment = |agent: Option<&str>, user: Option<&str>| TasksEnvironment {
            agent: agent.map(str::to_owned),
            user: user.map(str::to_owned),
            ..TasksEnvironment::default()
        };
        let both = environment(Some("builder"), Some("ada"));
        let name = |name, environment: &TasksEnvironment| claimer(name, environment);
        assert_eq!(name(Some("me"), &both), "me");
        assert_eq!(name(None, &both), "builder");
        assert_eq!(name(None, &environment(None, Some("ada"))), "ada");
        assert_eq!(name(None, &environment(None, None)), "unknown");
    }
}
