//! `forkhestra plan`: asks what to build, writes `PLAN.md` and runs the planner.

use std::io::{self, IsTerminal, Read};

use forkhestra_core::config::ConfigLayers;
use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::plan::{PlanRequest, RunTarget};
use forkhestra_engine::regular_file;

use super::init::{outcome_line, set_up};
use super::run::{self, PlanFileAction};
use crate::cli::args::forkhestra_cli::OutputFormat;
use crate::cli::args::plan::PlanArgs;
use crate::cli::command_error::CommandError;
use crate::cli::console_output::ConsoleOutput;
use crate::cli::exit_code;
use crate::cli::run_request;
use crate::init::{FileOutcome, InitDirectory, ProjectFiles, test_command};
use crate::project::config_files;
use crate::project::plan_document::PlanDocument;
use crate::project::project_location::ProjectLocation;
use crate::project::questionnaire::{Questionnaire, QuestionnaireError};
use crate::project::specs_directory::{PLAN, SpecState, SpecsDirectory};

/// The chain that creates the tasks.
const CHAIN: &str = "plan";

/// The idea argument that stands for standard input.
const FROM_STDIN: &str = "-";

/// How `PLAN.md` is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PlanFileMode {
    /// The file is replaced; it holds no user text, or replacing was requested.
    Whole,
    /// The plan is appended to the existing text.
    Below,
}

/// Collects the answers, writes `PLAN.md` and runs the planner.
pub(crate) fn execute(args: &PlanArgs, screen: &mut ConsoleOutput) -> Result<u8, CommandError> {
    let project = ProjectLocation::find_with_config(&args.work.project)?;
    let layers = config_files::load(&project)?.layers;
    screen.remark(&config_files::found_above(&project, &layers).unwrap_or_default());
    let specs = SpecsDirectory::find(&project.working_directory);
    let writing = writing(args, &specs, &project)?;
    let known = known(args, &project)?;
    let asks = is_interactive(args);
    if known.idea.trim().is_empty() && !asks {
        return Err(no_idea(args).into());
    }
    let request = PlanRequest {
        prompt: None,
        ..run_request::requested(RunTarget::Chain(CHAIN.to_owned()), &args.work, &project)
    };
    // The run is validated before any question is asked.
    if !args.no_run {
        run::check(&request, &args.work, &project)?;
    }
    let plan = if asks {
        match questions(known, &project) {
            Ok(plan) => plan,
            Err(QuestionnaireError::Aborted) => {
                screen.remark("\nNothing was written.\n");
                return Ok(exit_code::INCOMPLETE);
            }
            Err(why) => return Err(questionnaire_error(&why).into()),
        }
    } else {
        known
    };
    if args.work.dry_run {
        return show(&plan, writing, &specs, &request, args, &project, screen);
    }
    write(&plan, writing, &specs, args, &project, &layers, screen)?;
    let code = if args.no_run {
        exit_code::COMPLETE
    } else {
        run::carry_out(&request, &args.work, &project, PlanFileAction::Written, screen)?
    };
    if code == exit_code::COMPLETE && !args.work.attend.detach {
        print_notice(&next(args), args, screen);
    }
    Ok(code)
}

/// Decides whether and how `PLAN.md` may be written.
fn writing(
    args: &PlanArgs,
    specs: &SpecsDirectory,
    project: &ProjectLocation,
) -> Result<PlanFileMode, Diagnostic> {
    match specs.state(PLAN) {
        SpecState::Missing | SpecState::Blank | SpecState::Template => Ok(PlanFileMode::Whole),
        SpecState::Written if args.force => Ok(PlanFileMode::Whole),
        SpecState::Written if args.append => Ok(PlanFileMode::Below),
        SpecState::Written => {
            let file = project.shown(&specs.file(PLAN));
            Err(Diagnostic::error(format!("`{file}` has text of its own, which `plan` keeps"))
                .hint("--append adds the idea to it, --force replaces it")
                .hint("`forkhestra --chain plan` creates tasks for what it says"))
        }
    }
}

/// The answers given on the command line.
fn known(args: &PlanArgs, project: &ProjectLocation) -> Result<PlanDocument, Diagnostic> {
    let PlanArgs { answers, work, idea, .. } = args;
    let idea = match (&work.prompt.text, &work.prompt.file) {
        (Some(text), _) => text.clone(),
        (None, Some(file)) => read_idea(file, project)?,
        (None, None) if idea[..] == [FROM_STDIN] => read_stdin()?,
        (None, None) => idea.join(" "),
    };
    Ok(PlanDocument {
        idea,
        users: answers.users.clone(),
        done_when: answers.done_when.clone(),
        test_command: answers.test_command.clone(),
        constraints: answers.constraints.clone(),
        out_of_scope: answers.out_of_scope.clone(),
    })
}

fn read_idea(file: &str, project: &ProjectLocation) -> Result<String, Diagnostic> {
    regular_file::read_text(&project.typed_from().join(file)).map_err(|error| {
        if error.kind() == io::ErrorKind::NotFound {
            return Diagnostic::error(format!("Prompt file not found: {file}"))
                .hint("paths are relative to the working directory (`--cwd`)");
        }
        Diagnostic::error(format!("cannot read the prompt file `{file}`: {error}"))
    })
}

fn read_stdin() -> Result<String, Diagnostic> {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).map_err(|error| {
        Diagnostic::error(format!("cannot read the idea from standard input: {error}"))
    })?;
    Ok(text)
}

/// Whether to ask questions: the output is for people, a terminal is available, and the idea comes
/// neither from a prompt option nor from standard input.
fn is_interactive(args: &PlanArgs) -> bool {
    let is_given = args.work.prompt.text.is_some()
        || args.work.prompt.file.is_some()
        || args.idea[..] == [FROM_STDIN];
    // An empty idea argument is a mistake; it does not request questions.
    let is_empty = !args.idea.is_empty() && args.idea.iter().all(|word| word.trim().is_empty());
    let is_for_people = args.work.output.output == OutputFormat::Human;
    let has_terminal = io::stdin().is_terminal() && io::stderr().is_terminal();
    !is_given && !is_empty && is_for_people && has_terminal
}

fn questions(
    known: PlanDocument,
    project: &ProjectLocation,
) -> Result<PlanDocument, QuestionnaireError> {
    let usual = test_command(&project.working_directory);
    Questionnaire::new(&mut io::stdin().lock(), &mut io::stderr()).complete(known, usual)
}

fn no_idea(args: &PlanArgs) -> Diagnostic {
    let PlanArgs { idea, work, .. } = args;
    let is_given = !idea.is_empty() || work.prompt.text.is_some() || work.prompt.file.is_some();
    let error = if is_given {
        Diagnostic::error("the idea is empty")
    } else {
        Diagnostic::error("no idea is given, and there is no terminal to ask at")
    };
    error.hint("forkhestra plan \"what you want to build\"")
}

fn questionnaire_error(why: &QuestionnaireError) -> Diagnostic {
    let error = match why {
        QuestionnaireError::Aborted => Diagnostic::error("the questions were not answered"),
        QuestionnaireError::NotText => Diagnostic::error("the answer is not UTF-8 text"),
        QuestionnaireError::Failed(error) => {
            Diagnostic::error(format!("the terminal cannot be used: {error}"))
        }
    };
    error.hint("nothing was written; `forkhestra plan --help` lists the options for all answers")
}

/// Shows what would be written and run (`--dry-run`).
fn show(
    plan: &PlanDocument,
    writing: PlanFileMode,
    specs: &SpecsDirectory,
    request: &PlanRequest,
    args: &PlanArgs,
    project: &ProjectLocation,
    screen: &mut ConsoleOutput,
) -> Result<u8, CommandError> {
    let file = project.shown(&specs.file(PLAN));
    let (verb, text) = match writing {
        PlanFileMode::Whole => ("write", plan.file()),
        PlanFileMode::Below => ("add to", plan.addition()),
    };
    let indented: String = text
        .lines()
        .map(|line| if line.is_empty() { "\n".to_owned() } else { format!("  {line}\n") })
        .collect();
    let text = format!("Would {verb} {file}:\n\n{}\n", indented.trim_start_matches('\n'));
    match args.work.output.output {
        OutputFormat::Human => screen.print(&text)?,
        OutputFormat::Json => screen.remark(&text),
    }
    if args.no_run {
        return Ok(exit_code::COMPLETE);
    }
    run::carry_out(request, &args.work, project, PlanFileAction::WillBeWritten, screen)
}

/// Writes `PLAN.md`. If the project has no config file, also writes the files of `init`.
fn write(
    plan: &PlanDocument,
    writing: PlanFileMode,
    specs: &SpecsDirectory,
    args: &PlanArgs,
    project: &ProjectLocation,
    layers: &ConfigLayers,
    screen: &mut ConsoleOutput,
) -> Result<(), CommandError> {
    let directory = &project.working_directory;
    let target = InitDirectory::new(directory);
    let name = specs.file(PLAN);
    let files = ProjectFiles {
        directory,
        backend: args.work.backend.or(layers.backend()).unwrap_or_default(),
        with_prompts: false,
        test_command: plan.test_command.clone(),
    };
    let is_set_up = project.config.is_some() || directory.join(files.config()).exists();
    let outcome = match writing {
        PlanFileMode::Whole => target.replace(&name, &plan.file()),
        PlanFileMode::Below => target.append(&name, &plan.addition()),
    };
    let outcome = outcome.map_err(|error| {
        let diagnostic =
            Diagnostic::error(format!("cannot write {}: {}", error.path.display(), error.source));
        CommandError::wrong(diagnostic.hint("nothing was written"))
    })?;
    if !is_set_up {
        let shown = project.environment.shortened(&directory.to_string_lossy());
        print_notice(&format!("Setting up {shown}, as `forkhestra init` does\n"), args, screen);
    }
    print_notice(&outcome_line(&project.shown(&name), outcome), args, screen);
    if is_set_up {
        return Ok(());
    }
    let warnings = set_up(&files, project, &mut |file, outcome| {
        if outcome != FileOutcome::Kept {
            print_notice(&outcome_line(&project.shown(file), outcome), args, screen);
        }
        Ok(())
    })?;
    screen.report(&warnings);
    Ok(())
}

/// Prints to standard error: standard output carries the id of a detached run, or events.
fn print_notice(text: &str, args: &PlanArgs, screen: &mut ConsoleOutput) {
    if !args.work.output.quiet {
        screen.remark(text);
    }
}

fn next(args: &PlanArgs) -> String {
    if args.no_run {
        return "\nNext:\n  forkhestra --chain plan     create the tasks\n".to_owned();
    }
    "\nNext:\n\
     \x20 forge-tasks list            see the tasks\n\
     \x20 forkhestra --chain build    build them, one after another\n"
        .to_owned()
}
