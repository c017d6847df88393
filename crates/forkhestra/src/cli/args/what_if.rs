//! The command line of `what-if`.

use clap::Args;
use clap_complete::engine::ArgValueCompleter;
use forkhestra_core::limit::Age;

use crate::cli::args::limits::JudgedLimitArgs;
use crate::cli::args::runs::RunLocationArgs;
use crate::completion::candidates;

/// Arguments of `what-if`.
#[derive(Debug, Args)]
#[command(
    after_help = "Only limits are judged, by the journals of past runs. What an agent would have done instead is not known."
)]
pub(crate) struct WhatIfArgs {
    /// The runs: the starts of their ids, or the paths of their journals, directories or view files
    /// [default: all ended runs of this work tree].
    #[arg(value_name = "RUN", add = ArgValueCompleter::new(candidates::runs))]
    pub(crate) runs: Vec<String>,

    /// Only runs that began within this time, such as `30d`, `2w` or `12h`.
    #[arg(long, value_name = "AGE", value_parser = Age::parse, conflicts_with = "runs")]
    pub(crate) since: Option<Age>,

    /// Judge the runs of all work trees.
    #[arg(long, conflicts_with = "runs")]
    pub(crate) all: bool,

    /// Print the tightest value of each limit that would have harmed no run.
    #[arg(long)]
    pub(crate) suggest: bool,

    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) place: RunLocationArgs,

    #[command(flatten)]
    pub(crate) limits: JudgedLimitArgs,
}
