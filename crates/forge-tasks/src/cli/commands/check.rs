//! `check`: finds problems.

use std::path::Path;

use super::CommandContext;
use crate::actions::{self, FixReport};
use crate::cli::args::CheckArgs;
use crate::cli::error::TasksCliError;
use crate::cli::exit_code;
use crate::cli::report::check::{FixedJson, check};
use crate::database::DatabaseWriter;

/// Finds problems, after fixing them with `--fix`.
pub(crate) fn execute(
    args: &CheckArgs,
    context: &mut CommandContext<'_, '_>,
) -> Result<u8, TasksCliError> {
    let place = context.place();
    let Some(database) = place.database_to_check()? else {
        return context.answer(&check(&[], &FixedJson::default(), context.format()));
    };
    let fixed = if args.fix { fix(database.path(), context)? } else { FixReport::default() };
    // Read again: the fix may have changed the config.
    let database = place.database_to_check()?.unwrap_or(database);
    let (mut problems, error) = match actions::check(&database) {
        Ok(problems) => (problems, fixed.error),
        Err(error) => (Vec::new(), fixed.error.or(Some(error))),
    };
    problems.extend(fixed.problems);
    let mended = FixedJson { fixed: &fixed.said, mentions: &fixed.mentions };
    let text = check(&problems, &mended, context.format());
    // Fixes are reported even if something failed after them.
    if !fixed.said.is_empty() {
        context.answer_after("it was fixed", &text)?;
    } else if error.is_none() {
        context.answer(&text)?;
    }
    match error {
        Some(error) => Err(error.into()),
        None if problems.is_empty() && fixed.mentions.is_empty() => Ok(exit_code::DONE),
        None => Ok(exit_code::ERROR),
    }
}

/// Releases the lock before everything is read again.
fn fix(path: &Path, context: &CommandContext<'_, '_>) -> Result<FixReport, TasksCliError> {
    let mut writer = DatabaseWriter::open_leniently(path)?;
    Ok(actions::fix(&mut writer, context.now()))
}
