//! Arguments of `list` and `search`.

use clap::Args;

use super::SetOrClear;
use super::values::{id, line, priority, query};
use crate::database::TaskDirectory;
use crate::document::FrontMatter;
use crate::{IdQuery, Priority, TaskStatus};

/// Arguments of `list`.
#[derive(Debug, Args)]
pub(crate) struct ListTasksArgs {
    #[command(flatten)]
    pub(crate) filter: TaskFilter,

    /// Only tasks that can be started: To Do, with every dependency Done.
    #[arg(long, conflicts_with = "blocked")]
    pub(crate) ready: bool,

    /// Only tasks that cannot continue: Blocked, or To Do with a dependency that is not Done.
    #[arg(long)]
    pub(crate) blocked: bool,
}

/// Arguments of `search`.
#[derive(Debug, Args)]
pub(crate) struct SearchArgs {
    /// Words that must all occur in the title, description, criteria, plan or notes, in any case.
    #[arg(value_name = "QUERY", allow_hyphen_values = true, value_parser = query)]
    pub(crate) query: String,

    #[command(flatten)]
    pub(crate) filter: TaskFilter,

    /// The most results to show.
    #[arg(long, aliases = ["max", "count"], short_alias = 'n', value_name = "N", default_value = "10", value_parser = limit)]
    pub(crate) limit: usize,
}

/// The conditions that a task must meet.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub(crate) struct TaskFilter {
    /// Only tasks with this status: todo, in-progress, done, blocked or landing.
    #[arg(short, long, alias = "state", value_name = "STATUS", value_parser = TaskStatus::parse_shown)]
    pub(crate) status: Option<TaskStatus>,

    /// Only tasks of this priority: high, medium or low; an empty text selects tasks without one.
    #[arg(short, long, alias = "prio", value_name = "PRIORITY", value_parser = priority)]
    pub(crate) priority: Option<SetOrClear<Priority>>,

    /// Only tasks with this label; with several (repeated, or separated by commas) all must match.
    #[arg(short, long = "label", aliases = ["labels", "tag", "tags"], value_name = "LABEL", value_delimiter = ',', value_parser = line)]
    pub(crate) labels: Vec<String>,

    /// Only tasks of this assignee; an empty name selects tasks without one.
    #[arg(short, long, aliases = ["assigned-to", "owner", "agent"], value_name = "NAME", value_parser = line)]
    pub(crate) assignee: Option<String>,

    /// Only children of this task; an empty ID selects tasks without a parent.
    #[arg(long, aliases = ["part-of", "epic"], value_name = "ID", value_parser = id)]
    pub(crate) parent: Option<SetOrClear<IdQuery>>,

    /// Include archived tasks.
    #[arg(long, alias = "include-archived")]
    pub(crate) all: bool,

    /// Only archived tasks.
    #[arg(long, conflicts_with = "all")]
    pub(crate) archived: bool,
}

impl TaskFilter {
    /// Whether archived tasks need not be read.
    pub(crate) fn is_active_only(&self) -> bool {
        !self.all && !self.archived
    }

    /// Whether a task meets all conditions.
    pub(crate) fn admits(&self, directory: TaskDirectory, front: &FrontMatter) -> bool {
        let labels = self.labels.iter().filter(|label| !label.is_empty());
        (self.all || self.archived == (directory == TaskDirectory::Archive))
            && self.status.is_none_or(|status| status == front.status)
            && self.priority.as_ref().is_none_or(|wanted| wanted.clone().value() == front.priority)
            && self.assignee.as_ref().is_none_or(|wanted| {
                same_word(wanted, front.assignee.as_deref().unwrap_or_default())
            })
            && labels.into_iter().all(|wanted| front.labels.iter().any(|l| same_word(wanted, l)))
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

fn limit(text: &str) -> Result<usize, String> {
    match text.trim().parse() {
        Ok(number) if number > 0 => Ok(number),
        _ => Err(format!("`--limit` is a number from 1 on, not `{text}`")),
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
            (TaskFilter { archived: true, ..none.clone() }, false),
            (TaskFilter { all: true, ..none.clone() }, true),
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
    fn an_empty_filter_value_admits_tasks_without_that_value() {
        let filter = TaskFilter {
            priority: Some(SetOrClear::Clear),
            assignee: Some(String::new()),
            parent: Some(SetOrClear::Clear),
            ..TaskFilter::default()
        };
        assert!(filter.admits(TaskDirectory::Tasks, &front("TASK-001", "Bare")));
    }
}
