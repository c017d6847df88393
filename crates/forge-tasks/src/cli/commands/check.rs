//! `check`: what is wrong.

use std::path::Path;

use super::Context;
use crate::actions::{self, Fixed};
use crate::cli::args::CheckArgs;
use crate::cli::error::CliError;
use crate::cli::exit_code;
use crate::cli::report::check::check;
use crate::database::Writer;

/// Finds what is wrong, after mending what can be mended if that is wanted.
pub(crate) fn execute(args: &CheckArgs, context: &mut Context<'_, '_>) -> Result<u8, CliError> {
    let place = context.place();
    let Some(database) = place.database_to_check()? else {
        return context.answer(&check(&[], &[], context.format()));
    };
    let fixed = if args.fix { fix(database.path(), context)? } else { Fixed::default() };
    // Read again: what was mended may be the config.
    let database = place.database_to_check()?.unwrap_or(database);
    let (mut problems, error) = match actions::check(&database) {
        Ok(problems) => (problems, fixed.error),
        Err(error) => (Vec::new(), fixed.error.or(Some(error))),
    };
    problems.extend(fixed.problems);
    let text = check(&problems, &fixed.said, context.format());
    // What was done is told whatever failed then.
    match (&fixed.said[..], error) {
        ([], Some(error)) => return Err(error.into()),
        ([], None) => context.answer(&text)?,
        (_, Some(error)) => {
            context.answer_after("it was fixed", &text)?;
            return Err(error.into());
        }
        (_, None) => context.answer_after("it was fixed", &text)?,
    };
    Ok(if problems.is_empty() { exit_code::DONE } else { exit_code::ERROR })
}

/// The lock is let go before everything is read again.
fn fix(path: &Path, context: &Context<'_, '_>) -> Result<Fixed, CliError> {
    let mut writer = Writer::open_leniently(path)?;
    Ok(actions::fix(&mut writer, context.now()))
}
