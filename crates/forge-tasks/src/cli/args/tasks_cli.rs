//! The command line as a whole: the verbs, the arguments of the smaller ones, and those of every verb.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Arg, ArgAction, Args, Command, CommandFactory, Parser, Subcommand, ValueEnum};
use typeset::color_mode::ColorMode;

use crate::cli::args::values::{lease, line, name};
use crate::cli::args::{CreateArgs, EditArgs, ListTasksArgs, SearchArgs};
use crate::{IdPrefix, IdQuery};

/// The name of the program.
pub(crate) const NAME: &str = "forge-tasks";

/// The verb that git calls.
pub(crate) const MERGE_FILE: &str = "merge-file";

const EXAMPLES: &str = "\
A task is a Markdown file in forge/tasks/, found from the current directory upwards. The first
`create` makes the directory. `1`, `task-1` and `TASK-001` are the same task.

Examples:
  forge-tasks create \"Write the parser\" -p high --ac \"Reads CRLF\" --depends-on 1

  List what can be started now, then claim the best of it:
  forge-tasks list --ready
  forge-tasks claim --as builder

  forge-tasks edit 2 --check-ac 1 --append-notes \"Done in parse.rs\" -s done
  forge-tasks view 2 --json
  forge-tasks search \"line ends\" --plain
  forge-tasks board

Exit codes: 0 done, 1 usage error, or problems found by `check`, 3 nothing to claim, 141 output closed";

/// Keeps tasks in plain files that agents and people can share safely.
#[derive(Debug, Parser)]
#[command(name = NAME, after_help = EXAMPLES, max_term_width = 100)]
pub(crate) struct TasksCli {
    #[command(flatten)]
    pub(crate) global: GlobalArgs,
    #[command(subcommand)]
    pub(crate) verb: TasksVerb,
}

/// The parser, which knows which version the program is.
pub(crate) fn command(version: &'static str) -> Command {
    let command = TasksCli::command().version(version).mut_args(lenient);
    command.mut_subcommands(|verb| verb.mut_args(lenient))
}

/// Accepts repeated flags, and negative numbers as values, so that the value's own parser reports
/// them.
fn lenient(arg: Arg) -> Arg {
    match arg.get_action() {
        ArgAction::SetTrue => {
            let id = arg.get_id().clone();
            arg.overrides_with(id)
        }
        action if action.takes_values() && !arg.is_allow_hyphen_values_set() => {
            arg.allow_negative_numbers(true)
        }
        _ => arg,
    }
}

/// Arguments of every verb.
#[derive(Debug, Args)]
#[command(next_help_heading = "Options of every command")]
pub(crate) struct GlobalArgs {
    /// Print stable, machine-readable lines.
    #[arg(long, global = true)]
    plain: bool,

    /// Print JSON, even with --plain.
    #[arg(long, global = true)]
    json: bool,

    /// The task directory, instead of the nearest forge/tasks; also FORGE_TASKS_DIR.
    #[arg(long, global = true, value_name = "PATH", value_parser = path)]
    pub(crate) dir: Option<PathBuf>,

    /// Use colours.
    #[arg(long, global = true, value_name = "WHEN", value_enum, default_value_t)]
    pub(crate) color: ColorMode,
}

impl GlobalArgs {
    /// The output format.
    pub(crate) fn format(&self) -> TasksOutputFormat {
        match (self.json, self.plain) {
            (true, _) => TasksOutputFormat::Json,
            (false, true) => TasksOutputFormat::Plain,
            (false, false) => TasksOutputFormat::Human,
        }
    }
}

/// The output format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TasksOutputFormat {
    /// A person.
    Human,
    /// A program that reads lines.
    Plain,
    /// A program that reads JSON.
    Json,
}

fn path(text: &str) -> Result<PathBuf, &'static str> {
    match text {
        "" => Err("`--dir` lacks its value"),
        text => Ok(PathBuf::from(text)),
    }
}

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
    /// Merge three versions of a file field by field. git calls it once `init` has set that up.
    MergeFile(MergeFileArgs),
}

/// Arguments of `merge-file`, in the order of git's `%O %A %B %P`.
#[derive(Debug, Args)]
pub(crate) struct MergeFileArgs {
    /// File with the common version; an empty file if there is none.
    #[arg(value_name = "BASE")]
    pub(crate) base: PathBuf,

    /// File with our version. The result is written to it.
    #[arg(value_name = "OURS")]
    pub(crate) ours: PathBuf,

    /// File with their version.
    #[arg(value_name = "THEIRS")]
    pub(crate) theirs: PathBuf,

    /// Path of the file in the repository.
    #[arg(value_name = "PATH")]
    pub(crate) path: PathBuf,
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
