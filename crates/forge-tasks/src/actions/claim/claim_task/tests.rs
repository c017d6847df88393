use super::*;
use crate::Priority;
use crate::actions::testing::TaskBuilder;
use crate::actions::testing::listing;
use crate::actions::testing::now;
use crate::actions::testing::task;

/// Every run but one that is called `ended` or `unknown` is active.
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
    Claimer { name: "ada".into(), run, lane: None, lease: Duration::from_secs(3600) }
}

fn leases() -> LeaseCheck<'static> {
    LeaseCheck { runs: &ClaimTestRuns, now: now() }
}

fn best(tasks: impl IntoIterator<Item = StoredFile<FrontMatter>>) -> Result<String, String> {
    let all = listing(tasks);
    let index = TaskIndex::new(&all);
    let context = ClaimContext { leases: leases(), claimer: &ada(None), id: None };
    let best = context.choose(&index, |_| true).free.into_iter().next();
    best.map(|task| task.content.id.to_string()).ok_or_else(|| why_nothing(&all, &index, &context))
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
                task("TASK-2").leased(LATER, None).with(|task| task.assignee = Some("ada".into())),
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
    let claimer = Claimer { name: "ada".into(), run: None, lane: None, lease: Duration::MAX };
    let edits = taken(&claimer, now());
    let until = edits.iter().find(|edit| edit.key == FrontKey::LeaseUntil);
    let value = &until.expect("a claim has a lease").value;
    assert_eq!(value, &Some(FrontValue::Quoted("9999-12-30T22:00:00.999Z".into())));
}
