//! Entry points of the programs: parse the arguments, run the command, report errors, exit.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{Arg, Command, CommandFactory, Parser};
use forge_tasks::cli::{self, CliInputs};
use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_engine::process::{KEEPER_VERB, keep};
use forkhestra_engine::sandbox::{ENTRY_VERB, enter};
use typeset::color_mode::ColorMode;

use crate::cli::args::forkhestra_cli::ForkhestraCli;
use crate::cli::args::ralph::RalphCli;
use crate::cli::command_error::CommandError;
use crate::cli::console_output::ConsoleOutput;
use crate::cli::run_request::RunForm;
use crate::cli::started_program::StartedProgram;
use crate::cli::{exit_code, short_help, usage, verbs, version};
use crate::past_runs::leases::KnownRuns;
use crate::{commands, completion};

/// The program name by which agents call the task database.
pub(crate) const FORGE_TASKS: &str = "forge-tasks";

const PLAY: &str = "play-recording";

/// Runs the `forkhestra` program. The first argument is the program's name; if that is
/// `forge-tasks`, the task database runs instead.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments = match dispatch_by_program_name(arguments) {
        Ok(arguments) => arguments,
        Err(code) => return code,
    };
    if completion::answer(&arguments, completion::forkhestra) {
        return ExitCode::SUCCESS;
    }
    let run = |cli: ForkhestraCli, screen: &mut ConsoleOutput| match cli.verb {
        Some(verb) => verb.run(screen),
        None => commands::run::execute(&cli.run, RunForm::Plain, screen),
    };
    dispatch(StartedProgram::Forkhestra, &verb_first(arguments), run)
}

/// Runs the `ralph-runner` program. The first argument is the program's name; if that is
/// `forge-tasks`, the task database runs instead.
pub fn ralph_runner(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments = match dispatch_by_program_name(arguments) {
        Ok(arguments) => arguments,
        Err(code) => return code,
    };
    // `ralph-runner` starts itself with this verb to play a recording; it has no other verbs.
    if arguments.get(1).is_some_and(|word| word == PLAY) {
        return main(arguments);
    }
    if completion::answer(&arguments, RalphCli::command) {
        return ExitCode::SUCCESS;
    }
    dispatch(StartedProgram::RalphRunner, &arguments, commands::ralph::execute)
}

/// Runs the `forge-tasks` program. The first argument is the program's name.
pub fn forge_tasks(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    if completion::answer(&arguments, completion::forge_tasks) {
        return ExitCode::SUCCESS;
    }
    let runs = KnownRuns::default();
    cli::main(arguments, &CliInputs::real(&runs, version::CURRENT))
}

/// Becomes the agent of a strict sandbox. Returns only if that fails.
fn enter_sandbox(arguments: &[OsString]) -> ExitCode {
    let error = enter(arguments);
    let mut screen = ConsoleOutput::new(ColorMode::Never);
    screen.report(&[Diagnostic::error(format!("the sandbox cannot be entered: {error}"))]);
    exit_code::of(exit_code::INCOMPLETE)
}

/// Keeps the processes of a lane together. Returns when none is left.
fn keep_lane(words: &[OsString]) -> ExitCode {
    match keep(words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let mut screen = ConsoleOutput::new(ColorMode::Never);
            let message = format!("the processes of a lane cannot be kept together: {error}");
            screen.report(&[Diagnostic::error(message)]);
            exit_code::of(exit_code::INCOMPLETE)
        }
    }
}

/// Returns the arguments, or the exit code of `forge-tasks` if the program was called by that name.
fn dispatch_by_program_name(
    arguments: impl IntoIterator<Item = OsString>,
) -> Result<Vec<OsString>, ExitCode> {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    if arguments.get(1).is_some_and(|word| word == ENTRY_VERB) {
        return Err(enter_sandbox(&arguments[2..]));
    }
    if arguments.get(1).is_some_and(|word| word == KEEPER_VERB) {
        return Err(keep_lane(&arguments[2..]));
    }
    let name = arguments.first().and_then(|name| Path::new(name).file_name());
    if name.is_some_and(|name| name == FORGE_TASKS) {
        Err(forge_tasks(arguments))
    } else {
        Ok(arguments)
    }
}

/// Moves the verb in front of the options, wherever it was typed. A verb has options of its own,
/// which differ from those of a run.
fn verb_first(arguments: Vec<OsString>) -> Vec<OsString> {
    let typed = || arguments.iter().skip(1).take_while(|word| *word != "--");
    let is_option = |word: &OsString| word.as_encoded_bytes().starts_with(b"-");
    let asks_for_help = |word: &OsString| word == "-h" || word == "--help";
    let may_be_misplaced = typed().next().is_some_and(is_option)
        && !typed().any(asks_for_help)
        && typed().any(|word| verbs::is_verb(word));
    if !may_be_misplaced {
        return arguments;
    }
    let moved = |place: usize| {
        let mut moved = arguments.clone();
        let verb = moved.remove(place);
        moved.insert(1, verb);
        moved
    };
    let command = ForkhestraCli::command();
    let is_value = |place: usize| {
        let verb = arguments[place].to_str().and_then(|verb| command.find_subcommand(verb));
        let option = &arguments[place - 1];
        [Some(&command), verb].into_iter().flatten().any(|command| takes_value(command, option))
    };
    let verbs: Vec<usize> = (1..=typed().count())
        .filter(|place| verbs::is_verb(&arguments[*place]) && !is_value(*place))
        .collect();
    let moved = match ForkhestraCli::try_parse_from(&arguments) {
        Ok(ForkhestraCli { verb: Some(_), .. }) => None,
        Ok(ForkhestraCli { verb: None, run }) => {
            let first = run.words.first().map(OsString::from).filter(|_| run.chain.is_none());
            let verb = first.filter(|word| verbs::is_verb(word));
            let place =
                verb.and_then(|verb| verbs.into_iter().find(|place| arguments[*place] == verb));
            place.map(moved)
        }
        // The option may be known to the verb only.
        Err(_) => {
            verbs.into_iter().map(moved).find(|moved| ForkhestraCli::try_parse_from(moved).is_ok())
        }
    };
    moved.unwrap_or(arguments)
}

/// Whether `word` is an option of this command that takes the next word as its value.
fn takes_value(command: &Command, word: &OsStr) -> bool {
    let Some(word) = word.to_str() else { return false };
    let takes = |arg: &Arg| arg.get_action().takes_values() && !arg.is_require_equals_set();
    if let Some(name) = word.strip_prefix("--") {
        let has_name = |arg: &&Arg| {
            arg.get_long_and_visible_aliases().is_some_and(|names| names.contains(&name))
        };
        return command.get_arguments().find(has_name).is_some_and(takes);
    }
    // In `-xVALUE` the value follows the letter directly. Only the last letter takes the next word.
    let Some(letters) = word.strip_prefix('-') else { return false };
    let has_value = |letter: char| {
        command.get_arguments().any(|arg| arg.get_short() == Some(letter) && takes(arg))
    };
    letters.find(has_value).is_some_and(|place| letters[place..].chars().count() == 1)
}

fn dispatch<C: Parser>(
    program: StartedProgram,
    arguments: &[OsString],
    run: impl FnOnce(C, &mut ConsoleOutput) -> Result<u8, CommandError>,
) -> ExitCode {
    let cli = match C::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => return answer_parser(program, &error, arguments),
    };
    let mut screen = ConsoleOutput::new(ColorMode::from_arguments(arguments));
    let result = run(cli, &mut screen);
    finish(program, &mut screen, result)
}

fn finish(
    program: StartedProgram,
    screen: &mut ConsoleOutput,
    result: Result<u8, CommandError>,
) -> ExitCode {
    match result {
        Ok(code) => exit_code::of(code),
        Err(error) => {
            screen.report(&error.diagnostics());
            exit_code::of(error.exit_code(program))
        }
    }
}

/// Help and version are printed as data; every other parser error is a usage error.
fn answer_parser(program: StartedProgram, error: &clap::Error, arguments: &[OsString]) -> ExitCode {
    let mut screen = ConsoleOutput::new(ColorMode::from_arguments(arguments));
    let result = match error.kind() {
        ErrorKind::DisplayHelp if short_help::is_wanted(error, program, arguments) => screen
            .print(&short_help::painted(program))
            .map(|()| exit_code::COMPLETE)
            .map_err(CommandError::from),
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => screen
            .print(&error.render().ansi().to_string())
            .map(|()| exit_code::COMPLETE)
            .map_err(CommandError::from),
        _ => Err(CommandError::Wrong(usage::diagnostics(error, arguments, program))),
    };
    finish(program, &mut screen, result)
}
