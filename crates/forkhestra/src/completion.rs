//! Shell completion: the dynamic completion of `clap_complete`, with the chains, agents, runs and tasks
//! of the moment.
//!
//! `forkhestra completions` prints a script. For each word, the script starts the program that is typed
//! with [`VARIABLE`] set, and [`answer`] prints the candidates. What cannot be read is left out, and
//! nothing is written.

pub(crate) mod candidates;
mod tasks;

use std::env;
use std::ffi::OsString;
use std::io;

use clap::Command;
use clap_complete::CompleteEnv;
use clap_complete::env::Shells;
use forge_tasks::cli::completion as forge_tasks_line;

use crate::cli::dispatch::FORGE_TASKS;
use crate::cli::started_program::StartedProgram;
use crate::cli::version::CURRENT;

/// The variable by which a script asks for candidates.
const VARIABLE: &str = "FORKHESTRA_COMPLETIONS";

/// The script of a shell, for all three programs.
pub(crate) fn script(shell: &str) -> io::Result<Vec<u8>> {
    let mut script = Vec::new();
    let shells = Shells::builtins();
    let completer = shells.completer(shell).ok_or(io::ErrorKind::Unsupported)?;
    for name in [StartedProgram::Forkhestra.name(), FORGE_TASKS, StartedProgram::RalphRunner.name()]
    {
        completer.write_registration(VARIABLE, name, name, name, &mut script)?;
    }
    Ok(script)
}

/// Answers the script of a shell. Returns whether it was a script that called.
pub(crate) fn answer(arguments: &[OsString], command: impl Fn() -> Command) -> bool {
    if env::var_os(VARIABLE).is_none() {
        return false;
    }
    let directory = env::current_dir().ok();
    let environment = CompleteEnv::with_factory(command).var(VARIABLE);
    let answered = environment.try_complete(arguments.iter().cloned(), directory.as_deref());
    answered.unwrap_or_else(|error| error.exit())
}

/// The command line of `forge-tasks`, whose arguments know their values.
pub(crate) fn forge_tasks() -> Command {
    tasks::with_values(forge_tasks_line::command(CURRENT))
}
