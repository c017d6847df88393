//! `graph`: shows dependencies.

use super::context::FileNaming;
use super::{CommandContext, CommandResult};
use crate::cli::args::GraphArgs;
use crate::cli::report::graph::{TaskGraph, graph};
use crate::database::TaskScope;

/// Shows the active tasks and their dependencies.
pub(crate) fn execute(args: &GraphArgs, context: &mut CommandContext<'_>) -> CommandResult {
    let place = context.place();
    let shown = match place.database()? {
        None => {
            context.note_missing_database(&place);
            TaskGraph::default()
        }
        Some(database) => {
            let all = database.fronts(TaskScope::All)?;
            context.warn_about(
                &all,
                |front| front,
                &FileNaming { place: &place, database: &database },
            );
            TaskGraph::new(&all, context.leases())
        }
    };
    let columns = context.console.features.columns;
    context.answer(&graph(&shown, args.format, context.format(), columns))
}
