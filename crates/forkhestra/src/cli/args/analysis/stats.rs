//! The command line of `stats`.

use clap::{Args, ValueEnum};
use clap_complete::engine::ArgValueCompleter;
use forkhestra_core::stats::StatsGrouping;

use crate::cli::args::runs::RunLocationArgs;
use crate::cli::since::Since;
use crate::completion::candidates;

/// Arguments of `stats`.
#[derive(Debug, Args)]
pub(crate) struct StatsArgs {
    /// Only this run: the start of its id, or the path of its journal, directory or view file
    /// [default: all runs of this work tree].
    #[arg(value_name = "RUN", add = ArgValueCompleter::new(candidates::runs))]
    pub(crate) run: Option<String>,

    /// Only runs that began since then: an age such as `30d` or `12h`, or a date such as `2026-11-01`.
    #[arg(long, value_name = "WHEN", value_parser = Since::parse, conflicts_with = "run")]
    pub(crate) since: Option<Since>,

    /// Group the statistics by agent, model, chain, check, task or day.
    #[arg(long, value_name = "WHAT", value_enum, hide_possible_values = true)]
    pub(crate) by: Option<GroupingArg>,

    /// Include the runs of all work trees.
    #[arg(long, conflicts_with = "run")]
    pub(crate) all: bool,

    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) place: RunLocationArgs,
}

/// What statistics are grouped by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum GroupingArg {
    Agent,
    Model,
    Chain,
    Check,
    Task,
    Day,
}

impl From<GroupingArg> for StatsGrouping {
    fn from(by: GroupingArg) -> Self {
        match by {
            GroupingArg::Agent => Self::Agent,
            GroupingArg::Model => Self::Model,
            GroupingArg::Chain => Self::Chain,
            GroupingArg::Check => Self::Check,
            GroupingArg::Task => Self::Task,
            GroupingArg::Day => Self::Day,
        }
    }
}
