//! `forkhestra runs`: what became of the runs of this work tree, or of all, and removing them.

mod list;
mod prune;
mod rebuild;
mod removal;
mod rm;

use crate::cli::args::runs::{RunsArgs, RunsVerb};
use crate::cli::command_error::CommandError;
use crate::cli::console_output::ConsoleOutput;

/// Lists runs, or does with them what was asked for.
pub(crate) fn execute(args: &RunsArgs, screen: &mut ConsoleOutput) -> Result<u8, CommandError> {
    match &args.verb {
        None => list::execute(&args.list, screen),
        Some(RunsVerb::Rm(args)) => rm::execute(args, screen),
        Some(RunsVerb::Prune(args)) => prune::execute(args, screen),
        Some(RunsVerb::Rebuild(args)) => rebuild::execute(args, screen),
    }
}
