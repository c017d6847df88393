//! A preview of a claim, made before an agent is started.

use std::time::Duration;

use super::claim_task::{ClaimContext, Claimer};
use crate::actions::claim::claim_task::{reasons, why_not};
use crate::actions::{LeaseCheck, TaskIndex};
use crate::database::{DirectoryListing, StoredFile, TaskDirectory};
use crate::document::FrontMatter;
use crate::{IdQuery, RunLane, TaskId, TaskStatus};

/// The result that a claim would have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClaimPreview {
    /// Some tasks can be claimed.
    Ready {
        /// The claimable tasks, the best first.
        ready: Vec<TaskId>,
        /// All tasks that are not done.
        open: Vec<TaskId>,
    },
    /// Every task is done.
    AllDone,
    /// Not every task is Done, but none can be claimed: the reasons, in one line.
    Stuck(String),
    /// There are no tasks.
    Empty,
    /// There is no task with the requested id.
    NoSuchTask(String),
    /// A file that cannot be read may be a claimable task: the reason, in a line.
    Unclear(String),
}

/// Previews a claim of any task. Tasks that were open earlier, by their ids, count as not done when
/// they were deleted, or archived before they were Done. Everything else in the archive counts as
/// done.
pub fn preview_claim(
    all: &DirectoryListing<FrontMatter>,
    open_before: &[String],
    leases: LeaseCheck<'_>,
) -> ClaimPreview {
    preview(all, open_before, leases, &any_claimer())
}

/// Previews a claim of any task by an agent in a lane, which may have one already.
pub fn preview_claim_in(
    lane: &RunLane,
    all: &DirectoryListing<FrontMatter>,
    open_before: &[String],
    leases: LeaseCheck<'_>,
) -> ClaimPreview {
    let RunLane { run, lane } = lane.clone();
    let claimer = Claimer { run: Some(run), lane: Some(lane), ..any_claimer() };
    preview(all, open_before, leases, &claimer)
}

fn preview(
    all: &DirectoryListing<FrontMatter>,
    open_before: &[String],
    leases: LeaseCheck<'_>,
    claimer: &Claimer,
) -> ClaimPreview {
    let index = TaskIndex::new(all);
    let context = ClaimContext { leases, claimer, id: None };
    let is_open = |task: &&StoredFile<FrontMatter>| {
        task.directory == TaskDirectory::Tasks && task.content.status != TaskStatus::Done
    };
    let open: Vec<&StoredFile<FrontMatter>> = all.tasks.iter().filter(is_open).collect();
    let free = context.choose(&index, |_| true).free;
    let removed = removed(open_before, &index);
    if !free.is_empty() {
        return ClaimPreview::Ready { ready: ids(&free), open: ids(&open) };
    }
    if let Some(unclear) = unclear(all) {
        return unclear;
    }
    let waiting = (!open.is_empty()).then(|| reasons(&open, &index, &context));
    match (waiting.into_iter().chain(removed).collect::<Vec<_>>().as_slice(), all.tasks.len()) {
        ([], 0) => ClaimPreview::Empty,
        ([], _) => ClaimPreview::AllDone,
        (why, _) => ClaimPreview::Stuck(why.join("; ")),
    }
}

/// Previews a claim of one task.
pub fn preview_claim_of(
    id: &IdQuery,
    all: &DirectoryListing<FrontMatter>,
    leases: LeaseCheck<'_>,
) -> ClaimPreview {
    let index = TaskIndex::new(all);
    let claimer = any_claimer();
    let context = ClaimContext { leases, claimer: &claimer, id: Some(id) };
    let Some(task) = index.meant(id).min_by_key(|task| task.directory) else {
        return unclear(all).unwrap_or_else(|| ClaimPreview::NoSuchTask(id.to_string()));
    };
    match context.obstacle(task, &index) {
        None => ClaimPreview::Ready { ready: ids(&[task]), open: ids(&[task]) },
        Some(_) if task.content.status == TaskStatus::Done => ClaimPreview::AllDone,
        Some(obstacle) => ClaimPreview::Stuck(why_not(task, &obstacle, &index)),
    }
}

fn unclear(all: &DirectoryListing<FrontMatter>) -> Option<ClaimPreview> {
    let broken = all.broken.first()?;
    Some(ClaimPreview::Unclear(format!("the task {} {}", broken.path(), broken.why)))
}

const fn any_claimer() -> Claimer {
    Claimer { name: String::new(), run: None, lane: None, lease: Duration::ZERO }
}

fn ids(tasks: &[&StoredFile<FrontMatter>]) -> Vec<TaskId> {
    tasks.iter().map(|task| task.content.id.clone()).collect()
}

/// A line for each formerly open task that was deleted, or archived before it was Done.
fn removed(open_before: &[String], index: &TaskIndex<'_>) -> Vec<String> {
    let fate = |id: &String| {
        let found = index.referred(id);
        let is_archived = |task: &&StoredFile<FrontMatter>| {
            task.directory == TaskDirectory::Archive && task.content.status != TaskStatus::Done
        };
        if found.is_empty() {
            Some(format!("{id} was deleted before it was done"))
        } else if found.iter().all(is_archived) {
            Some(format!("{id} was archived before it was done"))
        } else {
            None
        }
    };
    open_before.iter().filter_map(fate).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actions::RunRegistry;
    use crate::actions::testing::{TaskBuilder, listing, now, task};
    use crate::database::BrokenFile;
    use crate::document::FrontMatterWarning;

    /// Only the run that is called `ended` is known to be over.
    struct PreviewTestRuns;

    impl RunRegistry for PreviewTestRuns {
        fn is_running(&self, run: &str) -> Option<bool> {
            Some(run != "ended")
        }
    }

    const LATER: &str = "2026-11-15T13:00:00.000Z";
    const EARLIER: &str = "2026-11-15T11:00:00.000Z";

    fn leases() -> LeaseCheck<'static> {
        LeaseCheck { runs: &PreviewTestRuns, now: now() }
    }

    fn found(tasks: impl IntoIterator<Item = StoredFile<FrontMatter>>) -> ClaimPreview {
        preview_claim(&listing(tasks), &[], leases())
    }

    /// The tasks that are ready, and those that are open.
    fn ready(ready: &[&str], open: &[&str]) -> ClaimPreview {
        let ids = |ids: &[&str]| ids.iter().map(|id| task(id).content.id).collect();
        ClaimPreview::Ready { ready: ids(ready), open: ids(open) }
    }

    fn stuck(why: &str) -> ClaimPreview {
        ClaimPreview::Stuck(why.to_owned())
    }

    #[test]
    fn claimable_tasks_are_ready() {
        let done = || task("TASK-1").status(TaskStatus::Done);
        assert_eq!(found([done(), task("TASK-2 TASK-1")]), ready(&["TASK-2"], &["TASK-2"]));
        let one = || ready(&["TASK-1"], &["TASK-1"]);
        assert_eq!(found([task("TASK-1").leased(EARLIER, Some("other"))]), one());
        assert_eq!(found([task("TASK-1").leased(LATER, Some("ended"))]), one());
        assert_eq!(found([task("TASK-1").status(TaskStatus::InProgress)]), one());
        let blocked = task("TASK-2").status(TaskStatus::Blocked);
        let both = found([blocked, task("TASK-3")]);
        assert_eq!(both, ready(&["TASK-3"], &["TASK-2", "TASK-3"]));
    }

    #[test]
    fn all_is_done_when_there_were_tasks_and_none_is_open() {
        let done = || task("TASK-1").status(TaskStatus::Done);
        assert_eq!(found([]), ClaimPreview::Empty);
        assert_eq!(found([done()]), ClaimPreview::AllDone);
        assert_eq!(found([done().archived()]), ClaimPreview::AllDone);
        assert_eq!(found([task("TASK-1").archived()]), ClaimPreview::AllDone);
    }

    #[test]
    fn the_preview_names_what_prevents_each_claim() {
        let blocked = || task("TASK-2").status(TaskStatus::Blocked);
        assert_eq!(found([blocked()]), stuck("TASK-2 is blocked"));
        let taken = task("TASK-7")
            .leased(LATER, Some("other"))
            .with(|task| task.assignee = Some("ada".into()));
        assert_eq!(
            found([blocked(), task("TASK-5 TASK-2"), taken]),
            stuck(
                "TASK-2 is blocked; TASK-5 waits for TASK-2; \
                 TASK-7 is in progress (ada, until 2026-11-15T13:00:00Z)"
            )
        );
        let many = (1..=7).map(|n| task(&format!("TASK-{n}")).status(TaskStatus::Blocked));
        let ClaimPreview::Stuck(why) = found(many) else { panic!("none of them is ready") };
        assert!(why.ends_with("TASK-5 is blocked; and 2 more"), "{why}");
        let odd = task("TASK-1").with(|task| {
            task.warnings = vec![FrontMatterWarning::UnknownStatus("Cancelled".to_owned())];
        });
        assert_eq!(found([odd]), stuck("TASK-1 has the unknown status `Cancelled`"));
    }

    #[test]
    fn a_broken_file_makes_the_preview_unclear() {
        let broken = || BrokenFile {
            directory: TaskDirectory::Tasks,
            file: "TASK-9 - X.md".to_owned(),
            why: "is empty".into(),
        };
        let with = |task: StoredFile<FrontMatter>| {
            preview_claim(
                &DirectoryListing { broken: vec![broken()], ..listing([task]) },
                &[],
                leases(),
            )
        };
        let unclear = || ClaimPreview::Unclear("the task TASK-9 - X.md is empty".to_owned());
        assert_eq!(with(task("TASK-1").status(TaskStatus::Done)), unclear());
        assert_eq!(with(task("TASK-1").status(TaskStatus::Blocked)), unclear());
        assert_eq!(with(task("TASK-1")), ready(&["TASK-1"], &["TASK-1"]));
    }

    #[test]
    fn a_removed_open_task_is_not_done() {
        let before = ["TASK-1".to_owned(), "TASK-2".to_owned(), "TASK-3".to_owned()];
        let found =
            |tasks: Vec<StoredFile<FrontMatter>>| preview_claim(&listing(tasks), &before, leases());
        let done = |id: &str| task(id).status(TaskStatus::Done);
        assert_eq!(
            found(vec![done("TASK-1"), done("TASK-2"), done("TASK-3")]),
            ClaimPreview::AllDone
        );
        let archived = vec![done("TASK-1").archived(), done("TASK-2"), done("TASK-3")];
        assert_eq!(found(archived), ClaimPreview::AllDone, "it was done before it was archived");
        assert_eq!(
            found(vec![task("TASK-1").archived(), done("TASK-3")]),
            stuck("TASK-1 was archived before it was done; TASK-2 was deleted before it was done")
        );
        let left = found(vec![task("TASK-1"), done("TASK-2")]);
        assert_eq!(left, ready(&["TASK-1"], &["TASK-1"]), "what can be done comes first");
    }

    #[test]
    fn one_task_is_asked_for_by_its_id() {
        let all = listing([
            task("TASK-1"),
            task("TASK-2").status(TaskStatus::Done),
            task("TASK-3").status(TaskStatus::Blocked),
            task("TASK-4 TASK-1"),
            task("TASK-5").archived(),
            task("TASK-6").status(TaskStatus::Done).archived(),
        ]);
        let of =
            |id: &str| preview_claim_of(&IdQuery::parse(id).expect("it is one"), &all, leases());
        assert_eq!(of("1"), ready(&["TASK-1"], &["TASK-1"]));
        assert_eq!(of("TASK-2"), ClaimPreview::AllDone);
        assert_eq!(of("TASK-3"), stuck("TASK-3 is blocked"));
        assert_eq!(of("TASK-4"), stuck("TASK-4 waits for TASK-1"));
        assert_eq!(of("TASK-6"), ClaimPreview::AllDone);
        assert_eq!(of("TASK-99"), ClaimPreview::NoSuchTask("TASK-99".to_owned()));
    }
}
