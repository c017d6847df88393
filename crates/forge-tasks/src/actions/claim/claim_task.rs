//! Claiming a task, so that no other agent gets it.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use crate::actions::edit::{changed, text};
use crate::actions::{ActionError, ActionOutcome, TaskIndex};
use crate::database::{
    BrokenFile, DatabaseWriter, DirectoryListing, StoredFile, TaskDirectory, TaskScope,
};
use crate::document::{
    FrontEdit, FrontKey, FrontMatter, FrontMatterWarning, FrontValue, Task, TaskLease,
};
use crate::words::{all_of, count};
use crate::{IdQuery, TaskStatus};

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
const TRIES: usize = 5;

/// Claims a task, or the best ready one: unfinished work first, then the highest priority, then the
/// lowest id.
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
        if matches!(outcome, Err(ActionError::Overtaken(_))) && overtaken < TRIES {
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
    let is_new = task.status != TaskStatus::InProgress;
    (is_new, task.priority.map_or(usize::MAX, |priority| priority as usize), &task.id)
}

fn taken(claimer: &Claimer, now: Timestamp) -> Vec<FrontEdit> {
    let lease = SignedDuration::try_from(claimer.lease).unwrap_or(SignedDuration::MAX);
    let until = now.saturating_add(lease).unwrap_or(Timestamp::MAX);
    vec![
        text(FrontKey::Status, Some(TaskStatus::InProgress.name())),
        text(FrontKey::Assignee, Some(&claimer.name)),
        FrontEdit {
            key: FrontKey::LeaseUntil,
            value: Some(FrontValue::Quoted(format!("{until:.3}"))),
        },
        text(FrontKey::LeaseRun, claimer.run.as_deref()),
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
        choice.free.sort_by_key(|task| rank(&task.content));
        choice
    }
}

pub(crate) fn unknown_status(task: &FrontMatter) -> Option<&str> {
    task.oddities.iter().find_map(|oddity| match oddity {
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
            TaskStatus::InProgress if self.is_renewed(task) => None,
            TaskStatus::InProgress => Some(ClaimObstacle::Taken(task)),
        }
    }

    /// Whether the agent that has the task claims it again to renew its lease.
    fn is_renewed(&self, task: &FrontMatter) -> bool {
        let run = task.lease.as_ref().and_then(|lease| lease.run.as_ref());
        let is_own = run.is_some() && run == self.claimer.run.as_ref();
        is_own && self.id.is_some() && task.assignee.as_ref() == Some(&self.claimer.name)
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

/// Decides at one moment whether leases still hold.
#[derive(Clone, Copy)]
pub struct LeaseCheck<'a> {
    /// Which runs are going on.
    pub runs: &'a dyn RunRegistry,
    /// The moment.
    pub now: Timestamp,
}

impl LeaseCheck<'_> {
    /// Whether a task is In Progress without a valid lease: unfinished work that can be claimed.
    pub fn is_abandoned(&self, task: &FrontMatter) -> bool {
        let is_held = task.lease.as_ref().is_some_and(|lease| !self.is_over(lease));
        task.status == TaskStatus::InProgress && !is_held
    }

    /// Whether a lease has run out, or the run that it was given to has ended.
    fn is_over(&self, lease: &TaskLease) -> bool {
        let has_run_ended =
            lease.run.as_ref().is_some_and(|run| self.runs.is_running(run) == Some(false));
        has_run_ended || lease.until.is_none_or(|until| until <= self.now)
    }
}

/// Whether a task can be worked on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskReadiness {
    /// It is To Do, or In Progress while no lease holds, and every dependency is Done.
    Ready,
    /// It is Blocked, or waits for a dependency that is not Done.
    Blocked,
    /// It is In Progress under a lease, or Done.
    Other,
}

/// Decides whether a task can be worked on.
pub fn readiness(
    task: &FrontMatter,
    index: &TaskIndex<'_>,
    leases: LeaseCheck<'_>,
) -> TaskReadiness {
    match task.status {
        TaskStatus::Blocked => TaskReadiness::Blocked,
        TaskStatus::Done => TaskReadiness::Other,
        TaskStatus::InProgress if !leases.is_abandoned(task) => TaskReadiness::Other,
        TaskStatus::ToDo | TaskStatus::InProgress if index.waits_for(task).is_empty() => {
            TaskReadiness::Ready
        }
        TaskStatus::ToDo | TaskStatus::InProgress => TaskReadiness::Blocked,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Priority;
    use crate::actions::testing::TaskBuilder;
    use crate::actions::testing::listing;
    use crate::actions::testing::now;
    use crate::actions::testing::task;

    /// Every run but one that is called `ended` or `unknown` is going on.
    struct ClaimTestRuns;

    impl RunRegistry for ClaimTestRuns {
        fn is_running(&self, run: &str) -> Option<bool> {
            (run != "unknown").then_some(run != "ended")
        }
    }

    const LATER: &str = "2026-11-15T12:00:00.001Z";
    const EARLIER: &str = "2026-11-15T12:00:00.000Z";

    fn ada(run: Option<&str>) -> Claimer {
        let run = run.map(str::to_owned);
        Claimer { name: "ada".into(), run, lease: Duration::from_secs(3600) }
    }

    fn leases() -> LeaseCheck<'static> {
        LeaseCheck { runs: &ClaimTestRuns, now: now() }
    }

    fn best(tasks: impl IntoIterator<Item = StoredFile<FrontMatter>>) -> Result<String, String> {
        let all = listing(tasks);
        let index = TaskIndex::new(&all);
        let context = ClaimContext { leases: leases(), claimer: &ada(None), id: None };
        let best = context.choose(&index, |_| true).free.into_iter().next();
        best.map(|task| task.content.id.to_string())
            .ok_or_else(|| why_nothing(&all, &index, &context))
    }

    #[test]
    fn only_the_agent_that_has_it_can_take_a_task_again_within_its_run_and_by_its_id() {
        let all = listing([task("TASK-1")
            .leased(LATER, Some("run"))
            .with(|task| task.assignee = Some("ada".into()))]);
        let index = TaskIndex::new(&all);
        let id = IdQuery::parse("1").expect("it is one");
        let other = Claimer { name: "bob".into(), ..ada(Some("run")) };
        for (claimer, id, is_free) in [
            (ada(Some("run")), Some(&id), true),
            (ada(Some("run")), None, false),
            (ada(Some("other")), Some(&id), false),
            (ada(None), Some(&id), false),
            (other, Some(&id), false),
        ] {
            let context = ClaimContext { leases: leases(), claimer: &claimer, id };
            let is_taken = context.choose(&index, |_| true).free.is_empty();
            assert_eq!(!is_taken, is_free, "{claimer:?} {id:?}");
        }
    }

    #[test]
    fn the_highest_priority_comes_first_and_then_the_first_id() {
        use Priority::{High, Low, Medium};
        let pool = || {
            vec![
                task("TASK-1"),
                task("TASK-2").priority(Low),
                task("TASK-10").priority(High),
                task("TASK-9").priority(High),
                task("TASK-3").priority(Medium),
                task("TASK-4 TASK-1").priority(High),
            ]
        };
        let mut left = pool();
        let mut order = Vec::new();
        while let Ok(id) = best(left.clone()) {
            left.retain(|task| task.content.id.as_str() != id);
            order.push(id);
        }
        assert_eq!(order, ["TASK-9", "TASK-10", "TASK-3", "TASK-2", "TASK-1"]);
    }

    #[test]
    fn an_expired_lease_or_one_of_an_ended_run_does_not_count() {
        for (until, run, is_free) in [
            (LATER, None, false),
            (EARLIER, None, true),
            ("nonsense", None, true),
            (LATER, Some("ended"), true),
            (LATER, Some("going on"), false),
            (LATER, Some("unknown"), false),
            (EARLIER, Some("going on"), true),
        ] {
            let found = best([task("TASK-1").leased(until, run)]);
            assert_eq!(found.is_ok(), is_free, "{until} {run:?}: {found:?}");
        }
        assert!(best([task("TASK-1 TASK-2").leased(EARLIER, None)]).is_err(), "it waits again");
        let without = || task("TASK-3").status(TaskStatus::InProgress);
        assert_eq!(best([without()]), Ok("TASK-3".to_owned()), "there is no lease");
        let urgent = task("TASK-1").priority(Priority::High);
        assert_eq!(best([urgent, without()]), Ok("TASK-3".to_owned()), "unfinished work first");
        let waits = task("TASK-3 TASK-1").status(TaskStatus::InProgress);
        assert_eq!(best([task("TASK-1"), waits]), Ok("TASK-1".to_owned()));
    }

    #[test]
    fn the_reason_why_nothing_can_be_claimed_is_reported() {
        let done = || task("TASK-1").status(TaskStatus::Done);
        for (tasks, why) in [
            (vec![], "there are no tasks"),
            (vec![task("TASK-1").archived()], "there are no tasks"),
            (vec![done()], "the only task is done"),
            (vec![done(), task("TASK-2").status(TaskStatus::Done)], "all 2 tasks are done"),
            (
                vec![
                    done(),
                    task("TASK-2")
                        .leased(LATER, None)
                        .with(|task| task.assignee = Some("ada".into())),
                    task("TASK-3 TASK-1 TASK-2 TASK-9"),
                    task("TASK-4").status(TaskStatus::Blocked),
                ],
                "nothing is ready: TASK-2 is in progress (ada, until 2026-11-15T12:00:00Z); TASK-3 waits \
                 for TASK-2 and TASK-9 (which does not exist); TASK-4 is blocked",
            ),
            (
                (1..=7)
                    .map(|n| task(&format!("TASK-{n} TASK-8")))
                    .chain([task("TASK-8").status(TaskStatus::Blocked)])
                    .collect(),
                "nothing is ready: TASK-1 waits for TASK-8; TASK-2 waits for TASK-8; TASK-3 waits for \
                 TASK-8; TASK-4 waits for TASK-8; TASK-5 waits for TASK-8; and 3 more",
            ),
        ] {
            assert_eq!(best(tasks), Err(why.to_owned()));
        }
    }

    #[test]
    fn a_lease_can_have_any_length() {
        let claimer = Claimer { name: "ada".into(), run: None, lease: Duration::MAX };
        let FrontEdit { value, .. } = &taken(&claimer, now())[2];
        assert_eq!(value, &Some(FrontValue::Quoted("9999-12-30T22:00:00.999Z".into())));
    }
}

#[cfg(test)]
mod task_readiness_tests {
    use super::*;
    use crate::actions::RunRegistry;
    use crate::actions::testing::TaskBuilder;
    use crate::actions::testing::listing;
    use crate::actions::testing::now;
    use crate::actions::testing::task;

    struct RunningTestRuns;

    impl RunRegistry for RunningTestRuns {
        fn is_running(&self, _: &str) -> Option<bool> {
            Some(true)
        }
    }

    fn leases() -> LeaseCheck<'static> {
        LeaseCheck { runs: &RunningTestRuns, now: now() }
    }

    #[test]
    fn a_task_is_ready_when_it_is_to_do_and_everything_it_depends_on_is_done() {
        let all = listing([
            task("TASK-1").status(TaskStatus::Done),
            task("TASK-2").status(TaskStatus::Done).archived(),
            task("TASK-3").status(TaskStatus::InProgress).archived(),
            task("TASK-4"),
            task("TASK-5 TASK-001 2"),
            task("TASK-6 TASK-3"),
            task("TASK-7 TASK-1 TASK-99"),
            task("TASK-8 nonsense"),
            task("TASK-9").status(TaskStatus::Blocked),
            task("TASK-10").status(TaskStatus::InProgress),
            task("TASK-11 BUG-1"),
            task("TASK-12").leased("2027-01-01T00:00:00Z", Some("run")),
            task("TASK-13 TASK-4").status(TaskStatus::InProgress),
        ]);
        let index = TaskIndex::new(&all);
        let standings: Vec<(u64, TaskReadiness)> = all
            .tasks
            .iter()
            .map(|task| (task.content.id.number(), readiness(&task.content, &index, leases())))
            .collect();
        use TaskReadiness::{Blocked, Other, Ready};
        // Archived tasks only count as dependencies of others.
        let expected = [
            Other, Other, Ready, Ready, Ready, Blocked, Blocked, Blocked, Blocked, Ready, Blocked,
            Other, Blocked,
        ];
        assert_eq!(standings, (1..=13).zip(expected).collect::<Vec<_>>());
    }

    #[test]
    fn of_two_tasks_with_the_same_id_both_must_be_done() {
        let all = listing([
            task("TASK-1").status(TaskStatus::Done),
            task("TASK-1").archived(),
            task("TASK-2 TASK-1"),
        ]);
        let index = TaskIndex::new(&all);
        assert_eq!(readiness(&all.tasks[2].content, &index, leases()), TaskReadiness::Blocked);
    }
}
