//! `init`: creates a database.

use super::Context;
use crate::cli::args::InitArgs;
use crate::cli::error::CliError;
use crate::cli::report::deed;
use crate::database::{Force, InitSettings, Writer};

/// Creates a database, or changes its settings. Tasks and numbers stay.
pub(crate) fn execute(args: &InitArgs, context: &mut Context<'_, '_>) -> Result<u8, CliError> {
    let place = context.place();
    // A config that cannot be read is what `--force` is for.
    let mut writer = Writer::open_leniently(&place.path_for_new())?;
    let settings = InitSettings {
        prefix: args.prefix.clone(),
        project_name: args.name.clone().filter(|name| !name.is_empty()),
    };
    let notes = writer.init(&settings, if args.force { Force::Yes } else { Force::No })?;
    context.screen.warn(&notes);
    let database = writer.database();
    let path = place.shown(database.path());
    let text = deed::begun(&path, &database.config().prefix, context.format());
    context.answer_after(&format!("{path} was set up"), &text)
}
