//! Progress of the tasks of a project.

use super::task_groups::TaskState;
use crate::run_source::{TaskBoard, TaskCard};

/// Progress of the tasks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TaskProgress<'a> {
    /// The current task: one that an agent of the run has claimed, else one that is In Progress.
    pub(crate) current: Option<&'a TaskCard>,
    /// The first task that is To Do and has no unfinished dependency.
    pub(crate) next: Option<&'a TaskCard>,
    pub(crate) done: usize,
    pub(crate) blocked: usize,
    pub(crate) all: usize,
}

impl<'a> TaskProgress<'a> {
    /// None without tasks.
    pub(crate) fn of(board: &'a TaskBoard) -> Option<Self> {
        let count = |state| board.tasks.iter().filter(|task| TaskState::of(task) == state).count();
        let mut in_progress =
            board.tasks.iter().filter(|task| TaskState::of(task) == TaskState::InProgress);
        let ours = in_progress.clone().find(|task| task.is_of_run);
        let is_ready =
            |task: &&TaskCard| TaskState::of(task) == TaskState::ToDo && task.waits_for.is_empty();
        let all = board.tasks.len();
        (all > 0).then(|| Self {
            current: ours.or_else(|| in_progress.next()),
            next: board.tasks.iter().find(is_ready),
            done: count(TaskState::Done),
            blocked: count(TaskState::Blocked),
            all,
        })
    }

    /// Number of tasks that can still be done.
    pub(crate) const fn left(&self) -> usize {
        self.all - self.done - self.blocked
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::run_script;

    #[test]
    fn the_task_that_the_run_has_claimed_is_the_one_at_work() {
        let mut board = run_script::board();
        let id = |task: Option<&TaskCard>| task.map(|task| task.id.clone());
        let progress = TaskProgress::of(&board).expect("there are tasks");
        assert_eq!(id(progress.current).as_deref(), Some("task-2"));
        assert_eq!(id(progress.next).as_deref(), Some("task-3"));
        assert_eq!((progress.done, progress.blocked, progress.left()), (1, 1, 3));
        board.tasks[4].status = "In Progress".to_owned();
        board.tasks[4].is_of_run = true;
        board.tasks[2].waits_for = vec!["task-5".to_owned()];
        board.tasks[1].is_of_run = false;
        let progress = TaskProgress::of(&board).expect("there are tasks");
        assert_eq!(id(progress.current).as_deref(), Some("task-5"));
        assert_eq!(id(progress.next), None);
        assert!(TaskProgress::of(&TaskBoard::default()).is_none());
    }
}
