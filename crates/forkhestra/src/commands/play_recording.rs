//! `forkhestra play-recording`: does what an agent did. It is started in place of one.

use crate::args::ProjectArgs;
use crate::args_replay::PlayRecordingArgs;
use crate::error::CommandError;
use crate::exit_code;
use crate::player::{self, ReplayError};
use crate::project::ProjectLocation;
use crate::screen::ConsoleOutput;

/// Plays, and ends as the agent did.
pub(crate) fn execute(
    args: &PlayRecordingArgs,
    screen: &mut ConsoleOutput,
) -> Result<u8, CommandError> {
    let here = ProjectLocation::find(&ProjectArgs { cwd: None, config: None })?;
    match player::play(args, &here.working_directory, &here.environment) {
        Ok(ending) => Ok(ending.take_place()),
        Err(ReplayError::OutputClosed) => Ok(exit_code::OUTPUT_CLOSED),
        Err(ReplayError::Cannot(why)) => {
            screen.remark(&format!("forkhestra: the recording cannot be played: {why}\n"));
            Ok(exit_code::CANNOT_PLAY)
        }
    }
}
