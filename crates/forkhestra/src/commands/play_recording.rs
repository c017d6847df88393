//! `forkhestra play-recording`: the replay process. It starts in place of an agent and repeats what
//! the agent did.

use crate::cli::args::forkhestra_cli::ProjectArgs;
use crate::cli::args::recording::PlayRecordingArgs;
use crate::cli::command_error::CommandError;
use crate::cli::console_output::ConsoleOutput;
use crate::cli::exit_code;
use crate::project::project_location::ProjectLocation;
use crate::replay::{self, ReplayError};

/// Plays the recording and exits as the agent did.
pub(crate) fn execute(
    args: &PlayRecordingArgs,
    screen: &mut ConsoleOutput,
) -> Result<u8, CommandError> {
    let here = ProjectLocation::find(&ProjectArgs { cwd: None, config: None })?;
    match replay::play(args, &here.working_directory, &here.environment) {
        Ok(ending) => Ok(ending.take_place()),
        Err(ReplayError::OutputClosed) => Ok(exit_code::OUTPUT_CLOSED),
        Err(ReplayError::Cannot(why)) => {
            screen.remark(&format!("forkhestra: the recording cannot be played: {why}\n"));
            Ok(exit_code::REPLAY_FAILED)
        }
    }
}
