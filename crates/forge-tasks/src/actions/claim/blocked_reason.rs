//! Why tasks cannot be claimed, as text.

use crate::TaskStatus;
use crate::database::{DirectoryListing, StoredFile, TaskDirectory};
use crate::document::FrontMatter;
use crate::words::{all_of, count};

use super::claim_task::{ClaimContext, ClaimObstacle, unknown_status};
use crate::actions::TaskIndex;

/// How many tasks are named; the rest is counted.
const NAMED: usize = 5;

/// Why no task can be claimed.
pub(crate) fn why_nothing(
    all: &DirectoryListing<FrontMatter>,
    index: &TaskIndex<'_>,
    moment: &ClaimContext<'_>,
) -> String {
    let active = || all.tasks.iter().filter(|task| task.shelf == TaskDirectory::Tasks);
    let open: Vec<&StoredFile<FrontMatter>> =
        active().filter(|task| task.content.status != TaskStatus::Done).collect();
    match active().count() {
        0 => return format!("there are no tasks{}", unread(all)),
        1 if open.is_empty() => return format!("the only task is done{}", unread(all)),
        number if open.is_empty() => return format!("all {number} tasks are done{}", unread(all)),
        _ => {}
    }
    format!("nothing is ready: {}{}", reasons(&open, index, moment), unread(all))
}

/// Why these tasks cannot be claimed. The first ones are named.
pub(crate) fn reasons(
    open: &[&StoredFile<FrontMatter>],
    index: &TaskIndex<'_>,
    moment: &ClaimContext<'_>,
) -> String {
    let reason = |task: &&StoredFile<FrontMatter>| match moment.obstacle(task, index) {
        Some(why) => why_not(task, &why, index),
        None => not_chosen(&task.content),
    };
    let reasons: Vec<String> = open.iter().take(NAMED).map(reason).collect();
    let more = open.len().saturating_sub(NAMED);
    let rest = if more == 0 { String::new() } else { format!("; and {more} more") };
    format!("{}{rest}", reasons.join("; "))
}

/// Why a task without an obstacle is not chosen.
fn not_chosen(task: &FrontMatter) -> String {
    match unknown_status(task) {
        Some(status) => format!("{} has the unknown status `{status}`", task.id),
        None => format!("{} cannot be changed", task.id),
    }
}

/// A note about unreadable files, which may be open tasks.
fn unread(all: &DirectoryListing<FrontMatter>) -> String {
    match all.broken.iter().filter(|file| file.shelf == TaskDirectory::Tasks).count() {
        0 => String::new(),
        number => format!(", but {} cannot be read", count(number, "file")),
    }
}

/// Why a task cannot be claimed.
pub(crate) fn why_not(
    task: &StoredFile<FrontMatter>,
    obstacle: &ClaimObstacle<'_>,
    index: &TaskIndex<'_>,
) -> String {
    let id = &task.content.id;
    match obstacle {
        ClaimObstacle::Archived => {
            format!("{id} is archived; `forge-tasks unarchive {id}` brings it back")
        }
        ClaimObstacle::Done => format!("{id} is done"),
        ClaimObstacle::Blocked => format!("{id} is blocked"),
        ClaimObstacle::Waits(missing) => {
            let names: Vec<String> = missing.iter().map(|written| named(written, index)).collect();
            format!("{id} waits for {}", all_of(&names))
        }
        ClaimObstacle::Taken(task) => format!("{id} is in progress{}", by_whom(task)),
    }
}

/// A dependency, with a note if it does not exist or is archived.
fn named(written: &str, index: &TaskIndex<'_>) -> String {
    let referred = index.referred(written);
    if referred.is_empty() {
        format!("{written} (which does not exist)")
    } else if referred.iter().all(|task| task.shelf == TaskDirectory::Archive) {
        format!("{written} (which is archived, but not done)")
    } else {
        written.to_owned()
    }
}

fn by_whom(task: &FrontMatter) -> String {
    let until = task.lease.as_ref().and_then(|lease| lease.until);
    let until = until.map(|until| format!("until {until:.0}"));
    let facts: Vec<String> = task.assignee.iter().cloned().chain(until).collect();
    if facts.is_empty() { String::new() } else { format!(" ({})", facts.join(", ")) }
}
