//! `forkhestra runs`: lists, removes and rebuilds runs of this work tree, or of all work trees.

mod list;
mod prune;
mod rebuild;
mod removal;
mod rm;

use crate::cli::args::runs::{RunsArgs, RunsVerb};
use crate::cli::command_error::CommandError;
use crate::cli::console_output::ConsoleOutput;

/// Lists runs, or executes the given verb.
pub(crate) fn execute(args: &RunsArgs, screen: &mut ConsoleOutput) -> Result<u8, CommandError> {
    match &args.verb {
        None => list::execute(&args.list, screen),
        Some(RunsVerb::Rm(args)) => rm::execute(args, screen),
        Some(RunsVerb::Prune(args)) => prune::execute(args, screen),
        Some(RunsVerb::Rebuild(args)) => rebuild::execute(args, screen),
    }
}
