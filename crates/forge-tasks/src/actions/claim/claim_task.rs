//! Claiming a task, so that no other agent gets it.

use std::num::NonZeroU32;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use super::task_readiness::LeaseCheck;
use crate::actions::edit::{changed, text};
use crate::actions::{ActionError, ActionOutcome, TaskIndex};
use crate::database::{
    BrokenFile, DatabaseWriter, DirectoryListing, StoredFile, TaskDirectory, TaskScope,
};
use crate::document::{FrontEdit, FrontKey, FrontMatter, FrontMatterWarning, FrontValue, Task};
use crate::words::{count, join_with_and};
use crate::{IdQuery, RunLane, TaskStatus};

/// Knows which runs are active.
pub trait RunRegistry {
    /// Whether a run is still running; `None` if that is unknown.
    fn is_running(&self, run: &str) -> Option<bool>;
}

/// The claimant of a task, and the length of the lease.
#[derive(Debug, Clone)]
pub struct Claimer {
    /// The new assignee.
    pub name: String,
    /// The run that the lease ends with.
    pub run: Option<String>,
    /// The lane of that run. Two lanes of one run are two owners.
    pub lane: Option<NonZeroU32>,
    /// After how long the lease runs out.
    pub lease: Duration,
}

/// The result of a claim.
#[derive(Debug)]
pub struct ClaimResult {
    /// The claimed task, or in one line why none was claimed.
    pub outcome: Result<Box<ActionOutcome>, String>,
    /// The files that could not be read.
    pub broken: Vec<BrokenFile>,
    /// Tasks that were passed over, a line each.
    pub warnings: Vec<String>,
}

/// How often the choice is repeated because the chosen task changed without the lock.
const MAX_TRIES: usize = 5;

/// Claims a task, or the best ready one: first a task that the lane of the claimant has, then
/// unfinished work, then the highest priority, then the lowest id.
///
/// If the file of a task cannot be edited, the next task is claimed instead, unless that task was
/// requested.
pub fn claim(
    writer: &mut DatabaseWriter,
    id: Option<&IdQuery>,
    claimer: &Claimer,
    runs: &dyn RunRegistry,
    now: Timestamp,
) -> Result<ClaimResult, ActionError> {
    let mut warnings = Vec::new();
    let mut overtaken = 0;
    loop {
        // Found first, so that a wrong id has the same error everywhere.
        let named = id.map(|id| writer.database().find(id)).transpose()?;
        let all = writer.database().fronts(TaskScope::All)?;
        let index = TaskIndex::new(&all);
        let context = ClaimContext { leases: LeaseCheck { runs, now }, claimer, id };
        let is_named = |task: &StoredFile<FrontMatter>| {
            named.as_ref().is_none_or(|named| named.is_same_file(task))
        };
        let ClaimChoice { free, passed_over } = context.choose(&index, is_named);
        let outcome = take_first(writer, &free, &context, &mut warnings);
        if matches!(outcome, Err(ActionError::Overtaken(_))) && overtaken < MAX_TRIES {
            overtaken += 1;
            warnings.clear();
            continue;
        }
        warnings.extend(passed_over);
        let outcome = match (outcome?, id) {
            (Some(done), _) => Ok(Box::new(done)),
            (None, Some(id)) => Err(reason_for_one(&all, id, &index, &context)),
            (None, None) => Err(why_nothing(&all, &index, &context)),
        };
        return Ok(ClaimResult { outcome, broken: all.broken, warnings });
    }
}

/// Claims the first task that can be written.
fn take_first(
    writer: &mut DatabaseWriter,
    free: &[&StoredFile<FrontMatter>],
    context: &ClaimContext<'_>,
    warnings: &mut Vec<String>,
) -> Result<Option<ActionOutcome>, ActionError> {
    for task in free {
        let id = IdQuery::from(&task.content.id);
        let take = |_: &DatabaseWriter, now: &Task| {
            // An editor may have changed it meanwhile: then the choice is repeated.
            if !is_as_it_was(&task.content, &now.front) {
                return Err(ActionError::Overtaken(task.content.id.clone()));
            }
            Ok((taken(context.claimer, context.leases.now), Vec::new()))
        };
        match changed(writer, &id, context.leases.now, take, Vec::new) {
            Err(error) if context.id.is_none() && error.is_about_one_file() => {
                warnings.push(format!("{} is passed over: {error}", task.content.id));
            }
            done => return done.map(Some),
        }
    }
    Ok(None)
}

/// Whether the fields that decide a claim are unchanged.
fn is_as_it_was(chosen: &FrontMatter, now: &FrontMatter) -> bool {
    chosen.status == now.status
        && chosen.landing == now.landing
        && chosen.lease == now.lease
        && chosen.dependencies == now.dependencies
}

fn reason_for_one(
    all: &DirectoryListing<FrontMatter>,
    id: &IdQuery,
    index: &TaskIndex<'_>,
    context: &ClaimContext<'_>,
) -> String {
    let task = all.tasks.iter().find(|task| id.means(&task.content.id));
    let obstacle = task.and_then(|task| Some((task, context.obstacle(task, index)?)));
    obstacle
        .map_or_else(|| format!("{id} cannot be read"), |(task, why)| why_not(task, &why, index))
}

/// The sort key of a claim: unfinished work first, then by priority, then by id.
fn rank(task: &FrontMatter) -> (bool, usize, &crate::TaskId) {
    let is_new = !matches!(task.status, TaskStatus::InProgress | TaskStatus::Landing);
    (is_new, task.priority.map_or(usize::MAX, |priority| priority as usize), &task.id)
}

fn taken(claimer: &Claimer, now: Timestamp) -> Vec<FrontEdit> {
    let mut edits = vec![
        text(FrontKey::Status, Some(TaskStatus::InProgress.name())),
        text(FrontKey::Assignee, Some(&claimer.name)),
        text(FrontKey::Landing, None),
    ];
    edits.extend(lease_edits(claimer.lease, claimer.run.as_deref(), claimer.lane, now));
    edits
}

/// The edits that begin a lease.
pub(crate) fn lease_edits(
    lease: Duration,
    run: Option<&str>,
    lane: Option<NonZeroU32>,
    now: Timestamp,
) -> [FrontEdit; 3] {
    let lease = SignedDuration::try_from(lease).unwrap_or(SignedDuration::MAX);
    let until = now.saturating_add(lease).unwrap_or(Timestamp::MAX);
    let until = Some(FrontValue::Quoted(format!("{until:.3}")));
    // Without a run, the number of a lane means nothing.
    let lane = lane.filter(|_| run.is_some()).map(|lane| lane.to_string());
    [
        FrontEdit { key: FrontKey::LeaseUntil, value: until },
        text(FrontKey::LeaseRun, run),
        text(FrontKey::LeaseLane, lane.as_deref()),
    ]
}

/// The state at the time of a claim.
pub(crate) struct ClaimContext<'a> {
    pub(crate) leases: LeaseCheck<'a>,
    pub(crate) claimer: &'a Claimer,
    /// The requested id.
    pub(crate) id: Option<&'a IdQuery>,
}

/// The claimable tasks.
pub(crate) struct ClaimChoice<'a> {
    /// The best first.
    pub(crate) free: Vec<&'a StoredFile<FrontMatter>>,
    /// Tasks that were skipped, a line each.
    passed_over: Vec<String>,
}

impl ClaimContext<'_> {
    pub(crate) fn choose<'a>(
        &self,
        index: &TaskIndex<'a>,
        is_wanted: impl Fn(&StoredFile<FrontMatter>) -> bool,
    ) -> ClaimChoice<'a> {
        let mut choice = ClaimChoice { free: Vec::new(), passed_over: Vec::new() };
        let wanted = index.tasks().iter().filter(|task| is_wanted(task));
        for task in wanted.filter(|task| self.obstacle(task, index).is_none()) {
            match unknown_status(&task.content) {
                // A task with a status such as `Cancelled` is claimed only by its id.
                Some(status) if self.id.is_none() => choice.passed_over.push(format!(
                    "{} is passed over: its status `{status}` is unknown",
                    task.content.id
                )),
                _ => choice.free.push(task),
            }
        }
        choice.free.sort_by_key(|task| (!self.is_of_own_lane(&task.content), rank(&task.content)));
        choice
    }
}

pub(crate) fn unknown_status(task: &FrontMatter) -> Option<&str> {
    task.warnings.iter().find_map(|warning| match warning {
        FrontMatterWarning::UnknownStatus(status) => Some(status.as_str()),
        _ => None,
    })
}

/// Why a task cannot be claimed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ClaimObstacle<'a> {
    /// It is in the archive.
    Archived,
    /// Nothing is left to do.
    Done,
    /// Its status is Blocked.
    Blocked,
    /// Some of its dependencies are not done.
    Waits(Vec<&'a str>),
    /// Another agent has it.
    Taken(&'a FrontMatter),
    /// It is done, and its work waits to land.
    Landing(&'a RunLane),
}

impl ClaimContext<'_> {
    /// Why a task cannot be claimed; `None` if it can be.
    pub(crate) fn obstacle<'a>(
        &self,
        task: &'a StoredFile<FrontMatter>,
        index: &TaskIndex<'_>,
    ) -> Option<ClaimObstacle<'a>> {
        if task.directory == TaskDirectory::Archive {
            return Some(ClaimObstacle::Archived);
        }
        let task = &task.content;
        let waits = || {
            let missing = index.waits_for(task);
            (!missing.is_empty()).then_some(ClaimObstacle::Waits(missing))
        };
        match task.status {
            TaskStatus::Done => Some(ClaimObstacle::Done),
            TaskStatus::Blocked => Some(ClaimObstacle::Blocked),
            TaskStatus::ToDo => waits(),
            TaskStatus::InProgress if self.leases.is_abandoned(task) => waits(),
            TaskStatus::InProgress if self.is_renewed(task) || self.is_of_own_lane(task) => None,
            TaskStatus::Landing if self.leases.is_abandoned(task) => waits(),
            TaskStatus::Landing => task.landing.as_ref().map(ClaimObstacle::Landing),
            TaskStatus::InProgress => Some(ClaimObstacle::Taken(task)),
        }
    }

    /// Whether the agent that has the task claims it again to renew its lease.
    fn is_renewed(&self, task: &FrontMatter) -> bool {
        let is_own = task.lease.as_ref().is_some_and(|lease| {
            lease.run.is_some() && lease.run == self.claimer.run && lease.lane == self.claimer.lane
        });
        is_own && self.id.is_some() && task.assignee.as_ref() == Some(&self.claimer.name)
    }

    /// Whether the lane of the claimant has the task already, such as one that was sent back to it.
    fn is_of_own_lane(&self, task: &FrontMatter) -> bool {
        let Claimer { run: Some(run), lane: Some(lane), .. } = self.claimer else { return false };
        task.status == TaskStatus::InProgress
            && task
                .lease
                .as_ref()
                .is_some_and(|lease| lease.run.as_ref() == Some(run) && lease.lane == Some(*lane))
    }
}

/// How many tasks are named; the rest is counted.
const NAMED: usize = 5;

/// Why no task can be claimed.
pub(crate) fn why_nothing(
    all: &DirectoryListing<FrontMatter>,
    index: &TaskIndex<'_>,
    context: &ClaimContext<'_>,
) -> String {
    let active = || all.tasks.iter().filter(|task| task.directory == TaskDirectory::Tasks);
    let open: Vec<&StoredFile<FrontMatter>> =
        active().filter(|task| task.content.status != TaskStatus::Done).collect();
    match active().count() {
        0 => return format!("there are no tasks{}", unread(all)),
        1 if open.is_empty() => return format!("the only task is done{}", unread(all)),
        number if open.is_empty() => return format!("all {number} tasks are done{}", unread(all)),
        _ => {}
    }
    format!("nothing is ready: {}{}", reasons(&open, index, context), unread(all))
}

/// Why these tasks cannot be claimed. The first ones are named.
pub(crate) fn reasons(
    open: &[&StoredFile<FrontMatter>],
    index: &TaskIndex<'_>,
    context: &ClaimContext<'_>,
) -> String {
    let reason = |task: &&StoredFile<FrontMatter>| match context.obstacle(task, index) {
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
    match all.broken.iter().filter(|file| file.directory == TaskDirectory::Tasks).count() {
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
            format!("{id} waits for {}", join_with_and(&names))
        }
        ClaimObstacle::Landing(RunLane { run, lane }) => {
            format!("{id} is done in lane {lane} of run {run}, and has not landed yet")
        }
        ClaimObstacle::Taken(task) => format!("{id} is in progress{}", by_whom(task)),
    }
}

/// A dependency, with a note if it does not exist or is archived.
fn named(written: &str, index: &TaskIndex<'_>) -> String {
    let referred = index.referred(written);
    if referred.is_empty() {
        format!("{written} (which does not exist)")
    } else if referred.iter().all(|task| task.directory == TaskDirectory::Archive) {
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

#[cfg(test)]
mod tests;
