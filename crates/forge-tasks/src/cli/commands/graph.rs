//! `graph`: shows dependencies.

use super::Context;
use super::context::Files;
use crate::cli::args::GraphArgs;
use crate::cli::error::CliError;
use crate::cli::report::graph::{Graph, graph};
use crate::database::Scope;

/// Shows the tasks that are not archived, and what they depend on.
pub(crate) fn execute(args: &GraphArgs, context: &mut Context<'_, '_>) -> Result<u8, CliError> {
    let place = context.place();
    let shown = match place.database()? {
        None => {
            context.note_missing_database(&place);
            Graph::default()
        }
        Some(database) => {
            let all = database.fronts(Scope::All)?;
            context.warn_about(&all, |front| front, &Files { place: &place, database: &database });
            Graph::new(&all, context.leases())
        }
    };
    let columns = context.screen.looks.columns;
    context.answer(&graph(&shown, args.format, context.format(), columns))
}
