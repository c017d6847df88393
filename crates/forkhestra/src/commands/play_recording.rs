//! `forkhestra play-recording`: does what an agent did. It is started in place of one.

use crate::args::ProjectArgs;
use crate::args_replay::PlayArgs;
use crate::error::CliError;
use crate::exit_code;
use crate::player::{self, Trouble};
use crate::project::Project;
use crate::screen::Screen;

/// Plays, and ends as the agent did.
pub(crate) fn execute(args: &PlayArgs, screen: &mut Screen) -> Result<u8, CliError> {
    let here = Project::find(&ProjectArgs { cwd: None, config: None })?;
    match player::play(args, &here.working_directory, &here.environment) {
        Ok(ending) => Ok(ending.take_place()),
        Err(Trouble::OutputClosed) => Ok(exit_code::OUTPUT_CLOSED),
        Err(Trouble::Cannot(why)) => {
            screen.remark(&format!("forkhestra: the recording cannot be played: {why}\n"));
            Ok(exit_code::CANNOT_PLAY)
        }
    }
}
