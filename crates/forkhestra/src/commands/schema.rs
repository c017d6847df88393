//! `forkhestra schema`: the JSON Schemas of what people and programs read and write.

use forkhestra_store::{format, view};

use crate::args::{Described, SchemaArgs};
use crate::error::CliError;
use crate::exit_code;
use crate::screen::Screen;

/// Prints a schema.
pub(crate) fn execute(args: &SchemaArgs, screen: &mut Screen) -> Result<u8, CliError> {
    let schema = match args.of {
        Described::Config => forkhestra_core::config::schema(),
        Described::ChainState => view::chain_schema(),
        Described::RunState => view::run_schema(),
        Described::Iteration => view::iteration_schema(),
        Described::Events => format::schema(),
    };
    screen.print_data(&format!("{schema:#}\n"))?;
    Ok(exit_code::COMPLETE)
}
