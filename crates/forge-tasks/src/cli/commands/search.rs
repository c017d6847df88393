//! `search`: finds tasks by words.

use super::context::{FileNaming, tasks};
use super::{CommandContext, CommandResult};
use crate::actions::{self, SearchQuery};
use crate::cli::args::{SearchArgs, TasksOutputFormat};
use crate::cli::commands::list::{self, ListContext, ListedTask};
use crate::cli::error::TasksCliError;
use crate::cli::exit_code;
use crate::cli::report::{json, plain};
use crate::database::{StoredFile, TaskScope};
use crate::document::Task;

/// Finds tasks, the best first.
pub(crate) fn execute(args: &SearchArgs, context: &mut CommandContext<'_>) -> CommandResult {
    let query = SearchQuery::parse(&args.query)
        .ok_or_else(|| TasksCliError::wrong("there is nothing to look for"))?;
    let place = context.place();
    let mut found = match place.database()? {
        None => Vec::new(),
        Some(database) => {
            let filter = &args.filter;
            let scope = if filter.is_active_only() { TaskScope::Active } else { TaskScope::All };
            let mut listing = tasks(database.documents(scope)?);
            let files = FileNaming { place: &place, database: &database };
            context.warn_about(&listing, |task| &task.front, &files);
            listing.tasks.retain(|task| filter.admits(task.directory, &task.content.front));
            actions::search(listing.tasks, &query)
        }
    };
    let hits = found.len();
    found.truncate(args.limit);
    let more = hits - found.len();
    if more > 0 {
        context.console.note(&format!("{more} more found; `--limit {hits}` shows all"));
    }
    match text(&found, context.format(), context.showing()) {
        text if text.is_empty() => Ok(exit_code::DONE),
        text => context.answer(&text),
    }
}

fn text(found: &[StoredFile<Task>], format: TasksOutputFormat, showing: ListContext) -> String {
    match format {
        TasksOutputFormat::Json => json::list(found.iter().map(|task| &task.content)),
        TasksOutputFormat::Plain => plain::list(found.iter().map(|task| &task.content.front)),
        TasksOutputFormat::Human if found.is_empty() => "Nothing found\n".to_owned(),
        TasksOutputFormat::Human => {
            let listed = found.iter().map(|task| ListedTask::new(task, &task.content.front));
            list::table(&listed.collect::<Vec<_>>(), showing)
        }
    }
}
