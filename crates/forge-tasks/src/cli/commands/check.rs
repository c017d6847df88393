//! `check`: what is wrong.

use std::path::Path;

use super::Context;
use crate::actions;
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
    let fixed = if args.fix { fix(database.path(), context)? } else { Vec::new() };
    // Read again: what was mended may be the config.
    let database = place.database_to_check()?.unwrap_or(database);
    let problems = actions::check(&database)?;
    let text = check(&problems, &fixed, context.format());
    match &fixed[..] {
        [] => context.answer(&text)?,
        _ => context.answer_after("it was fixed", &text)?,
    };
    Ok(if problems.is_empty() { exit_code::DONE } else { exit_code::ERROR })
}

/// The lock is let go before everything is read again.
fn fix(path: &Path, context: &Context<'_, '_>) -> Result<Vec<String>, CliError> {
    let mut writer = Writer::open_leniently(path)?;
    Ok(actions::fix(&mut writer, context.now())?)
}
