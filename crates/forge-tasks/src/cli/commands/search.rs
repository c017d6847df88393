//! `search`: finds tasks by words.

use super::Context;
use super::context::{Files, tasks};
use crate::actions::{self, SearchQuery};
use crate::cli::args::{Format, SearchArgs};
use crate::cli::error::CliError;
use crate::cli::exit_code;
use crate::cli::report::list::{self, Listed, Showing};
use crate::cli::report::{json, plain};
use crate::database::{Scope, Stored};
use crate::document::Task;

/// Finds tasks, the best first.
pub(crate) fn execute(args: &SearchArgs, context: &mut Context<'_, '_>) -> Result<u8, CliError> {
    let query = SearchQuery::parse(&args.query)
        .ok_or_else(|| CliError::wrong("there is nothing to look for"))?;
    let place = context.place();
    let mut found = match place.database()? {
        None => Vec::new(),
        Some(database) => {
            let scope = if args.all { Scope::All } else { Scope::Active };
            let mut listing = tasks(database.documents(scope)?);
            let files = Files { place: &place, database: &database };
            context.warn_about(&listing, |task| &task.front, &files);
            let filter = args.filter();
            listing.tasks.retain(|task| filter.admits(&task.content.front));
            actions::search(listing.tasks, &query)
        }
    };
    let hits = found.len();
    found.truncate(args.limit);
    let more = hits - found.len();
    if more > 0 {
        context.screen.note(&format!("{more} more found; `--limit {hits}` shows all"));
    }
    match text(&found, context.format(), context.showing()) {
        text if text.is_empty() => Ok(exit_code::DONE),
        text => context.answer(&text),
    }
}

fn text(found: &[Stored<Task>], format: Format, showing: Showing) -> String {
    match format {
        Format::Json => json::list(found.iter().map(|task| &task.content)),
        Format::Plain => plain::list(found.iter().map(|task| &task.content.front)),
        Format::Human if found.is_empty() => "Nothing found\n".to_owned(),
        Format::Human => {
            let listed = found.iter().map(|task| Listed::new(task, &task.content.front));
            list::table(&listed.collect::<Vec<_>>(), showing)
        }
    }
}
