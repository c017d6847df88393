//! `forkhestra schema`: JSON Schemas of the config file, the view files, the events and the statistics.

use forkhestra_store::{format, view};

use crate::cli::args::forkhestra_cli::{SchemaArgs, SchemaSubject};
use crate::cli::command_error::CommandError;
use crate::cli::console_output::ConsoleOutput;
use crate::cli::exit_code;

/// Prints the selected schema.
pub(crate) fn execute(args: &SchemaArgs, screen: &mut ConsoleOutput) -> Result<u8, CommandError> {
    let schema = match args.of {
        SchemaSubject::Config => forkhestra_core::config::schema(),
        SchemaSubject::ChainState => view::chain_schema(),
        SchemaSubject::RunState => view::run_schema(),
        SchemaSubject::Iteration => view::iteration_schema(),
        SchemaSubject::Events => format::schema(),
        SchemaSubject::Stats => forkhestra_core::stats::schema(),
    };
    screen.print_data(&format!("{schema:#}\n"))?;
    Ok(exit_code::COMPLETE)
}
