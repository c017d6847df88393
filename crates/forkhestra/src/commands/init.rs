//! `forkhestra init`: sets up a project.

use std::io;

use forge_tasks::database::{DatabaseError, DatabaseWriter, ExistingConfig, InitSettings};
use forge_tasks::git::{AttributesFile, set_up_merging};
use forkhestra_core::config::Backend;
use forkhestra_core::diagnostic::Diagnostic;
use typeset::style::{GOOD, paint};

use crate::cli::args::forkhestra_cli::ProjectArgs;
use crate::cli::args::setup::InitProjectArgs;
use crate::cli::command_error::{CommandError, in_full};
use crate::cli::console_output::ConsoleOutput;
use crate::cli::exit_code;
use crate::init::{FileOutcome, FileWriteError, InitDirectory, ProjectFiles};
use crate::project::config_files;
use crate::project::project_location::ProjectLocation;
use crate::project::repository_state::RepositoryState;

/// Path of the task database's settings, relative to the project.
const TASKS: &str = "forge/tasks/config.json";

/// Writes the missing files and prints the next steps.
pub(crate) fn execute(
    args: &InitProjectArgs,
    screen: &mut ConsoleOutput,
) -> Result<u8, CommandError> {
    let project = ProjectLocation::find(&ProjectArgs { cwd: args.cwd.clone(), config: None })?;
    screen.report(&Vec::from_iter(hidden_config_warning(&project)));
    let files = ProjectFiles {
        directory: &project.working_directory,
        backend: args.backend.unwrap_or_default(),
        with_prompts: args.with_prompts,
        test_command: None,
    };
    let had_config = project.working_directory.join(files.config()).exists();
    let (config, specs) = (files.config(), files.specs());
    let place = project.environment.shortened(&project.working_directory.to_string_lossy());
    screen.print(&format!("Setting up {place}\n"))?;
    let say = &mut |name: &str, outcome| screen.print(&outcome_line(name, outcome));
    let warnings = set_up(&files, &project, say)?;
    screen.report(&warnings);
    if had_config {
        screen.report(&ignored_option_warnings(args, config));
    }
    screen.print(&next(specs.name(), files.backend, RepositoryState::of(&project)))?;
    Ok(exit_code::COMPLETE)
}

/// Warning if the new config file would hide one in a parent directory.
fn hidden_config_warning(project: &ProjectLocation) -> Option<Diagnostic> {
    let above = config_files::directory_above(&project.working_directory)?;
    let above = project.environment.shortened(&above.to_string_lossy());
    let warning =
        format!("a config file here hides the one of this repository, which is in {above}");
    Some(Diagnostic::warning(warning).hint(format!("to set that project up: --cwd {above}")))
}

/// Writes all missing files and reports the outcome of each through `say`. Returns warnings about
/// the merging of tasks.
pub(super) fn set_up(
    files: &ProjectFiles<'_>,
    project: &ProjectLocation,
    say: &mut dyn FnMut(&str, FileOutcome) -> io::Result<()>,
) -> Result<Vec<Diagnostic>, CommandError> {
    let mut printed = Ok(());
    let written = files.write(&mut |(name, outcome)| {
        printed = std::mem::replace(&mut printed, Ok(())).and_then(|()| say(&name, outcome));
    });
    printed?;
    written.map_err(write_error)?;
    say(TASKS, begin_tasks(project)?)?;
    let merging = set_up_merging(&project.working_directory.join("forge/tasks"));
    if let Some(attributes) = merging.attributes {
        say(".gitattributes", attributes_outcome(attributes))?;
    }
    Ok(merging.notes.into_iter().map(Diagnostic::warning).collect())
}

const fn attributes_outcome(attributes: AttributesFile) -> FileOutcome {
    match attributes {
        AttributesFile::Created => FileOutcome::Created,
        AttributesFile::Extended => FileOutcome::Extended,
        AttributesFile::Kept => FileOutcome::Kept,
    }
}

/// The printed line for the outcome of a file.
pub(super) fn outcome_line(name: &str, outcome: FileOutcome) -> String {
    match outcome {
        FileOutcome::Replaced => format!("  {} {name}\n", paint(GOOD, "replaced")),
        FileOutcome::Created => format!("  {}  {name}\n", paint(GOOD, "created")),
        FileOutcome::Extended => format!("  {} {name}\n", paint(GOOD, "extended")),
        FileOutcome::Kept => format!("  kept     {name}\n"),
    }
}

/// Creates the task database for this directory, unless one is found.
fn begin_tasks(project: &ProjectLocation) -> Result<FileOutcome, CommandError> {
    let failed = |error: &DatabaseError| {
        CommandError::wrong(Diagnostic::error(format!(
            "the task database cannot be set up: {}",
            in_full(error)
        )))
    };
    let path = project.working_directory.join("forge/tasks");
    if path.join("config.json").symlink_metadata().is_ok() {
        return Ok(FileOutcome::Kept);
    }
    InitDirectory::new(&project.working_directory)
        .require_inside("forge/tasks")
        .map_err(write_error)?;
    let mut writer = DatabaseWriter::open_leniently(&path).map_err(|error| failed(&error))?;
    match writer.init(&InitSettings::default(), ExistingConfig::No) {
        Ok(_) => Ok(FileOutcome::Created),
        Err(DatabaseError::ConfigExists { .. }) => Ok(FileOutcome::Kept),
        Err(error) => Err(failed(&error)),
    }
}

/// Warnings for options that only the config file can hold, if the config file already existed.
fn ignored_option_warnings(args: &InitProjectArgs, config: &str) -> Vec<Diagnostic> {
    let backend = args.backend.map(|backend| {
        let program = backend.program();
        Diagnostic::warning(format!("{config} was there, so it does not say `{program}`"))
            .hint(format!("add this to it: \"backend\": \"{program}\""))
    });
    let prompts = args.with_prompts.then(|| {
        Diagnostic::warning(format!("{config} was there, so it does not name the prompts"))
            .hint("for each agent whose prompt you change, add this to its `agents`:")
            .hint(r#""planner": { "systemPrompt": "forge/orch/prompts/planner.md" }"#)
    });
    backend.into_iter().chain(prompts).collect()
}

fn write_error(FileWriteError { path, source }: FileWriteError) -> CommandError {
    let error = Diagnostic::error(format!("cannot write {}: {source}", path.display()));
    CommandError::wrong(error.hint("what was written before stays; run `forkhestra init` again"))
}

fn next(specs: &str, backend: Backend, repository: RepositoryState) -> String {
    let title = backend.title();
    // Agents commit their work; files that are in git cannot be lost by what agents do.
    let git = repository
        .first_commit()
        .map(|commands| format!("  0. {commands}    agents commit their work on top of it\n"));
    let git = git.unwrap_or_default();
    format!(
        "\nNext:\n{git}\
         \x20 1. forkhestra plan \"what you want\"    asks a few questions, writes {specs}/PLAN.md,\n\
         \x20                                       and {title} creates tasks for it\n\
         \x20    (or write PLAN.md and SPECS.md yourself, and run: forkhestra --chain plan)\n\
         \x20 2. forge-tasks list                   shows the tasks\n\
         \x20 3. forkhestra --chain build           {title} builds them, one after another\n\
         \n\
         `forkhestra list` shows what else can be run, `forkhestra doctor` whether {title} is ready.\n"
    )
}
