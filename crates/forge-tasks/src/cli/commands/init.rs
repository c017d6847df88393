//! `init`: creates a database.

use super::{CommandContext, CommandResult};
use crate::cli::args::InitTasksArgs;
use crate::cli::report::action_report;
use crate::database::{DatabaseWriter, ExistingConfig, InitSettings};
use crate::git::{self, AttributesFile};

/// Creates a database, or changes its settings. Tasks and numbers stay.
pub(crate) fn execute(args: &InitTasksArgs, context: &mut CommandContext<'_>) -> CommandResult {
    let place = context.place();
    // `--force` also replaces a config that cannot be read.
    let mut writer = DatabaseWriter::open_leniently(&place.path_for_new())?;
    let settings = InitSettings {
        prefix: args.prefix.clone(),
        project_name: args.name.clone().filter(|name| !name.is_empty()),
    };
    let notes = writer
        .init(&settings, if args.force { ExistingConfig::Yes } else { ExistingConfig::No })?;
    context.console.warn(&notes);
    let database = writer.database();
    let merging = git::set_up_merging(database.path());
    context.console.warn(&merging.notes);
    if merging.attributes.is_some_and(|file| file != AttributesFile::Kept) {
        context.console.note("git merges tasks field by field; commit .gitattributes");
    }
    let path = place.shown(database.path());
    let text = action_report::begun(&path, &database.config().prefix, context.format());
    context.answer_after(&format!("{path} was set up"), &text)
}
