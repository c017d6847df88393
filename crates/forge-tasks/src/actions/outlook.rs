//! Whether there is anything to take, for whoever would have to pay somebody to ask.

use std::time::Duration;

use jiff::Timestamp;

use crate::Status;
use crate::database::{Listing, Shelf, Stored};
use crate::document::Front;

use super::Index;
use super::claim::{Claimer, Moment, Runs};
use super::waiting::reasons;

/// What whoever wants to take a task will find.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outlook {
    /// There is a task to take.
    Ready,
    /// Every task is done.
    AllDone,
    /// Not every task is done, but there is none to take: why, in a line.
    Stuck(String),
    /// There are no tasks.
    Empty,
    /// Files that cannot be read may be tasks to take.
    Unclear,
}

/// Says what whoever wants to take any task will find. Archived tasks count as done with.
pub fn outlook(all: &Listing<Front>, runs: &dyn Runs, now: Timestamp) -> Outlook {
    let index = Index::new(all);
    let anybody = Claimer { name: String::new(), run: None, lease: Duration::ZERO };
    let moment = Moment::of_any(&anybody, runs, now);
    let is_open =
        |task: &&Stored<Front>| task.shelf == Shelf::Tasks && task.content.status != Status::Done;
    let open: Vec<&Stored<Front>> = all.tasks.iter().filter(is_open).collect();
    if moment.is_any_free(&index) {
        Outlook::Ready
    } else if !all.broken.is_empty() {
        Outlook::Unclear
    } else if !open.is_empty() {
        Outlook::Stuck(reasons(&open, &index, &moment))
    } else if all.tasks.is_empty() {
        Outlook::Empty
    } else {
        Outlook::AllDone
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actions::testing::{With, listing, now, task};
    use crate::database::BrokenFile;
    use crate::document::Oddity;

    /// Only the run that is called `ended` is known to be over.
    struct SomeRuns;

    impl Runs for SomeRuns {
        fn is_going_on(&self, run: &str) -> Option<bool> {
            Some(run != "ended")
        }
    }

    const LATER: &str = "2026-11-15T13:00:00.000Z";
    const EARLIER: &str = "2026-11-15T11:00:00.000Z";

    fn found(tasks: impl IntoIterator<Item = Stored<Front>>) -> Outlook {
        outlook(&listing(tasks), &SomeRuns, now())
    }

    fn stuck(why: &str) -> Outlook {
        Outlook::Stuck(why.to_owned())
    }

    #[test]
    fn what_can_be_claimed_is_ready() {
        let done = || task("TASK-1").status(Status::Done);
        assert_eq!(found([done(), task("TASK-2 TASK-1")]), Outlook::Ready);
        assert_eq!(found([task("TASK-1").leased(EARLIER, Some("other"))]), Outlook::Ready);
        assert_eq!(found([task("TASK-1").leased(LATER, Some("ended"))]), Outlook::Ready);
        let blocked = task("TASK-2").status(Status::Blocked);
        assert_eq!(found([blocked, task("TASK-3")]), Outlook::Ready);
    }

    #[test]
    fn all_is_done_when_there_were_tasks_and_none_is_open() {
        let done = || task("TASK-1").status(Status::Done);
        assert_eq!(found([]), Outlook::Empty);
        assert_eq!(found([done()]), Outlook::AllDone);
        assert_eq!(found([done().archived()]), Outlook::AllDone);
        assert_eq!(found([task("TASK-1").archived()]), Outlook::AllDone);
    }

    #[test]
    fn what_stands_in_the_way_is_named() {
        let blocked = || task("TASK-2").status(Status::Blocked);
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
        let many = (1..=7).map(|n| task(&format!("TASK-{n}")).status(Status::Blocked));
        let Outlook::Stuck(why) = found(many) else { panic!("none of them is ready") };
        assert!(why.ends_with("TASK-5 is blocked; and 2 more"), "{why}");
        let odd = task("TASK-1")
            .with(|task| task.oddities = vec![Oddity::UnknownStatus("Cancelled".to_owned())]);
        assert_eq!(found([odd]), stuck("TASK-1 has the unknown status `Cancelled`"));
    }

    #[test]
    fn nobody_can_tell_what_a_broken_file_is() {
        let broken = || BrokenFile {
            shelf: Shelf::Tasks,
            file: "TASK-9 - X.md".to_owned(),
            why: "is empty".to_owned(),
        };
        let with = |task: Stored<Front>| {
            outlook(&Listing { broken: vec![broken()], ..listing([task]) }, &SomeRuns, now())
        };
        assert_eq!(with(task("TASK-1").status(Status::Done)), Outlook::Unclear);
        assert_eq!(with(task("TASK-1").status(Status::Blocked)), Outlook::Unclear);
        assert_eq!(with(task("TASK-1")), Outlook::Ready);
    }
}
