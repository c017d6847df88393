//! `forkhestra completions`: what makes a shell complete our command lines.

use crate::args_setup::{CompletionsArgs, Shell};
use crate::error::CliError;
use crate::exit_code;
use crate::screen::Screen;

/// Prints the script of a shell. What can be completed is not in it: it asks `complete-line`.
pub(crate) fn execute(args: &CompletionsArgs, screen: &mut Screen) -> Result<u8, CliError> {
    screen.print_data(match args.shell {
        Shell::Bash => include_str!("../completion/scripts/forkhestra.bash"),
        Shell::Zsh => include_str!("../completion/scripts/forkhestra.zsh"),
        Shell::Fish => include_str!("../completion/scripts/forkhestra.fish"),
    })?;
    Ok(exit_code::COMPLETE)
}
