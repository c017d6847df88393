//! `board`: the tasks in columns.

use super::Context;
use super::context::{Files, tasks};
use crate::Status;
use crate::cli::args::Format;
use crate::cli::error::CliError;
use crate::cli::exit_code;
use crate::cli::place::Place;
use crate::cli::report::board::board;
use crate::cli::report::{json, plain};
use crate::database::Scope;
use crate::document::{Front, Task};

/// The width of a board without a terminal.
const USUAL_WIDTH: usize = 100;

/// Shows the tasks that are not archived, a column for each status.
pub(crate) fn execute(context: &mut Context<'_, '_>) -> Result<u8, CliError> {
    let place = context.place();
    let Some(database) = place.database()? else { return nothing(&place, context) };
    let files = Files { place: &place, database: &database };
    if context.format() == Format::Json {
        let listing = tasks(database.documents(Scope::Active)?);
        context.warn_about(&listing, |task| &task.front, &files);
        let all: Vec<&Task> = listing.tasks.iter().map(|task| &task.content).collect();
        return context.answer(&json::board(&all));
    }
    let listing = database.fronts(Scope::Active)?;
    context.warn_about(&listing, |front| front, &files);
    let all: Vec<&Front> = listing.tasks.iter().map(|task| &task.content).collect();
    let text = match context.format() {
        Format::Plain => plain::list(by_status(&all)),
        _ => board(&all, context.now(), context.screen.looks.columns.unwrap_or(USUAL_WIDTH)),
    };
    context.answer(&text)
}

/// The empty board, without a database.
fn nothing(place: &Place, context: &mut Context<'_, '_>) -> Result<u8, CliError> {
    context.note_missing_database(place);
    match context.format() {
        Format::Json => context.answer(&json::board(&[])),
        Format::Human | Format::Plain => Ok(exit_code::DONE),
    }
}

/// One column after the other.
fn by_status<'a>(all: &[&'a Front]) -> impl Iterator<Item = &'a Front> {
    let column = |status| all.iter().copied().filter(move |front| front.status == status);
    Status::ALL.into_iter().flat_map(column)
}
