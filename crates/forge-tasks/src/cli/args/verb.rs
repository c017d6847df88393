//! The verbs, and the arguments of the smaller ones.

use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};

use super::lease::lease;
use super::text::{line, name};
use super::{CreateArgs, EditArgs, ListTasksArgs, SearchArgs};
use crate::{IdPrefix, IdQuery};

/// The verbs. The hidden aliases are names that other programs have.
#[derive(Debug, Subcommand)]
pub(crate) enum TasksVerb {
    /// Create a task database here.
    #[command(alias = "setup")]
    Init(InitTasksArgs),
    /// Create a task, and the database if there is none.
    #[command(aliases = ["add", "new"])]
    Create(Box<CreateArgs>),
    /// List tasks.
    #[command(visible_alias = "ls")]
    List(Box<ListTasksArgs>),
    /// Show a task.
    #[command(aliases = ["show", "get", "cat", "info", "read"])]
    View(IdArgs),
    /// Change a task.
    #[command(visible_alias = "update", aliases = ["change", "modify", "set"])]
    Edit(Box<EditArgs>),
    /// Search tasks by words in title, description, criteria, plan and notes; titles come first.
    #[command(aliases = ["find", "grep", "query"])]
    Search(Box<SearchArgs>),
    /// Delete a task permanently.
    #[command(visible_alias = "rm", aliases = ["remove", "del"])]
    Delete(DeleteArgs),
    /// Claim a task, or the best one that is ready, so that no other agent gets it.
    #[command(aliases = ["take", "next", "start", "pick"])]
    Claim(ClaimArgs),
    /// Release a claimed task.
    #[command(aliases = ["unclaim", "drop"])]
    Release(IdArgs),
    /// Move tasks to the archive.
    Archive(ArchiveArgs),
    /// Move tasks out of the archive.
    Unarchive(UnarchiveArgs),
    /// Show the tasks in columns, one for each status.
    #[command(aliases = ["kanban", "columns"])]
    Board,
    /// Show the dependencies between tasks.
    #[command(aliases = ["tree", "deps", "dependencies"])]
    Graph(GraphArgs),
    /// Find problems: broken files, duplicate ids, missing, archived or circular dependencies, Done
    /// tasks with open criteria.
    #[command(aliases = ["lint", "validate", "verify"])]
    Check(CheckArgs),
}

/// Arguments of `view` and `release`.
#[derive(Debug, Args)]
pub(crate) struct IdArgs {
    /// The task ID.
    #[arg(value_name = "ID", value_parser = IdQuery::parse)]
    pub(crate) id: IdQuery,
}

/// Arguments of `init`.
#[derive(Debug, Args)]
pub(crate) struct InitTasksArgs {
    /// Prefix of task IDs [default: TASK].
    #[arg(short, long, value_name = "PREFIX", value_parser = IdPrefix::parse)]
    pub(crate) prefix: Option<IdPrefix>,

    /// Name of the project.
    #[arg(short, long, value_name = "NAME", value_parser = line)]
    pub(crate) name: Option<String>,

    /// Change the settings of an existing database. Tasks and numbers stay.
    #[arg(short, long)]
    pub(crate) force: bool,
}

/// Arguments of `delete`.
#[derive(Debug, Args)]
pub(crate) struct DeleteArgs {
    /// The task ID.
    #[arg(value_name = "ID", value_parser = IdQuery::parse)]
    pub(crate) id: IdQuery,

    /// Do not ask.
    #[arg(short, long, alias = "yes", short_alias = 'y')]
    pub(crate) force: bool,
}

/// Arguments of `claim`.
#[derive(Debug, Args)]
pub(crate) struct ClaimArgs {
    /// The task ID [default: the best task that is ready].
    #[arg(value_name = "ID", value_parser = IdQuery::parse)]
    pub(crate) id: Option<IdQuery>,

    /// Name of the claimant [default: FORKHESTRA_AGENT, else the user].
    #[arg(long = "as", aliases = ["assignee", "name", "agent", "owner"], short_alias = 'a', value_name = "NAME", value_parser = name)]
    pub(crate) name: Option<String>,

    /// Length of the claim, such as 90m, "1h 30m" or 2d.
    #[arg(
        long,
        aliases = ["ttl", "for"],
        value_name = "TIME",
        default_value = "2h",
        allow_hyphen_values = true,
        value_parser = lease
    )]
    pub(crate) lease: Duration,
}

/// Arguments of `archive`.
#[derive(Debug, Args)]
pub(crate) struct ArchiveArgs {
    /// Task IDs.
    #[arg(value_name = "ID", value_parser = IdQuery::parse, conflicts_with = "done")]
    pub(crate) ids: Vec<IdQuery>,

    /// All tasks that are Done.
    #[arg(long)]
    pub(crate) done: bool,
}

/// Arguments of `unarchive`.
#[derive(Debug, Args)]
pub(crate) struct UnarchiveArgs {
    /// Task IDs.
    #[arg(value_name = "ID", value_parser = IdQuery::parse, required = true)]
    pub(crate) ids: Vec<IdQuery>,
}

/// Arguments of `graph`.
#[derive(Debug, Args)]
pub(crate) struct GraphArgs {
    /// A tree for people, or input for a drawing program.
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    pub(crate) format: GraphFormat,
}

/// The language of a graph.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum GraphFormat {
    #[default]
    Text,
    Dot,
    Mermaid,
}

/// Arguments of `check`.
#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// Give tasks with duplicate IDs new ones; update references that are unambiguous.
    #[arg(long)]
    pub(crate) fix: bool,
}
