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
    /// Begin a database of tasks here.
    Init(InitArgs),
    /// Create a task, and the database if there is none.
    Create(Box<CreateArgs>),
    /// List tasks.
    #[command(visible_alias = "ls")]
    List(Box<ListArgs>),
    /// Show a task.
    #[command(visible_alias = "show")]
    View(IdArgs),
    /// Change a task.
    #[command(visible_alias = "update")]
    Edit(Box<EditArgs>),
    /// Find tasks by words in the title, description, plan and notes; titles come first.
    Search(Box<SearchArgs>),
    /// Remove a task for good.
    #[command(visible_alias = "rm")]
    Delete(DeleteArgs),
    /// Take a task: this one, or the best that is ready. Nobody else gets it.
    Claim(ClaimArgs),
    /// Give a task back that was claimed.
    Release(IdArgs),
    /// Move tasks to the archive.
    Archive(ArchiveArgs),
    /// Show the tasks in columns, one for each status.
    Board,
    /// Show what depends on what.
    Graph(GraphArgs),
    /// Find what is wrong: broken files, duplicate ids, missing or circular dependencies, Done tasks
    /// with open criteria.
    Check(CheckArgs),
}

/// What `view` and `release` are told.
#[derive(Debug, Args)]
pub(crate) struct IdArgs {
    /// Which task.
    #[arg(value_name = "ID", value_parser = IdQuery::parse)]
    pub(crate) id: IdQuery,
}

/// What `init` is told.
#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    /// The letters before the numbers of tasks [default: TASK].
    #[arg(short, long, value_name = "PREFIX", value_parser = Prefix::parse)]
    pub(crate) prefix: Option<Prefix>,

    /// What the project is called.
    #[arg(short, long, value_name = "NAME", value_parser = line)]
    pub(crate) name: Option<String>,

    /// Change the settings of a database that is there. Tasks and numbers stay.
    #[arg(short, long)]
    pub(crate) force: bool,
}

/// What `delete` is told.
#[derive(Debug, Args)]
pub(crate) struct DeleteArgs {
    /// Which task.
    #[arg(value_name = "ID", value_parser = IdQuery::parse)]
    pub(crate) id: IdQuery,

    /// Do not ask.
    #[arg(short, long)]
    pub(crate) force: bool,
}

/// What `claim` is told.
#[derive(Debug, Args)]
pub(crate) struct ClaimArgs {
    /// Which task; without it, the best that is ready.
    #[arg(value_name = "ID", value_parser = IdQuery::parse)]
    pub(crate) id: Option<IdQuery>,

    /// Who takes it [default: FORKHESTRA_AGENT, else the user].
    #[arg(long = "as", value_name = "NAME", value_parser = name)]
    pub(crate) name: Option<String>,

    /// For how long nobody else gets it, such as 90m, "1h 30m" or 2d.
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
    /// Which tasks.
    #[arg(value_name = "ID", value_parser = IdQuery::parse, conflicts_with = "done")]
    pub(crate) ids: Vec<IdQuery>,

    /// Every task that is Done.
    #[arg(long)]
    pub(crate) done: bool,
}

/// What `graph` is told.
#[derive(Debug, Args)]
pub(crate) struct GraphArgs {
    /// A tree for people, or the language of a program that draws.
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
    /// Give tasks with duplicate ids new ones, and follow what refers to them.
    #[arg(long)]
    pub(crate) fix: bool,
}
