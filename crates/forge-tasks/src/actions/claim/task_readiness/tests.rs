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
