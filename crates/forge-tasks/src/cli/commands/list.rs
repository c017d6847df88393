//! `list`: lists tasks.

use super::Context;
use super::context::{Files, fronts_of, tasks};
use crate::actions::{Index, LeaseCheck, Standing, standing};
use crate::cli::args::{Format, ListArgs};
use crate::cli::error::CliError;
use crate::cli::exit_code;
use crate::cli::filter::Filter;
use crate::cli::place::Place;
use crate::cli::report::list::{self, Listed};
use crate::cli::report::{json, plain};
use crate::database::{Listing, Scope, Shelf, Stored};
use crate::document::Front;

/// Lists the selected tasks.
pub(crate) fn execute(args: &ListArgs, context: &mut Context<'_, '_>) -> Result<u8, CliError> {
    let place = context.place();
    let Some(database) = place.database()? else { return nothing(&place, context) };
    let files = Files { place: &place, database: &database };
    let wanted = Wanted::new(args, context.format());
    if context.format() == Format::Json {
        return whole(&wanted, &files, context);
    }
    let listing = database.fronts(wanted.scope)?;
    context.warn_about(&listing, |front| front, &files);
    let leases = context.leases();
    let shown = wanted.of(&listing, leases);
    let text = match context.format() {
        Format::Plain => plain::list(shown.iter().map(|task| &task.content)),
        _ => {
            let listed: Vec<Listed<'_>> =
                shown.iter().map(|task| Listed::new(task, &task.content)).collect();
            list::list(&listed, ready(&shown, &listing, leases), context.showing())
        }
    };
    context.answer(&text)
}

/// Lists the selected tasks with all fields.
fn whole(
    wanted: &Wanted,
    files: &Files<'_>,
    context: &mut Context<'_, '_>,
) -> Result<u8, CliError> {
    let listing = tasks(files.database.documents(wanted.scope)?);
    context.warn_about(&listing, |task| &task.front, files);
    let fronts = fronts_of(&listing);
    // Both are in the same order.
    let mut shown = wanted.of(&fronts, context.leases()).into_iter().peekable();
    let is_shown = |task: &&Stored<_>| {
        shown.next_if(|next| (next.shelf, &next.file) == (task.shelf, &task.file)).is_some()
    };
    let shown = listing.tasks.iter().filter(is_shown).map(|task| &task.content);
    context.answer(&json::list(shown))
}

/// The empty list, without a database.
fn nothing(place: &Place, context: &mut Context<'_, '_>) -> Result<u8, CliError> {
    context.note_missing_database(place);
    match context.format() {
        Format::Json => context.answer(&json::list([])),
        Format::Human | Format::Plain => Ok(exit_code::DONE),
    }
}

/// The number of ready tasks.
fn ready(shown: &[&Stored<Front>], all: &Listing<Front>, leases: LeaseCheck<'_>) -> usize {
    let index = Index::new(all);
    let active = shown.iter().filter(|task| task.shelf == Shelf::Tasks);
    active.filter(|task| standing(&task.content, &index, leases) == Standing::Ready).count()
}

/// The selection, and the directories to read.
struct Wanted {
    filter: Filter,
    archived: bool,
    standing: Option<Standing>,
    scope: Scope,
}

impl Wanted {
    fn new(args: &ListArgs, format: Format) -> Self {
        let standing = match (args.ready, args.blocked) {
            (true, _) => Some(Standing::Ready),
            (false, true) => Some(Standing::Blocked),
            (false, false) => None,
        };
        // People see how many tasks are ready, and tasks may depend on archived ones.
        let needs_all = args.all || standing.is_some() || format == Format::Human;
        let scope = if needs_all { Scope::All } else { Scope::Active };
        Self { filter: args.filter(), archived: args.all, standing, scope }
    }

    /// The selected tasks.
    fn of<'a>(&self, all: &'a Listing<Front>, leases: LeaseCheck<'_>) -> Vec<&'a Stored<Front>> {
        let chosen = self.standing.map(|standing| (standing, Index::new(all)));
        let is_wanted = |task: &&Stored<Front>| {
            (self.archived || task.shelf == Shelf::Tasks)
                && self.filter.admits(&task.content)
                && chosen
                    .as_ref()
                    .is_none_or(|(wanted, index)| standing(&task.content, index, leases) == *wanted)
        };
        all.tasks.iter().filter(is_wanted).collect()
    }
}
