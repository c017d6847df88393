//! `forkhestra schema`: the JSON Schemas of what people and programs read and write.

use forkhestra_store::{format, view};

use crate::args::{SchemaArgs, SchemaSubject};
use crate::error::CommandError;
use crate::exit_code;
use crate::screen::ConsoleOutput;

/// Prints a schema.
pub(crate) fn execute(args: &SchemaArgs, screen: &mut ConsoleOutput) -> Result<u8, CommandError> {
    let schema = match args.of {
        SchemaSubject::Config => forkhestra_core::config::schema(),
        SchemaSubject::ChainState => view::chain_schema(),
        SchemaSubject::RunState => view::run_schema(),
        SchemaSubject::Iteration => view::iteration_schema(),
        SchemaSubject::Events => format::schema(),
    };
    screen.print_data(&format!("{schema:#}\n"))?;
    Ok(exit_code::COMPLETE)
}
