//! Task lines of the run report: blocked tasks first, then the remaining ones, then those that are
//! done.

use forkhestra_core::event::CommitSummary;
use forkhestra_core::text;
use typeset::text::{shortened, visible};

use super::lines::{ReportSection, commits_text, cost, line};
use super::{TaskFate, TaskLine, TaskSection};
use crate::report::text::spend;

/// Maximum width of a title beside other text, if lines are cut.
const MAX_TITLE_WIDTH: usize = 20;

/// Width of the label in front of a task id.
const LABEL_WIDTH: usize = 11;

/// Lines reserved for done tasks before blocked ones get theirs.
const RESERVED_DONE_LINES: usize = 2;

/// Lines reserved for remaining tasks before others get theirs.
const RESERVED_REMAINING_LINES: usize = 4;

/// Maximum number of tasks of one kind in a notification.
const MAX_BRIEF_TASKS: usize = 3;

/// Number of lines for each kind of task.
#[derive(Debug, PartialEq, Eq)]
struct TaskRoom {
    blocked: usize,
    left: usize,
    done: usize,
}

impl TaskRoom {
    /// Distributes the lines. Blocked tasks come first, since they wait for a person, then done
    /// tasks. Of the remaining tasks the next few suffice unless there is room.
    fn of(room: usize, blocked: usize, left: usize, done: usize) -> Self {
        let at_least_one = |number: usize, wanted: usize| number.max(wanted.min(1));
        let (next, least_done) =
            (left.min(RESERVED_REMAINING_LINES), done.min(RESERVED_DONE_LINES));
        let for_blocked = blocked.min(room.saturating_sub(next + least_done));
        let for_blocked = at_least_one(for_blocked, blocked);
        let rest = room.saturating_sub(for_blocked);
        let for_done = at_least_one(done.min(rest.saturating_sub(next)), done);
        let for_left = at_least_one(left.min(rest.saturating_sub(for_done)), left);
        Self { blocked: for_blocked, left: for_left, done: for_done }
    }
}

impl TaskSection {
    /// `Tasks: 7 of 14 done, 2 blocked, 5 left, 1 unreadable`.
    pub(super) fn heading(&self) -> String {
        let counts = self.counts;
        let done = self.done();
        let total = counts.total as usize + done - counts.done as usize;
        let mut parts = vec![format!("Tasks: {done} of {total} done")];
        let left = counts.to_do + counts.in_progress;
        parts.extend((counts.blocked > 0).then(|| format!("{} blocked", counts.blocked)));
        parts.extend((left > 0).then(|| format!("{left} left")));
        let unreadable = counts.unreadable;
        parts.extend((unreadable > 0).then(|| format!("{unreadable} unreadable")));
        parts.join(", ")
    }

    /// Number of done tasks, including archived ones; at least the number of listed ones.
    fn done(&self) -> usize {
        let listed = self.with(TaskFate::Done);
        let archived = listed.iter().filter(|task| task.is_archived).count();
        (self.counts.done as usize + archived).max(listed.len())
    }

    fn with(&self, fate: TaskFate) -> Vec<&TaskLine> {
        self.tasks.iter().filter(|task| task.fate == fate).collect()
    }

    /// The tasks that are neither done nor blocked, started ones first.
    fn remaining(&self) -> Vec<&TaskLine> {
        [self.with(TaskFate::Begun), self.with(TaskFate::Waiting)].concat()
    }

    /// Number of blocked and of other open tasks. Not all of them need be listed.
    fn open(&self) -> (usize, usize) {
        let counts = self.counts;
        let (blocked, left) = (counts.blocked as usize, counts.to_do + counts.in_progress);
        (
            blocked.max(self.with(TaskFate::Blocked).len()),
            (left as usize).max(self.remaining().len()),
        )
    }

    pub(super) fn section(&self, room: usize, width: usize) -> ReportSection {
        let others = self.others(width);
        // The heading takes a line.
        let room = room.saturating_sub(1 + usize::from(others.is_some()));
        let (blocked, left) = (self.with(TaskFate::Blocked), self.remaining());
        let done = self.with(TaskFate::Done);
        let (all_blocked, all_left) = self.open();
        let rooms = TaskRoom::of(room, all_blocked, all_left, done.len());
        let has_cost = done.iter().any(|task| spend::known(task.spend).is_some());
        let mut lines = Vec::new();
        lines.extend(group("blocked", &blocked, all_blocked, rooms.blocked, width, |task| {
            blocked_line(task, width)
        }));
        let label = if left.iter().any(|task| task.fate == TaskFate::Waiting) {
            TaskFate::Waiting.label()
        } else {
            TaskFate::Begun.label()
        };
        lines.extend(group(label, &left, all_left, rooms.left, width, |task| {
            unfinished_line(task, width)
        }));
        let last_done = if done.len() > rooms.done { last(&done, rooms.done - 1) } else { &done };
        lines.extend(group("done", last_done, done.len(), rooms.done, width, |task| {
            done_text(task, has_cost, width)
        }));
        lines.extend(others);
        ReportSection { heading: self.heading(), lines }
    }

    /// The tasks for a notification.
    pub(super) fn brief(&self) -> Vec<String> {
        let mut lines = vec![self.heading()];
        let (all_blocked, all_left) = self.open();
        let done = self.with(TaskFate::Done);
        let name = |task: &TaskLine| format!("{} {}", visible(&task.id), visible(&task.title));
        let reason = |task: &TaskLine| match &task.reason {
            Some(reason) => {
                format!("{} {}: {}", visible(&task.id), title(task, 0), visible(reason))
            }
            None => name(task),
        };
        let mut add = |label: &str, tasks: &[&TaskLine], all: usize, reasons: bool| {
            let shown = tasks.iter().take(MAX_BRIEF_TASKS);
            let text = |task: &TaskLine| if reasons { reason(task) } else { name(task) };
            lines.extend(shown.map(|task| format!("{label}: {}", text(task))));
            let more = all - tasks.len().min(MAX_BRIEF_TASKS);
            lines.extend((more > 0).then(|| format!("{label}: and {more} more")));
        };
        add("blocked", &self.with(TaskFate::Blocked), all_blocked, true);
        add("to do", &self.remaining(), all_left, false);
        add("done", last(&done, MAX_BRIEF_TASKS), done.len(), false);
        lines
    }

    /// Line for work that belongs to no task.
    fn others(&self, width: usize) -> Option<String> {
        let cost = cost(self.other);
        if cost.is_none() && self.other_commits.is_empty() {
            return None;
        }
        let mut parts = Vec::new();
        if self.other_iterations > 0 {
            parts.push(text::count(self.other_iterations, "iteration"));
        }
        parts.extend(number_of(&self.other_commits));
        parts.extend(cost);
        Some(line(&format!("  other    {}", parts.join(", ")), width))
    }
}

impl TaskFate {
    const fn label(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Blocked => "blocked",
            Self::Begun => "begun",
            Self::Waiting => "to do",
            Self::Gone => "gone",
        }
    }
}

/// The last of these tasks, at least one.
fn last<'a, 'b>(tasks: &'b [&'a TaskLine], limit: usize) -> &'b [&'a TaskLine] {
    &tasks[tasks.len().saturating_sub(limit.max(1))..]
}

/// Tasks of one kind in `room` lines. If some are left out, the last line counts them.
fn group(
    label: &str,
    tasks: &[&TaskLine],
    all: usize,
    room: usize,
    width: usize,
    text: impl Fn(&TaskLine) -> String,
) -> Vec<String> {
    let labelled = |label: &str, text: &str| line(&format!("  {label:<7}  {text}"), width);
    let listed = |task: &&TaskLine| labelled(task.fate.label(), &text(task));
    match (all, room) {
        (0, _) | (_, 0) => Vec::new(),
        _ if all <= room => tasks.iter().map(listed).collect(),
        (_, 1) => vec![labelled(label, &ids(tasks, all, 3))],
        _ => {
            let shown = tasks.iter().take(room - 1);
            let more = all - tasks.len().min(room - 1);
            let mut lines: Vec<String> = shown.map(listed).collect();
            lines.push(labelled(label, &format!("and {more} more")));
            lines
        }
    }
}

/// `TASK-004  Announce it (2 iterations, 1 commit, $0.0500)`.
fn unfinished_line(task: &TaskLine, width: usize) -> String {
    let mut parts = Vec::new();
    if task.iterations > 0 {
        parts.push(text::count(task.iterations, "iteration"));
    }
    parts.extend(number_of(&task.commits));
    parts.extend(cost(task.spend));
    let parts = if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) };
    let id = visible(&task.id);
    // A long title is cut in favour of the text behind it.
    let taken = LABEL_WIDTH + id.chars().count() + 2 + parts.chars().count();
    let title = shortened(&visible(&task.title), width.saturating_sub(taken).max(MAX_TITLE_WIDTH));
    format!("{id}  {title}{parts}")
}

fn number_of(commits: &[CommitSummary]) -> Option<String> {
    (!commits.is_empty()).then(|| text::count(commits.len(), "commit"))
}

/// `TASK-001  Write the parser  $0.4100  a1b2c3d Add a parser`.
fn done_text(task: &TaskLine, has_cost: bool, width: usize) -> String {
    let (id, title) = (visible(&task.id), title(task, width));
    let cost = match has_cost {
        true => format!("  {:>8}", cost(task.spend).unwrap_or_default()),
        false => String::new(),
    };
    let commits = commits_text(&task.commits, &task.id).map(|commits| format!("  {commits}"));
    format!("{id}  {title:<MAX_TITLE_WIDTH$}{cost}{}", commits.unwrap_or_default())
}

fn blocked_line(task: &TaskLine, width: usize) -> String {
    let id = visible(&task.id);
    match &task.reason {
        Some(reason) => format!("{id}  {}: {}", title(task, width), visible(reason)),
        None => format!("{id}  {}", visible(&task.title)),
    }
}

/// The title, shortened if lines are cut.
fn title(task: &TaskLine, width: usize) -> String {
    let title = visible(&task.title);
    if width == usize::MAX { title } else { shortened(&title, MAX_TITLE_WIDTH) }
}

fn ids(tasks: &[&TaskLine], all: usize, limit: usize) -> String {
    let shown: Vec<String> = tasks.iter().take(limit).map(|task| visible(&task.id)).collect();
    match all.saturating_sub(shown.len()) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocked_and_open_tasks_get_space_before_finished_ones() {
        let room = |blocked, left, done| TaskRoom { blocked, left, done };
        for (lines, tasks, expected) in [
            (10, (0, 0, 3), room(0, 0, 3)),
            (10, (1, 2, 3), room(1, 2, 3)),
            (10, (2, 14, 29), room(2, 4, 4)),
            (10, (2, 14, 3), room(2, 5, 3)),
            (10, (20, 20, 20), room(4, 4, 2)),
            (10, (20, 0, 0), room(10, 0, 0)),
            (2, (5, 5, 5), room(1, 1, 1)),
            (0, (1, 1, 0), room(1, 1, 0)),
        ] {
            let (blocked, left, done) = tasks;
            assert_eq!(TaskRoom::of(lines, blocked, left, done), expected, "{tasks:?} in {lines}");
        }
    }
}
