//! `forkhestra man`: manual pages, made by `clap_mangen` from the command lines.

use std::fs;
use std::io;
use std::path::Path;

use clap::Command;
use clap_mangen::Man;
use forge_tasks::cli::completion as forge_tasks_line;
use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::text;

use crate::cli::args::setup::ManArgs;
use crate::cli::command_error::CommandError;
use crate::cli::console_output::ConsoleOutput;
use crate::cli::started_program::StartedProgram;
use crate::cli::{exit_code, version};

/// Prints a page, or writes all of them.
pub(crate) fn execute(args: &ManArgs, screen: &mut ConsoleOutput) -> Result<u8, CommandError> {
    match &args.dir {
        Some(dir) => write_all(dir, screen)?,
        None => print(args.page.as_deref().unwrap_or("forkhestra"), screen)?,
    }
    Ok(exit_code::COMPLETE)
}

/// Prints a page. It is known by its name, its file name or the words of its command.
fn print(wanted: &str, screen: &mut ConsoleOutput) -> Result<(), CommandError> {
    let name = wanted.strip_suffix(".1").unwrap_or(wanted).replace(' ', "-");
    let names = [name.clone(), format!("forkhestra-{name}")];
    let commands: Vec<Command> = programs().iter().flat_map(with_verbs).collect();
    let found = names.iter().find_map(|name| commands.iter().find(|one| name_of(one) == name));
    let command = found.ok_or_else(|| unknown(wanted, &names, &commands))?;
    let mut page = Vec::new();
    Man::new(command.clone()).render(&mut page)?;
    Ok(screen.print_data(&String::from_utf8_lossy(&page))?)
}

fn unknown(wanted: &str, names: &[String], commands: &[Command]) -> CommandError {
    let known: Vec<&str> = commands.iter().map(name_of).collect();
    let near = names.iter().find_map(|name| text::nearest(name, known.iter().copied()));
    let error = Diagnostic::error(format!("there is no manual page `{wanted}`"))
        .maybe_hint(near.map(|near| format!("did you mean `{near}`?")));
    CommandError::wrong(error.hint(format!("there are {}", known.join(", "))))
}

fn write_all(dir: &Path, screen: &mut ConsoleOutput) -> Result<(), CommandError> {
    let unusable = |error: io::Error| {
        CommandError::wrong(
            Diagnostic::error(format!("cannot write `{}`: {error}", dir.display())).hint(
                "`--dir` takes a directory that you can write to, such as ~/.local/share/man/man1",
            ),
        )
    };
    fs::create_dir_all(dir).map_err(unusable)?;
    let programs = programs();
    let count = programs.iter().flat_map(with_verbs).count();
    for program in programs {
        clap_mangen::generate_to(program, dir).map_err(unusable)?;
    }
    let count = text::count(count, "manual page");
    screen.remark(&format!("Wrote {count} to {}\n", dir.display()));
    Ok(())
}

/// The programs, as commands that know their full names. `help` has no page.
fn programs() -> [Command; 3] {
    [
        StartedProgram::Forkhestra.command(),
        forge_tasks_line::command(version::CURRENT),
        StartedProgram::RalphRunner.command(),
    ]
    .map(|command| {
        let mut command = command.disable_help_subcommand(true);
        command.build();
        command
    })
}

/// A command and all its verbs that are not hidden.
fn with_verbs(command: &Command) -> Vec<Command> {
    let verbs = command.get_subcommands().filter(|verb| !verb.is_hide_set());
    [command.clone()].into_iter().chain(verbs.flat_map(with_verbs)).collect()
}

fn name_of(command: &Command) -> &str {
    command.get_display_name().unwrap_or_else(|| command.get_name())
}
