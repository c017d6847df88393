//! `forkhestra demo`: plays a recorded run of a planner and a builder in a small project. No
//! account is needed.

use std::io;
use std::path::Path;

use clap::Parser;
use forkhestra_core::diagnostic::Diagnostic;

use crate::cli::args::forkhestra_cli::{DemoArgs, ForkhestraCli};
use crate::cli::command_error::CommandError;
use crate::cli::console_output::ConsoleOutput;
use crate::cli::exit_code;
use crate::cli::run_request::RunForm;
use crate::commands::run;
use crate::demo::{DemoProject, TESTS};
use crate::project::project_location::ProjectLocation;
use crate::report::text::shell_word::shell_word;

/// The hook of the demo: tags the repository when the run is complete.
const HOOK: &str = "on-complete:git tag -a v0.1.0 -m 'Built, and verified'";

/// Creates a project, runs the built-in chain in it and prints the result. The project is removed
/// afterwards, unless `--keep` is given or the run is not complete.
pub(crate) fn execute(args: &DemoArgs, screen: &mut ConsoleOutput) -> Result<u8, CommandError> {
    let mut project =
        DemoProject::create().map_err(|error| cannot("set the demo's project up", &error))?;
    let arguments = arguments(args, &project);
    screen.print(&introduction(&project, args))?;
    let mut cli =
        ForkhestraCli::try_parse_from(&arguments).expect("the demo's own command line is right");
    cli.run.work.output.color.color = args.color.color;
    cli.run.work.output.is_temporary = !args.keep;
    let code = run::execute_in(&cli.run, RunForm::Plain, &demo_location(&cli)?, screen)?;
    let is_kept = args.keep || code != exit_code::COMPLETE;
    if is_kept {
        project.keep();
    }
    screen.print(&result(&project, code)?)?;
    screen.print(&closing_text(&project, is_kept))?;
    Ok(code)
}

/// Finds the project without inherited `GIT_*` variables, which git sets for its hooks. With them
/// the demo could change another repository.
fn demo_location(cli: &ForkhestraCli) -> Result<ProjectLocation, CommandError> {
    let mut project = ProjectLocation::find(&cli.run.work.project)?;
    let inherited = &mut project.environment.inherited;
    inherited.retain(|(name, _)| !name.to_string_lossy().starts_with("GIT_"));
    Ok(project)
}

/// The command line of the demo's run; a user could type the same.
fn arguments(args: &DemoArgs, project: &DemoProject) -> Vec<String> {
    let path = |path: &Path| path.to_string_lossy().into_owned();
    let mut arguments = ["forkhestra", "--chain", "build-all"].map(str::to_owned).to_vec();
    arguments.extend(["--check".to_owned(), check(), "--hook".to_owned(), HOOK.to_owned()]);
    arguments.extend(["--cwd".to_owned(), path(&project.directory())]);
    arguments.extend(["--state-dir".to_owned(), path(&project.state())]);
    match &args.record {
        Some(directory) => arguments.extend(["--record".to_owned(), path(directory)]),
        None => {
            arguments.extend(["--replay".to_owned(), path(&project.recording())]);
            arguments.extend(["--speed".to_owned(), args.speed.to_string()]);
        }
    }
    arguments
}

/// The check that must pass before the builder's step is complete.
fn check() -> String {
    format!("builder:command:\"{TESTS}\"")
}

fn introduction(project: &DemoProject, args: &DemoArgs) -> String {
    let agents = match args.record {
        Some(_) => "The agents are recorded.",
        None => {
            "What they say and do is played back from\n\
             a recording, so nothing is paid. Everything else is real: git, the journal,\n\
             the checks and the tests."
        }
    };
    format!(
        "Two agents build a small program: a planner turns its specification into tasks,\n\
         and a builder works through them. {agents}\n\
         \n\
         \x20 project  {}\n\
         \x20 command  forkhestra --chain build-all --check {} \\\n\
         \x20            --hook {}\n\
         \n",
        project.directory().display(),
        shell_word(&check()),
        shell_word(HOOK),
    )
}

/// The commits and the test result of the finished project.
fn result(project: &DemoProject, code: u8) -> Result<String, CommandError> {
    let log = project.log().map_err(|error| cannot("read the demo's history", &error))?;
    let tests = project.test().map_err(|error| cannot("test the demo's project", &error))?;
    let passed = tests.lines().last().unwrap_or_default();
    let tagged = if code == exit_code::COMPLETE { ", and tagged by the hook" } else { "" };
    Ok(format!("\nWhat was committed ({passed}){tagged}:\n{}", indented(&log)))
}

fn closing_text(project: &DemoProject, is_kept: bool) -> String {
    if !is_kept {
        return "\n\
            The project and its logs are removed now. To try next:\n\
            \x20 forkhestra demo --keep          keep them, and look at the run with `forkhestra watch`\n\
            \x20 forkhestra demo --speed 0.3     play it more slowly, or without pauses with `max`\n\
            \x20 forkhestra plan \"your idea\"     start a project of your own\n"
            .to_owned();
    }
    format!(
        "\n\
         Everything is kept in {}. To try next:\n\
         \x20 cd {}\n\
         \x20 forkhestra watch --all --state-dir ../state   the run on a full screen\n\
         \x20 forkhestra show --state-dir ../state          what happened, and why\n\
         \x20 forge-tasks list                              the tasks that the planner created\n\
         \x20 git log --stat                                the commits of both agents\n",
        project.temporary_directory().display(),
        project.directory().display(),
    )
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}\n")).collect()
}

fn cannot(what: &str, error: &io::Error) -> CommandError {
    CommandError::wrong(
        Diagnostic::error(format!("cannot {what}: {error}"))
            .hint("the demo needs git, a shell, and a place for temporary files (`TMPDIR`)"),
    )
}
