//! `forkhestra runs rm`: removes the named runs.

use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::text;
use forkhestra_store::journal::recorded_run;
use forkhestra_store::{JournalLock, LockError, RemoveError};

use super::removal::{RemovalCandidate, removal_error, report_removals};
use crate::cli::args::runs::RunsRmArgs;
use crate::cli::byte_size::ByteSize;
use crate::cli::command_error::CommandError;
use crate::cli::console_output::ConsoleOutput;
use crate::cli::exit_code;
use crate::past_runs::repair;
use crate::past_runs::resume_command::resume_command;
use crate::past_runs::retention::RetentionStatus;
use crate::past_runs::run_finder::RunFinder;
use crate::project::project_location::ProjectLocation;

/// Removes all named runs, or none if one of them must be kept.
pub(super) fn execute(args: &RunsRmArgs, screen: &mut ConsoleOutput) -> Result<u8, CommandError> {
    let project = ProjectLocation::find(&args.place.project())?;
    let finder = RunFinder { project: &project, state_dir: args.place.state_dir.as_deref() };
    let mut seen = Vec::new();
    for run in finder.find_all_named(&args.runs)? {
        seen.push(RemovalCandidate::observe(run)?);
    }
    let refusals = seen.iter().map(|run| refusal(run, args.force, &project));
    let refusals: Vec<Diagnostic> = refusals.flatten().collect();
    if !refusals.is_empty() {
        return Err(refusals.into());
    }
    remove(&seen, &project, screen)?;
    Ok(exit_code::COMPLETE)
}

/// Why the run must not be removed, if it must not.
fn refusal(seen: &RemovalCandidate, force: bool, project: &ProjectLocation) -> Option<Diagnostic> {
    let id = seen.run.run();
    match seen.status {
        RetentionStatus::Over => None,
        RetentionStatus::Open | RetentionStatus::Unreadable if force => None,
        RetentionStatus::Running => {
            // If the owner cannot be read, the message omits it.
            let owner = JournalLock::owner_of(&seen.run).ok().flatten();
            let going_on = LockError::RunActive { run: id.clone(), owner };
            Some(removal_error(&RemoveError::Lock(going_on)))
        }
        RetentionStatus::Open | RetentionStatus::Unreadable => {
            let diagnostic = match recorded_run::read(&seen.run) {
                Ok(past) => {
                    let command = resume_command(&seen.run, &past.history.state.plan, project);
                    Diagnostic::error(format!("run {id} is unfinished ({})", seen.state()))
                        .hint(format!("to resume: {command}"))
                }
                Err(unusable) => {
                    let diagnostic = Diagnostic::error(format!("run {id} is {}", seen.state()));
                    repair::with_repair_hints(diagnostic, &unusable, &seen.run, project)
                }
            };
            Some(diagnostic.hint("`-f` removes it all the same"))
        }
    }
}

fn remove(
    seen: &[RemovalCandidate],
    project: &ProjectLocation,
    screen: &mut ConsoleOutput,
) -> Result<(), CommandError> {
    let (mut report, mut errors) = (String::new(), Vec::new());
    let (mut runs, mut bytes) = (0, 0);
    for run in seen {
        let size = run.size()?.total();
        match run.remove(project) {
            Ok(left) => {
                screen.report(&left);
                report.push_str(&format!("Removed {}: {}\n", run.shown(), ByteSize(size)));
                runs += 1;
                bytes += size;
            }
            Err(error) => errors.push(removal_error(&error)),
        }
    }
    if runs > 1 {
        let (runs, bytes) = (text::count(runs, "run"), ByteSize(bytes));
        report.push_str(&format!("{runs} removed, {bytes} given back\n"));
    }
    report_removals(&report, errors, screen)
}
