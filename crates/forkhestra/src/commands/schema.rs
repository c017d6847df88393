//! `forkhestra schema`: the JSON Schema of the config file.

use crate::error::CliError;
use crate::exit_code;
use crate::screen::Screen;

/// Prints the schema.
pub(crate) fn execute(screen: &mut Screen) -> Result<u8, CliError> {
    screen.print_data(&format!("{:#}\n", forkhestra_core::config::schema()))?;
    Ok(exit_code::COMPLETE)
}
