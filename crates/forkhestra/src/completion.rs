//! Shell completion: the dynamic completion of `clap_complete`, with the current chains, agents,
//! runs and tasks.
//!
//! `forkhestra completions` prints a script. For each word, the script starts the completed program
//! with [`VARIABLE`] set, and [`answer`] prints the candidates. Unreadable sources are skipped, and
//! nothing is written.

pub(crate) mod candidates;
mod plain_candidates;
mod tasks;

use std::env;
use std::ffi::OsString;
use std::io;
use std::sync::LazyLock;

use clap::{Command, CommandFactory};
use clap_complete::CompleteEnv;
use clap_complete::env::{Bash, Elvish, EnvCompleter, Fish, Powershell, Shells, Zsh};
use forge_tasks::cli::completion as forge_tasks_line;

use crate::cli::args::forkhestra_cli::ForkhestraCli;
use crate::cli::dispatch::FORGE_TASKS;
use crate::cli::started_program::StartedProgram;
use crate::cli::verbs;
use crate::cli::version::CURRENT;
use crate::completion::plain_candidates::PlainCandidates;

/// The variable that a script sets to request candidates.
const VARIABLE: &str = "FORKHESTRA_COMPLETIONS";

/// The completion script of a shell, for all three programs.
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

/// Whether a completion script started the program.
pub(crate) fn is_requested() -> bool {
    // `CompleteEnv` removes the variable before it builds the command line.
    static IS_REQUESTED: LazyLock<bool> = LazyLock::new(|| env::var_os(VARIABLE).is_some());
    *IS_REQUESTED
}

/// Prints candidates if a completion script started the program. Returns whether it did.
pub(crate) fn answer(arguments: &[OsString], command: impl Fn() -> Command) -> bool {
    if !is_requested() {
        return false;
    }
    let directory = env::current_dir().ok();
    let shells: [&dyn EnvCompleter; 5] =
        [&PlainCandidates(Bash), &Elvish, &Fish, &PlainCandidates(Powershell), &Zsh];
    let environment = CompleteEnv::with_factory(command).var(VARIABLE).shells(Shells(&shells));
    let answered = environment.try_complete(arguments.iter().cloned(), directory.as_deref());
    answered.unwrap_or_else(|error| error.exit())
}

/// The command line of `forkhestra` with hidden aliases of its verbs: of the visible names of a
/// verb, only the alphabetically first one would be offered.
pub(crate) fn forkhestra() -> Command {
    ForkhestraCli::command().mut_subcommands(|verb| {
        let aliases = verbs::aliases(verb.get_name());
        verb.visible_alias(None).aliases(aliases)
    })
}

/// The command line of `forge-tasks` with value candidates for its arguments.
pub(crate) fn forge_tasks() -> Command {
    tasks::with_values(forge_tasks_line::command(CURRENT))
}
