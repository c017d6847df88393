//! The command line of `what-if`.

use clap::Args;
use clap_complete::engine::ArgValueCompleter;

use crate::cli::args::limits::SimulatedLimitArgs;
use crate::cli::args::runs::RunLocationArgs;
use crate::cli::since::Since;
use crate::completion::candidates;

/// Arguments of `what-if`.
#[derive(Debug, Args)]
#[command(
    after_help = "Only limits are simulated, from the journals of past runs. What an agent would have done after an \
                  earlier end is unknown. A harmed run is one that completed, and that the limit would have ended before."
)]
pub(crate) struct WhatIfArgs {
    /// The runs: the starts of their ids, or the paths of their journals, directories or view files
    /// [default: all ended runs of this work tree].
    #[arg(value_name = "RUN", add = ArgValueCompleter::new(candidates::runs))]
    pub(crate) runs: Vec<String>,

    /// Only runs that began since then: an age such as `30d` or `12h`, or a date such as `2026-11-01`.
    #[arg(long, value_name = "WHEN", value_parser = Since::parse, conflicts_with = "runs")]
    pub(crate) since: Option<Since>,

    /// Include the runs of all work trees.
    #[arg(long, conflicts_with = "runs")]
    pub(crate) all: bool,

    /// Print the tightest value of each limit that would have harmed no completed run.
    #[arg(long)]
    pub(crate) suggest: bool,

    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) place: RunLocationArgs,

    #[command(flatten)]
    pub(crate) limits: SimulatedLimitArgs,
}
