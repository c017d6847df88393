//! From the arguments to the exit code: the one place that parses, runs, tells and exits.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;
use typeset::color::Color;

use crate::args::{Cli, Verb};
use crate::args_ralph::RalphCli;
use crate::error::CliError;
use crate::program::Program;
use crate::request::Form;
use crate::screen::Screen;
use crate::{commands, exit_code, usage};

/// Runs the `forkhestra` program with these arguments, the first of which is its name.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let run = |cli: Cli, screen: &mut Screen| cli.run_verb(screen);
    dispatch(Program::Forkhestra, arguments, Cli::color, run)
}

/// Runs the `ralph-runner` program with these arguments, the first of which is its name.
pub fn ralph_runner(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let color = |cli: &RalphCli| cli.work.output.color.color;
    dispatch(Program::RalphRunner, arguments, color, commands::ralph::execute)
}

fn dispatch<C: Parser>(
    program: Program,
    arguments: impl IntoIterator<Item = OsString>,
    color: impl FnOnce(&C) -> Color,
    run: impl FnOnce(C, &mut Screen) -> Result<u8, CliError>,
) -> ExitCode {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let cli = match C::try_parse_from(&arguments) {
        Ok(cli) => cli,
        Err(error) => return answer_parser(program, &error, &arguments),
    };
    let mut screen = Screen::new(color(&cli));
    let result = run(cli, &mut screen);
    finish(program, &mut screen, result)
}

impl Cli {
    fn color(&self) -> Color {
        match &self.verb {
            None => self.run.work.output.color.color,
            Some(Verb::Run(args)) => args.work.output.color.color,
            Some(Verb::Resume(args)) => args.output.color.color,
            Some(Verb::Logs(args)) => args.place.color.color,
            Some(Verb::List(args)) => args.color.color,
            Some(Verb::Runs(args)) => args.color(),
            Some(Verb::Show(args)) => args.place.color.color,
            Some(Verb::Schema(args)) => args.color.color,
            Some(Verb::Demo(args)) => args.color.color,
        }
    }

    fn run_verb(&self, screen: &mut Screen) -> Result<u8, CliError> {
        match &self.verb {
            None => commands::run::execute(&self.run, Form::Plain, screen),
            Some(Verb::Run(args)) => commands::run::execute(args, Form::Run, screen),
            Some(Verb::Resume(args)) => {
                commands::resume::execute(args, Program::Forkhestra, screen)
            }
            Some(Verb::Logs(args)) => commands::logs::execute(args),
            Some(Verb::List(args)) => commands::list::execute(args, screen),
            Some(Verb::Runs(args)) => commands::runs::execute(args, screen),
            Some(Verb::Show(args)) => commands::show::execute(args, screen),
            Some(Verb::Schema(args)) => commands::schema::execute(args, screen),
            Some(Verb::Demo(args)) => commands::demo::execute(args, screen),
        }
    }
}

fn finish(program: Program, screen: &mut Screen, result: Result<u8, CliError>) -> ExitCode {
    match result {
        Ok(code) => exit_code::of(code),
        Err(error) => {
            screen.tell(&error.diagnostics());
            exit_code::of(error.exit_code(program))
        }
    }
}

/// Help and version are data that was asked for; everything else is wrong use.
fn answer_parser(program: Program, error: &clap::Error, arguments: &[OsString]) -> ExitCode {
    let mut screen = Screen::new(Color::typed(arguments));
    let result = match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => screen
            .print(&error.render().ansi().to_string())
            .map(|()| exit_code::COMPLETE)
            .map_err(CliError::from),
        _ => Err(CliError::Wrong(usage::diagnostics(error, arguments, program))),
    };
    finish(program, &mut screen, result)
}
