//! Why there is nothing to take, in words.

use crate::Status;
use crate::database::{Listing, Shelf, Stored};
use crate::document::Front;
use crate::words::{all_of, count};

use super::Index;
use super::claim::{Moment, Obstacle};

/// How many tasks are named before the rest is only counted.
const NAMED: usize = 5;

/// Why there is nothing to take at all.
pub(super) fn why_nothing(all: &Listing<Front>, index: &Index<'_>, moment: &Moment<'_>) -> String {
    let active = || all.tasks.iter().filter(|task| task.shelf == Shelf::Tasks);
    let open: Vec<&Stored<Front>> =
        active().filter(|task| task.content.status != Status::Done).collect();
    match active().count() {
        0 => return "there are no tasks".to_owned(),
        1 if open.is_empty() => return "the only task is done".to_owned(),
        number if open.is_empty() => return format!("all {number} tasks are done"),
        _ => {}
    }
    let obstacles = open.iter().filter_map(|task| Some((*task, moment.obstacle(task, index)?)));
    let reasons: Vec<String> =
        obstacles.take(NAMED).map(|(task, why)| why_not(task, &why)).collect();
    let more = open.len().saturating_sub(NAMED);
    let rest = if more == 0 { String::new() } else { format!(" ({} more)", count(more, "task")) };
    format!("nothing is ready: {}{rest}", reasons.join("; "))
}

/// Why a task cannot be taken.
pub(super) fn why_not(task: &Stored<Front>, obstacle: &Obstacle<'_>) -> String {
    let id = &task.content.id;
    match obstacle {
        Obstacle::Archived => format!("{id} is archived"),
        Obstacle::Done => format!("{id} is done"),
        Obstacle::Blocked => format!("{id} is blocked"),
        Obstacle::Waits(missing) => format!("{id} waits for {}", all_of(missing)),
        Obstacle::Taken(task) => format!("{id} is in progress{}", by_whom(task)),
    }
}

fn by_whom(task: &Front) -> String {
    let until = task.lease.as_ref().and_then(|lease| lease.until);
    let until = until.map(|until| format!("until {until:.0}"));
    let facts: Vec<String> = task.assignee.iter().cloned().chain(until).collect();
    if facts.is_empty() { String::new() } else { format!(" ({})", facts.join(", ")) }
}
