//! `forkhestra completions`: shell completion scripts.

use clap::ValueEnum;

use crate::cli::args::setup::CompletionsArgs;
use crate::cli::command_error::CommandError;
use crate::cli::console_output::ConsoleOutput;
use crate::cli::exit_code;
use crate::completion;

/// Prints the completion script of a shell.
pub(crate) fn execute(
    args: &CompletionsArgs,
    screen: &mut ConsoleOutput,
) -> Result<u8, CommandError> {
    let shell = args.shell.to_possible_value();
    let script = completion::script(shell.as_ref().map_or("", |shell| shell.get_name()))?;
    screen.print_data(&String::from_utf8_lossy(&script))?;
    Ok(exit_code::COMPLETE)
}
