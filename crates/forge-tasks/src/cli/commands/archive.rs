//! `archive`: moves tasks to the archive.

use super::Context;
use crate::actions;
use crate::cli::args::ArchiveArgs;
use crate::cli::error::CliError;
use crate::cli::report::deed;

/// Moves the tasks that are named, or all that are Done.
pub(crate) fn execute(args: &ArchiveArgs, context: &mut Context<'_, '_>) -> Result<u8, CliError> {
    if args.ids.is_empty() && !args.done {
        return Err(CliError::wrong("say which tasks to archive, or `--done` for all that are"));
    }
    let mut writer = context.place().writer()?;
    let ids = if args.done {
        actions::archive_done(&mut writer)?
    } else {
        actions::archive(&mut writer, &args.ids)?
    };
    context.answer(&deed::archived(&ids, context.format()))
}
