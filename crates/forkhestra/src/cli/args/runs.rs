//! The command line of the verbs for past runs: `runs` and `show`.

use std::path::PathBuf;

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, Subcommand, ValueHint};
use clap_complete::engine::ArgValueCompleter;
use forkhestra_core::limit::Age;

use crate::cli::args::forkhestra_cli::{ColorArgs, ProjectArgs};
use crate::cli::byte_size::ByteSize;
use crate::completion::candidates;

/// Arguments of `runs`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, disable_help_subcommand = true)]
pub(crate) struct RunsArgs {
    #[command(subcommand)]
    pub(crate) verb: Option<RunsVerb>,

    #[command(flatten)]
    pub(crate) list: RunsListArgs,
}

/// Verbs of `runs`; without one, runs are listed.
#[derive(Debug, Subcommand)]
pub(crate) enum RunsVerb {
    /// Remove runs.
    Rm(RunsRmArgs),
    /// Remove old runs: by age, by number or by size.
    Prune(RunsPruneArgs),
    /// Rebuild the views of runs in .agent-state/.
    Rebuild(RunsRebuildArgs),
}

/// Arguments of `runs` without a verb.
#[derive(Debug, Args)]
pub(crate) struct RunsListArgs {
    /// List the runs of all work trees.
    #[arg(long)]
    pub(crate) all: bool,

    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) place: RunLocationArgs,
}

/// Arguments of `runs rm`.
#[derive(Debug, Args)]
pub(crate) struct RunsRmArgs {
    /// The runs: the starts of their ids, or the paths of their journals, directories or view files.
    #[arg(
        value_name = "RUN",
        required = true,
        add = ArgValueCompleter::new(candidates::runs)
    )]
    pub(crate) runs: Vec<String>,

    /// Also remove runs that are unfinished, damaged or unreadable.
    #[arg(short, long)]
    pub(crate) force: bool,

    #[command(flatten)]
    pub(crate) place: RunLocationArgs,
}

/// Arguments of `runs rebuild`.
#[derive(Debug, Args)]
pub(crate) struct RunsRebuildArgs {
    /// The runs: the starts of their ids, or the paths of their journals, directories or view files
    /// [default: all runs of this work tree].
    #[arg(value_name = "RUN", add = ArgValueCompleter::new(candidates::runs))]
    pub(crate) runs: Vec<String>,

    #[command(flatten)]
    pub(crate) place: RunLocationArgs,
}

/// Arguments of `runs prune`.
#[derive(Debug, Args)]
#[command(
    after_help = "A run is removed only if every given criterion allows it. An active run is never removed."
)]
pub(crate) struct RunsPruneArgs {
    /// Prune the runs of all work trees.
    #[arg(long)]
    pub(crate) all: bool,

    /// Remove only the output of agents, and no runs.
    #[arg(long)]
    pub(crate) logs: bool,

    /// Show what would be removed, and remove nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,

    /// Also remove runs that are unfinished or damaged.
    #[arg(short, long)]
    pub(crate) force: bool,

    #[command(flatten)]
    pub(crate) place: RunLocationArgs,

    #[command(flatten)]
    pub(crate) criteria: RetentionArgs,
}

/// The criteria by which `runs prune` selects runs.
#[derive(Debug, Args)]
#[command(next_help_heading = "Criteria (at least one)")]
pub(crate) struct RetentionArgs {
    /// Remove runs whose last event is older than this, such as `30d`, `2w` or `12h`.
    #[arg(long, value_name = "AGE", value_parser = Age::parse)]
    pub(crate) older_than: Option<Age>,

    /// Keep the last N runs of each work tree; 0 keeps none.
    #[arg(long, value_name = "N", value_parser = whole_number)]
    pub(crate) keep: Option<usize>,

    /// Remove the oldest until the rest is not larger than this, such as `500M` or `2G`: first the
    /// output of agents, then whole runs.
    #[arg(long, value_name = "SIZE", value_parser = ByteSize::parse)]
    pub(crate) max_size: Option<ByteSize>,
}

/// Arguments of `show`.
#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// The run: the start of its id, or the path of its journal, directory or view file
    /// [default: the last run of this work tree].
    #[arg(value_name = "RUN", add = ArgValueCompleter::new(candidates::runs))]
    pub(crate) run: Option<String>,

    /// Show why it stopped, with the evidence, and what is left.
    #[arg(long, conflicts_with_all = ["verbose", "all"])]
    pub(crate) why: bool,

    /// Show details: the last iterations of each step, warnings, work trees and files.
    #[arg(short, long)]
    pub(crate) verbose: bool,

    /// Show details with all iterations and warnings.
    #[arg(long)]
    pub(crate) all: bool,

    /// Print JSON, with all iterations.
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) place: RunLocationArgs,
}

/// Options that say where runs are searched for.
#[derive(Debug, Args)]
pub(crate) struct RunLocationArgs {
    /// Search for runs from this directory instead of the current one.
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,

    /// Search for runs in this directory instead of the user's state directory.
    #[arg(
        long,
        value_name = "DIR",
        value_parser = NonEmptyStringValueParser::new(),
        value_hint = ValueHint::DirPath
    )]
    pub(crate) state_dir: Option<String>,

    #[command(flatten)]
    pub(crate) color: ColorArgs,
}

impl RunLocationArgs {
    /// Converts these options to those that locate a project.
    pub(crate) fn project(&self) -> ProjectArgs {
        ProjectArgs { cwd: self.cwd.clone(), config: None }
    }
}

fn whole_number(text: &str) -> Result<usize, &'static str> {
    text.parse().map_err(|_| "is not a whole number; `0` keeps none")
}
