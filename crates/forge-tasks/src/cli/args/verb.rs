//! The verbs, and what the smaller ones are told.

use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};

use super::lease::lease;
use super::text::{line, name};
use super::{CreateArgs, EditArgs, ListArgs, SearchArgs};
use crate::{IdQuery, Prefix};

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Create a task database here.
    Init(InitArgs),
    /// Create a task, and the database if there is none.
    Create(Box<CreateArgs>),
    /// List tasks.
    #[command(visible_alias = "ls")]
    List(Box<ListArgs>),
    /// Show a task.
    #[command(alias = "show")]
    View(IdArgs),
    /// Change a task.
    #[command(visible_alias = "update")]
    Edit(Box<EditArgs>),
    /// Search tasks by words in title, description, criteria, plan and notes; titles come first.
    Search(Box<SearchArgs>),
    /// Delete a task permanently.
    #[command(visible_alias = "rm")]
    Delete(DeleteArgs),
    /// Claim a task, or the best one that is ready, so that no other agent gets it.
    Claim(ClaimArgs),
    /// Release a claimed task.
    Release(IdArgs),
    /// Move tasks to the archive.
    Archive(ArchiveArgs),
    /// Move tasks out of the archive.
    Unarchive(UnarchiveArgs),
    /// Show the tasks in columns, one for each status.
    Board,
    /// Show the dependencies between tasks.
    Graph(GraphArgs),
    /// Find problems: broken files, duplicate ids, missing, archived or circular dependencies, Done tasks
    /// with open criteria.
    Check(CheckArgs),
}

/// What `view` and `release` are told.
#[derive(Debug, Args)]
pub(crate) struct IdArgs {
    /// The task ID.
    #[arg(value_name = "ID", value_parser = IdQuery::parse)]
    pub(crate) id: IdQuery,
}

/// What `init` is told.
#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    /// Prefix of task IDs [default: TASK].
    #[arg(short, long, value_name = "PREFIX", value_parser = Prefix::parse)]
    pub(crate) prefix: Option<Prefix>,

    /// Name of the project.
    #[arg(short, long, value_name = "NAME", value_parser = line)]
    pub(crate) name: Option<String>,

    /// Change the settings of an existing database. Tasks and numbers stay.
    #[arg(short, long)]
    pub(crate) force: bool,
}

/// What `delete` is told.
#[derive(Debug, Args)]
pub(crate) struct DeleteArgs {
    /// The task ID.
    #[arg(value_name = "ID", value_parser = IdQuery::parse)]
    pub(crate) id: IdQuery,

    /// Do not ask.
    #[arg(short, long)]
    pub(crate) force: bool,
}

/// What `claim` is told.
#[derive(Debug, Args)]
pub(crate) struct ClaimArgs {
    /// The task ID [default: the best task that is ready].
    #[arg(value_name = "ID", value_parser = IdQuery::parse)]
    pub(crate) id: Option<IdQuery>,

    /// Name of the claimant [default: FORKHESTRA_AGENT, else the user].
    #[arg(long = "as", value_name = "NAME", value_parser = name)]
    pub(crate) name: Option<String>,

    /// Length of the claim, such as 90m, "1h 30m" or 2d.
    #[arg(
        long,
        value_name = "TIME",
        default_value = "2h",
        allow_hyphen_values = true,
        value_parser = lease
    )]
    pub(crate) lease: Duration,
}

/// What `archive` is told.
#[derive(Debug, Args)]
pub(crate) struct ArchiveArgs {
    /// Task IDs.
    #[arg(value_name = "ID", value_parser = IdQuery::parse, conflicts_with = "done")]
    pub(crate) ids: Vec<IdQuery>,

    /// All tasks that are Done.
    #[arg(long)]
    pub(crate) done: bool,
}

/// What `unarchive` is told.
#[derive(Debug, Args)]
pub(crate) struct UnarchiveArgs {
    /// Task IDs.
    #[arg(value_name = "ID", value_parser = IdQuery::parse, required = true)]
    pub(crate) ids: Vec<IdQuery>,
}

/// What `graph` is told.
#[derive(Debug, Args)]
pub(crate) struct GraphArgs {
    /// A tree for people, or input for a drawing program.
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    pub(crate) format: GraphFormat,
}

/// In which language a graph is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum GraphFormat {
    #[default]
    Text,
    Dot,
    Mermaid,
}

/// What `check` is told.
#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// Give tasks with duplicate IDs new ones, and update references.
    #[arg(long)]
    pub(crate) fix: bool,
}
