//! The command line of the verbs that go back to earlier states of a run: `diff` and `rewind`.

use std::ffi::OsString;

use clap::{ArgGroup, Args};
use clap_complete::engine::ArgValueCompleter;
use forkhestra_core::history::SnapshotAddress;

use crate::cli::args::runs::RunLocationArgs;
use crate::completion::candidates;

/// Arguments of `diff`.
#[derive(Debug, Args)]
#[command(
    override_usage = "forkhestra diff [OPTIONS] [RUN] [A..B] [-- PATHS…]",
    after_help = "A state is named by an iteration (7, or 2.7 in step 2; 0 is the state before the run) or by a \
                  snapshot number (@12). `forkhestra rewind RUN --list` lists them."
)]
pub(crate) struct DiffArgs {
    /// The run: the start of its id, or the path of its journal, directory or view file
    /// [default: the last run of this work tree].
    #[arg(value_name = "RUN", add = ArgValueCompleter::new(candidates::runs))]
    pub(crate) run: Option<String>,

    /// The two states to compare, such as `2..5`, `..5` or `2..` [default: before and after the run].
    #[arg(value_name = "A..B", conflicts_with = "iteration")]
    pub(crate) range: Option<String>,

    /// Show what this iteration changed.
    #[arg(short, long, value_name = "N", value_parser = SnapshotAddress::parse)]
    pub(crate) iteration: Option<SnapshotAddress>,

    /// Show only the changed files, with the numbers of added and removed lines.
    #[arg(long)]
    pub(crate) stat: bool,

    /// Compare only these paths.
    #[arg(value_name = "PATHS", last = true)]
    pub(crate) paths: Vec<OsString>,

    #[command(flatten)]
    pub(crate) place: RunLocationArgs,
}

/// Arguments of `rewind`.
#[derive(Debug, Args)]
#[command(
    override_usage = "forkhestra rewind [OPTIONS] [RUN] --to <N>\n       \
                      forkhestra rewind [OPTIONS] [RUN] --undo\n       \
                      forkhestra rewind [OPTIONS] [RUN] --list",
    after_help = "The current state is saved first, and `--undo` restores it. Only files that one of the two \
                  states has are changed; ignored files stay.",
    group(ArgGroup::new("action").required(true).args(["to", "undo", "list"]))
)]
pub(crate) struct RewindArgs {
    /// The run: the start of its id, or the path of its journal, directory or view file
    /// [default: the last run of this work tree].
    #[arg(value_name = "RUN", add = ArgValueCompleter::new(candidates::runs))]
    pub(crate) run: Option<String>,

    /// Go back to the state after this iteration (7, or 2.7 in step 2; 0 is the state before the run),
    /// or to this snapshot (@12).
    #[arg(long, value_name = "N", value_parser = SnapshotAddress::parse)]
    pub(crate) to: Option<SnapshotAddress>,

    /// Restore the state before the last rewind.
    #[arg(long)]
    pub(crate) undo: bool,

    /// List the snapshots of the run, and its rewinds.
    #[arg(long)]
    pub(crate) list: bool,

    /// Change only files: leave the branch and the index alone.
    #[arg(long, conflicts_with_all = ["undo", "list"])]
    pub(crate) files_only: bool,

    /// Show what would be changed, and change nothing.
    #[arg(long, conflicts_with = "list")]
    pub(crate) dry_run: bool,

    /// Rewind or undo although files were changed or staged since; the current state is saved first.
    /// After an interrupted iteration, also remove its commits from the branch.
    #[arg(short, long, conflicts_with = "list")]
    pub(crate) force: bool,

    /// Print JSON.
    #[arg(long, conflicts_with_all = ["to", "undo"])]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) place: RunLocationArgs,
}
