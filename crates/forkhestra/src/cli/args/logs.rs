//! The command line of `forkhestra logs`.

use clap::Args;
use clap_complete::engine::ArgValueCompleter;
use forkhestra_core::id::LaneNumber;
use forkhestra_core::text::count::{Count, CountParseError};

use crate::cli::args::runs::RunLocationArgs;
use crate::cli::args::steer::lane_number;
use crate::completion::candidates;

/// Arguments of `logs`.
#[derive(Debug, Args)]
pub(crate) struct LogsArgs {
    /// The run: the start of its id, or the path of its journal, directory or view file
    /// [default: the last run of this work tree].
    #[arg(value_name = "RUN", add = ArgValueCompleter::new(candidates::runs))]
    pub(crate) run: Option<String>,

    /// Only what the agent of this step printed.
    #[arg(long, value_name = "N", value_parser = Count::parse)]
    pub(crate) step: Option<Count>,

    /// Only what was printed in this iteration, in all its attempts.
    #[arg(long, value_name = "N", value_parser = Count::parse)]
    pub(crate) iteration: Option<Count>,

    /// Only what agents in this lane printed.
    #[arg(long, value_name = "K", value_parser = lane_number)]
    pub(crate) lane: Option<LaneNumber>,

    /// Keep printing new output until the run is over.
    #[arg(short, long)]
    pub(crate) follow: bool,

    /// Only the last N lines of standard output and of standard error.
    #[arg(short = 'n', long, value_name = "N", value_parser = lines)]
    pub(crate) lines: Option<u32>,

    /// Everything: thoughts, tool results, unknown events.
    #[arg(short, long)]
    pub(crate) verbose: bool,

    /// The raw bytes that agents printed, without headings.
    #[arg(long)]
    pub(crate) raw: bool,

    #[command(flatten)]
    pub(crate) place: RunLocationArgs,
}

/// Parses a number of lines. Zero is allowed: `--follow` then prints new output only.
fn lines(text: &str) -> Result<u32, CountParseError> {
    match Count::parse(text) {
        Ok(count) => Ok(count.get()),
        Err(CountParseError::Zero) => Ok(0),
        Err(error) => Err(error),
    }
}
