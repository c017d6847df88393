//! The filter of `list` and `search`.

use super::args::SetOrClear;
use crate::database::TaskDirectory;
use crate::document::FrontMatter;
use crate::{IdQuery, Priority, TaskStatus};

/// The conditions that a task must meet. `None` always holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TaskFilter {
    pub(crate) directory: Option<TaskDirectory>,
    pub(crate) status: Option<TaskStatus>,
    /// Cleared: it must have none.
    pub(crate) priority: Option<SetOrClear<Priority>>,
    /// Empty: it must have none.
    pub(crate) assignee: Option<String>,
    /// It must have all of these, in any case.
    pub(crate) labels: Vec<String>,
    /// Cleared: it must have none.
    pub(crate) parent: Option<SetOrClear<IdQuery>>,
}

impl Default for TaskFilter {
    /// All tasks that are not archived.
    fn default() -> Self {
        let directory = Some(TaskDirectory::Tasks);
        Self {
            directory,
            status: None,
            priority: None,
            assignee: None,
            labels: Vec::new(),
            parent: None,
        }
    }
}

impl TaskFilter {
    /// Whether a task meets all conditions.
    pub(crate) fn admits(&self, directory: TaskDirectory, front: &FrontMatter) -> bool {
        self.directory.is_none_or(|wanted| wanted == directory)
            && self.status.is_none_or(|status| status == front.status)
            && self.priority.as_ref().is_none_or(|wanted| wanted.clone().value() == front.priority)
            && self.assignee.as_ref().is_none_or(|wanted| {
                same_word(wanted, front.assignee.as_deref().unwrap_or_default())
            })
            && self.labels.iter().all(|wanted| front.labels.iter().any(|l| same_word(wanted, l)))
            && self.parent.as_ref().is_none_or(|wanted| has_parent(front, wanted))
    }
}

fn same_word(one: &str, other: &str) -> bool {
    one.trim().to_lowercase() == other.trim().to_lowercase()
}

fn has_parent(front: &FrontMatter, wanted: &SetOrClear<IdQuery>) -> bool {
    let written = front.parent.as_deref().filter(|parent| !parent.trim().is_empty());
    match (wanted, written) {
        (SetOrClear::Clear, written) => written.is_none(),
        (SetOrClear::To(wanted), Some(written)) => wanted.means_written(written),
        (SetOrClear::To(_), None) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::samples::front;

    fn admits(filter: &TaskFilter) -> bool {
        let mut front = front("TASK-002", "Parser");
        front.status = TaskStatus::InProgress;
        front.priority = Some(Priority::High);
        front.assignee = Some("Ada".to_owned());
        front.labels = vec!["Core".to_owned(), "parser".to_owned()];
        front.parent = Some("task-1".to_owned());
        filter.admits(TaskDirectory::Tasks, &front)
    }

    fn query(text: &str) -> SetOrClear<IdQuery> {
        SetOrClear::To(IdQuery::parse(text).expect("it is an id"))
    }

    #[test]
    fn all_conditions_must_hold() {
        let none = TaskFilter::default();
        let labels = |labels: &[&str]| labels.iter().map(|&label| label.to_owned()).collect();
        for (filter, expected) in [
            (none.clone(), true),
            (TaskFilter { status: Some(TaskStatus::InProgress), ..none.clone() }, true),
            (TaskFilter { status: Some(TaskStatus::ToDo), ..none.clone() }, false),
            (TaskFilter { priority: Some(SetOrClear::To(Priority::High)), ..none.clone() }, true),
            (TaskFilter { priority: Some(SetOrClear::To(Priority::Low)), ..none.clone() }, false),
            (TaskFilter { priority: Some(SetOrClear::Clear), ..none.clone() }, false),
            (TaskFilter { assignee: Some("aDA".to_owned()), ..none.clone() }, true),
            (TaskFilter { assignee: Some("Grace".to_owned()), ..none.clone() }, false),
            (TaskFilter { assignee: Some(String::new()), ..none.clone() }, false),
            (TaskFilter { labels: labels(&["core", "PARSER"]), ..none.clone() }, true),
            (TaskFilter { labels: labels(&["core", "docs"]), ..none.clone() }, false),
            (TaskFilter { parent: Some(query("1")), ..none.clone() }, true),
            (TaskFilter { parent: Some(query("TASK-001")), ..none.clone() }, true),
            (TaskFilter { parent: Some(query("BUG-1")), ..none.clone() }, false),
            (TaskFilter { parent: Some(query("2")), ..none.clone() }, false),
            (TaskFilter { parent: Some(SetOrClear::Clear), ..none.clone() }, false),
            (TaskFilter { directory: Some(TaskDirectory::Archive), ..none.clone() }, false),
            (TaskFilter { directory: None, ..none.clone() }, true),
        ] {
            assert_eq!(admits(&filter), expected, "{filter:?}");
        }
    }

    #[test]
    fn a_parent_is_found_by_its_bare_number_too() {
        let child = FrontMatter { parent: Some("1".to_owned()), ..front("TASK-002", "x") };
        for (wanted, expected) in [("1", true), ("TASK-001", true), ("2", false)] {
            let filter = TaskFilter { parent: Some(query(wanted)), ..TaskFilter::default() };
            assert_eq!(filter.admits(TaskDirectory::Tasks, &child), expected, "{wanted}");
        }
    }

    #[test]
    fn what_is_cleared_must_not_be_there() {
        let filter = TaskFilter {
            priority: Some(SetOrClear::Clear),
            assignee: Some(String::new()),
            parent: Some(SetOrClear::Clear),
            ..TaskFilter::default()
        };
        assert!(filter.admits(TaskDirectory::Tasks, &front("TASK-001", "Bare")));
    }
}
