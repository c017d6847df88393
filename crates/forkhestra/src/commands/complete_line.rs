//! `forkhestra complete-line`: what a shell asks while somebody types.

use crate::args_setup::CompleteLineArgs;
use crate::error::CliError;
use crate::screen::Screen;
use crate::{completion, exit_code};

/// Prints what can stand in the place of the last word, each in a line, with what it is behind a tab.
pub(crate) fn execute(args: &CompleteLineArgs, screen: &mut Screen) -> Result<u8, CliError> {
    screen.print_data(&completion::answer(&args.words))?;
    Ok(exit_code::COMPLETE)
}
