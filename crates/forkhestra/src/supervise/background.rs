//! Detached runs.
//!
//! The process forks after the plan is made and before any lock is taken, so that the locks name
//! the right process. The foreground process waits until the run has recorded something. A run that
//! is refused before that has the usual message and exit code, and the output of a run that ends
//! before that is shown.

use std::ffi::OsStr;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::event::ProcessEnd;
use forkhestra_engine::process::{BackgroundProcess, BackgroundReport, DetachedSide, detach};
use forkhestra_store::RunDir;
use rustix::fs::OFlags;
use serde_json::json;

use crate::cli::args::forkhestra_cli::{OutputArgs, OutputFormat};
use crate::cli::args::steer::UnattendedArgs;
use crate::cli::command_error::CommandError;
use crate::cli::console_output::ConsoleOutput;
use crate::cli::exit_code;
use crate::past_runs::resume_command::{option, state_root};
use crate::past_runs::state_home;
use crate::project::project_location::ProjectLocation;

/// Number of notes that the background process sends: one when its streams are redirected to a
/// file, one when the run is recorded.
const START_NOTES: usize = 2;

/// Runs `work` in this process, or in the background with `--detach`. Then this function returns in
/// both processes; the foreground process prints how to reach the run.
pub(crate) fn run_here_or_detached(
    attend: &UnattendedArgs,
    output: &OutputArgs,
    project: &ProjectLocation,
    screen: &mut ConsoleOutput,
    work: impl FnOnce(Option<BackgroundProcess>, &mut ConsoleOutput) -> Result<u8, CommandError>,
) -> Result<u8, CommandError> {
    if !attend.detach {
        return work(None, screen);
    }
    match detach().map_err(|error| impossible(&error))? {
        DetachedSide::Background(background) => work(Some(background), screen),
        DetachedSide::Foreground(foreground) => {
            let report = foreground.wait(START_NOTES).map_err(|error| impossible(&error))?;
            report_start(report, output, project, screen)
        }
    }
}

fn impossible(error: &io::Error) -> CommandError {
    CommandError::wrong(Diagnostic::error(format!(
        "no run can be started in the background: {error}"
    )))
}

/// Redirects standard output and standard error to the run's console file. Existing content is
/// kept.
pub(super) fn redirect_output(
    background: &BackgroundProcess,
    run: &RunDir,
) -> Result<(), CommandError> {
    let path = run.console();
    let unusable = |error: io::Error| {
        CommandError::wrong(Diagnostic::error(format!("cannot write {}: {error}", path.display())))
    };
    let without_links = OFlags::NOFOLLOW.bits().cast_signed();
    let console = OpenOptions::new()
        .append(true)
        .create(true)
        .mode(0o600)
        .custom_flags(without_links)
        .open(&path);
    let console = console.map_err(unusable)?;
    let length = console.metadata().map_err(unusable)?.len();
    let directory = run.path().as_os_str().as_bytes();
    background.note(&[format!("{length} ").as_bytes(), directory].concat());
    background.print_to(console.as_fd()).map_err(|error| impossible(&error))
}

/// Notifies the foreground process that the run is recorded.
pub(super) fn report_started(background: &BackgroundProcess) {
    background.note(b"");
}

/// The offset of this process's output in the console file, and the run directory.
struct BackgroundStart {
    begin: usize,
    run: RunDir,
}

impl BackgroundStart {
    fn read(note: &[u8]) -> Option<Self> {
        let space = note.iter().position(|byte| *byte == b' ')?;
        let begin = std::str::from_utf8(&note[..space]).ok()?.parse().ok()?;
        let run = RunDir::at(Path::new(OsStr::from_bytes(&note[space + 1..]))).ok()?;
        Some(Self { begin, run })
    }
}

/// Reports to the user how the background process started.
fn report_start(
    report: BackgroundReport,
    output: &OutputArgs,
    project: &ProjectLocation,
    screen: &mut ConsoleOutput,
) -> Result<u8, CommandError> {
    let settled = report.notes.first().and_then(|note| BackgroundStart::read(note));
    match (report.end, settled) {
        (None, Some(BackgroundStart { run, .. })) => {
            let printed = print(&run, output, screen);
            if output.output == OutputFormat::Human && !output.quiet {
                screen.remark(&follow_commands(&run, project));
            }
            printed.map(|()| exit_code::COMPLETE)
        }
        (None, None) => Err(impossible(&io::Error::other("its directory is gone"))),
        (Some(end), settled) => {
            settled.iter().for_each(print_console);
            Ok(code_of(&end, project, screen))
        }
    }
}

fn print(
    run: &RunDir,
    output: &OutputArgs,
    screen: &mut ConsoleOutput,
) -> Result<(), CommandError> {
    let text = match output.output {
        OutputFormat::Human => run.run().to_string(),
        OutputFormat::Json => {
            let (id, path) =
                (json!(run.run().as_str()), |path: &Path| json!(path.to_string_lossy()));
            let (directory, journal) = (path(run.path()), path(&run.journal()));
            format!(r#"{{"run":{id},"directory":{directory},"journal":{journal}}}"#)
        }
    };
    Ok(screen.print_data(&format!("{text}\n"))?)
}

/// Commands to follow a detached run, with the options needed to find it.
fn follow_commands(run: &RunDir, project: &ProjectLocation) -> String {
    let (id, tree) = (run.run(), run.work_tree());
    let root = state_root(tree.path());
    let place = match state_home::is_usual(project, root) {
        true => String::new(),
        false => option("--state-dir", root),
    };
    let prefix = project.program.prefix();
    format!(
        "{prefix} Run {id} continues in the background\n\
         \x20 forkhestra watch {id}{place}      see what it does, and steer it\n\
         \x20 forkhestra logs -f {id}{place}    follow what its agents print\n\
         \x20 forkhestra stop {id}{place}       end it after the iteration at work\n"
    )
}

/// Prints the console output of a run that ended before it was recorded.
fn print_console(settled: &BackgroundStart) {
    let console = fs::read(settled.run.console()).unwrap_or_default();
    // If standard error is closed, the output is dropped; the exit code still reports the result.
    let _ = io::stderr().write_all(console.get(settled.begin..).unwrap_or_default());
}

/// The exit code for a background process that ended early.
fn code_of(end: &ProcessEnd, project: &ProjectLocation, screen: &mut ConsoleOutput) -> u8 {
    let error = exit_code::error(project.program);
    match end {
        // The process has already reported the reason.
        ProcessEnd::Exited(code) => u8::try_from(*code).unwrap_or(error),
        ProcessEnd::Signaled(signal) => {
            let message = format!("the run was ended by signal {signal} before it had begun");
            screen.report(&[Diagnostic::error(message)]);
            exit_code::of_signal(project.program, *signal)
        }
        ProcessEnd::NotStarted { .. } => error,
    }
}
