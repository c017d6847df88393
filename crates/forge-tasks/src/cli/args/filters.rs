//! What `list` and `search` are told.

use clap::Args;

use super::Setting;
use super::setting::{Several, all, id, labels, priority};
use super::text::{line, query};
use crate::cli::filter::Filter;
use crate::{IdQuery, Priority, Status};

/// What `list` is told.
#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    #[command(flatten)]
    filters: FilterArgs,

    /// Only those that this one works on; an empty name for those without anybody.
    #[arg(short, long, value_name = "NAME", value_parser = line)]
    assignee: Option<String>,

    /// Only the parts of this task; an empty id for those that are part of none.
    #[arg(long, value_name = "ID", value_parser = id)]
    parent: Option<Setting<IdQuery>>,

    /// Only those that can be started: To Do, with every dependency Done.
    #[arg(long, conflicts_with = "blocked")]
    pub(crate) ready: bool,

    /// Only those that cannot go on: Blocked, or To Do with a dependency that is not Done.
    #[arg(long)]
    pub(crate) blocked: bool,

    /// Archived ones too.
    #[arg(long)]
    pub(crate) all: bool,
}

impl ListArgs {
    /// What a task must be like.
    pub(crate) fn filter(&self) -> Filter {
        Filter {
            assignee: self.assignee.clone(),
            parent: self.parent.clone(),
            ..self.filters.filter()
        }
    }
}

/// What `search` is told.
#[derive(Debug, Args)]
pub(crate) struct SearchArgs {
    /// Words that must all occur in the title, description, plan or notes, in any case.
    #[arg(value_name = "QUERY", allow_hyphen_values = true, value_parser = query)]
    pub(crate) query: String,

    #[command(flatten)]
    filters: FilterArgs,

    /// How many to show at most.
    #[arg(long, value_name = "N", default_value = "10", value_parser = limit)]
    pub(crate) limit: usize,

    /// Archived ones too.
    #[arg(long)]
    pub(crate) all: bool,
}

impl SearchArgs {
    /// What a task must be like.
    pub(crate) fn filter(&self) -> Filter {
        self.filters.filter()
    }
}

/// What a task must be like.
#[derive(Debug, Args)]
struct FilterArgs {
    /// Only those with this status: todo, in-progress, done or blocked.
    #[arg(short, long, value_name = "STATUS", value_parser = Status::parse)]
    status: Option<Status>,

    /// Only those of this priority: high, medium or low; an empty one for those without any.
    #[arg(short, long, value_name = "PRIORITY", value_parser = priority)]
    priority: Option<Setting<Priority>>,

    /// Only those with this label; repeatable, or with commas, and then with all of them.
    #[arg(short, long = "label", value_name = "LABEL", value_parser = labels)]
    labels: Vec<Several<String>>,
}

impl FilterArgs {
    fn filter(&self) -> Filter {
        Filter {
            status: self.status,
            priority: self.priority.clone(),
            labels: all(&self.labels),
            ..Filter::default()
        }
    }
}

fn limit(text: &str) -> Result<usize, String> {
    match text.trim().parse() {
        Ok(number) if number > 0 => Ok(number),
        _ => Err(format!("`--limit` is a number from 1 on, not `{text}`")),
    }
}
