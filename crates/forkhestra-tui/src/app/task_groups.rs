//! Tasks grouped by status.

use crate::run_source::{TaskBoard, TaskCard};

/// The status of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TaskState {
    InProgress,
    ToDo,
    Blocked,
    Done,
    /// An unknown status.
    Other,
}

impl TaskState {
    /// In display order: work in progress first, finished work last.
    const ALL: [Self; 5] = [Self::InProgress, Self::ToDo, Self::Blocked, Self::Done, Self::Other];

    /// The status of a task.
    pub(crate) fn of(task: &TaskCard) -> Self {
        let is_it = |state: &&Self| state.title() == task.status;
        Self::ALL.iter().find(is_it).copied().unwrap_or(Self::Other)
    }

    /// The status as stored in the database.
    pub(crate) const fn title(self) -> &'static str {
        match self {
            Self::InProgress => "In Progress",
            Self::ToDo => "To Do",
            Self::Blocked => "Blocked",
            Self::Done => "Done",
            Self::Other => "Other",
        }
    }
}

/// The tasks with one status.
#[derive(Debug)]
pub(crate) struct TaskGroup<'a> {
    pub(crate) state: TaskState,
    pub(crate) tasks: Vec<&'a TaskCard>,
}

/// Tasks grouped by status. Rare statuses are left out while no task has them. Tasks of the
/// displayed run come first in their group.
pub(crate) fn task_groups(board: &TaskBoard) -> Vec<TaskGroup<'_>> {
    let group = |state| {
        let mut tasks: Vec<&TaskCard> =
            board.tasks.iter().filter(|task| TaskState::of(task) == state).collect();
        tasks.sort_by_key(|task| !task.is_of_run);
        TaskGroup { state, tasks }
    };
    let is_rare = |state| matches!(state, TaskState::Blocked | TaskState::Other);
    let groups = TaskState::ALL.into_iter().map(group);
    groups.filter(|group| !group.tasks.is_empty() || !is_rare(group.state)).collect()
}

/// The tasks in display order.
pub(crate) fn in_order(board: &TaskBoard) -> Vec<&TaskCard> {
    task_groups(board).into_iter().flat_map(|group| group.tasks).collect()
}

/// Index of the task at the same height in the next or previous non-empty group; the same index if
/// there is no such group.
pub(crate) fn index_in_neighbour_group(board: &TaskBoard, place: usize, is_right: bool) -> usize {
    let sizes: Vec<usize> = task_groups(board).iter().map(|group| group.tasks.len()).collect();
    let mut starts = Vec::new();
    let mut start = 0;
    for size in sizes.into_iter().filter(|size| *size > 0) {
        starts.push((start, size));
        start += size;
    }
    let is_here = |(start, size): &(usize, usize)| (*start..start + size).contains(&place);
    let Some(here) = starts.iter().position(is_here) else { return place };
    let next = if is_right { Some(here + 1) } else { here.checked_sub(1) };
    match next.and_then(|next| starts.get(next)) {
        Some((start, size)) => start + (place - starts[here].0).min(size - 1),
        None => place,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::run_script;

    #[test]
    fn work_in_progress_comes_first_and_finished_work_last() {
        let board = run_script::board();
        let ids: Vec<&str> = in_order(&board).iter().map(|task| task.id.as_str()).collect();
        assert_eq!(ids, ["task-2", "task-3", "task-5", "task-4", "task-1"]);
    }

    #[test]
    fn columns_are_gone_to_at_the_same_height() {
        let board = run_script::board();
        for (place, is_right, expected) in [
            (0, true, 1),
            (2, true, 3),
            (2, false, 0),
            (3, false, 1),
            (4, true, 4),
            (0, false, 0),
            (9, true, 9),
        ] {
            assert_eq!(
                index_in_neighbour_group(&board, place, is_right),
                expected,
                "{place} {is_right}"
            );
        }
    }

    #[test]
    fn rare_statuses_are_shown_only_if_a_task_has_them() {
        let states = |board: &TaskBoard| -> Vec<TaskState> {
            task_groups(board).iter().map(|group| group.state).collect()
        };
        let usual = [TaskState::InProgress, TaskState::ToDo, TaskState::Done];
        assert_eq!(states(&TaskBoard::default()), usual);
        let mut board = run_script::board();
        board.tasks[0].status = "Someday".to_owned();
        assert!(states(&board).contains(&TaskState::Other));
    }
}
