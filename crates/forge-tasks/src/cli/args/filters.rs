//! Arguments of `list` and `search`.

use clap::Args;

use super::SetOrClear;
use crate::cli::args::values::{CommaSeparated, all, id, labels, line, priority, query};
use crate::cli::filter::TaskFilter;
use crate::database::TaskDirectory;
use crate::{IdQuery, Priority, TaskStatus};

/// Arguments of `list`.
#[derive(Debug, Args)]
pub(crate) struct ListTasksArgs {
    #[command(flatten)]
    filters: FilterArgs,

    /// Only tasks of this assignee; an empty name selects tasks without one.
    #[arg(short, long, aliases = ["assigned-to", "owner", "agent"], value_name = "NAME", value_parser = line)]
    assignee: Option<String>,

    /// Only children of this task; an empty ID selects tasks without a parent.
    #[arg(long, aliases = ["part-of", "epic"], value_name = "ID", value_parser = id)]
    parent: Option<SetOrClear<IdQuery>>,

    /// Only tasks that can be started: To Do, with every dependency Done.
    #[arg(long, conflicts_with = "blocked")]
    pub(crate) ready: bool,

    /// Only tasks that cannot continue: Blocked, or To Do with a dependency that is not Done.
    #[arg(long)]
    pub(crate) blocked: bool,
}

impl ListTasksArgs {
    /// The filter.
    pub(crate) fn filter(&self) -> TaskFilter {
        TaskFilter {
            assignee: self.assignee.clone(),
            parent: self.parent.clone(),
            ..self.filters.filter()
        }
    }
}

/// Arguments of `search`.
#[derive(Debug, Args)]
pub(crate) struct SearchArgs {
    /// Words that must all occur in the title, description, criteria, plan or notes, in any case.
    #[arg(value_name = "QUERY", allow_hyphen_values = true, value_parser = query)]
    pub(crate) query: String,

    #[command(flatten)]
    filters: FilterArgs,

    /// The most results to show.
    #[arg(long, aliases = ["max", "count"], short_alias = 'n', value_name = "N", default_value = "10", value_parser = limit)]
    pub(crate) limit: usize,
}

impl SearchArgs {
    /// The filter.
    pub(crate) fn filter(&self) -> TaskFilter {
        self.filters.filter()
    }
}

/// The filter.
#[derive(Debug, Args)]
struct FilterArgs {
    /// Only tasks with this status: todo, in-progress, done or blocked.
    #[arg(short, long, alias = "state", value_name = "STATUS", value_parser = TaskStatus::parse)]
    status: Option<TaskStatus>,

    /// Only tasks of this priority: high, medium or low; an empty text selects tasks without one.
    #[arg(short, long, alias = "prio", value_name = "PRIORITY", value_parser = priority)]
    priority: Option<SetOrClear<Priority>>,

    /// Only tasks with this label; with several (repeated, or separated by commas) all must match.
    #[arg(short, long = "label", aliases = ["labels", "tag", "tags"], value_name = "LABEL", value_parser = labels)]
    labels: Vec<CommaSeparated<String>>,

    /// Include archived tasks.
    #[arg(long, alias = "include-archived")]
    all: bool,

    /// Only archived tasks.
    #[arg(long, conflicts_with = "all")]
    archived: bool,
}

impl FilterArgs {
    fn filter(&self) -> TaskFilter {
        let directory = if self.archived { TaskDirectory::Archive } else { TaskDirectory::Tasks };
        TaskFilter {
            directory: (!self.all).then_some(directory),
            status: self.status,
            priority: self.priority.clone(),
            labels: all(&self.labels),
            ..TaskFilter::default()
        }
    }
}

fn limit(text: &str) -> Result<usize, String> {
    match text.trim().parse() {
        Ok(number) if number > 0 => Ok(number),
        _ => Err(format!("`--limit` is a number from 1 on, not `{text}`")),
    }
}
