//! `forkhestra runs rm`: removes the runs that were named.

use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::words;
use forkhestra_store::{JournalLock, LockError, RemoveError, history};

use super::removing::{RemovalCandidate, not_removed, report_removals};
use crate::args_runs::RunsRmArgs;
use crate::byte_size::ByteSize;
use crate::error::CommandError;
use crate::find_run::RunFinder;
use crate::project::ProjectLocation;
use crate::resume_command::resume_command;
use crate::retention::RetentionStatus;
use crate::screen::ConsoleOutput;
use crate::{exit_code, repair};

/// Removes runs: all of them, or none if one must not be.
pub(super) fn execute(args: &RunsRmArgs, screen: &mut ConsoleOutput) -> Result<u8, CommandError> {
    let project = ProjectLocation::find(&args.place.project())?;
    let places = RunFinder { project: &project, state_dir: args.place.state_dir.as_deref() };
    let mut seen = Vec::new();
    for run in places.find_all_named(&args.runs)? {
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

/// Why a run must not be removed, if it must not.
fn refusal(seen: &RemovalCandidate, force: bool, project: &ProjectLocation) -> Option<Diagnostic> {
    let id = seen.run.run();
    match seen.standing {
        RetentionStatus::Over => None,
        RetentionStatus::Open | RetentionStatus::Unreadable if force => None,
        RetentionStatus::Running => {
            // A name that cannot be read is only missing in a message.
            let owner = JournalLock::owner_of(&seen.run).ok().flatten();
            let going_on = LockError::GoingOn { run: id.clone(), owner };
            Some(not_removed(&RemoveError::Lock(going_on)))
        }
        RetentionStatus::Open | RetentionStatus::Unreadable => {
            let told = match history::read(&seen.run) {
                Ok(past) => {
                    let command = resume_command(&seen.run, &past.history.state.plan, project);
                    Diagnostic::error(format!("run {id} is unfinished ({})", seen.state()))
                        .hint(format!("to resume: {command}"))
                }
                Err(unusable) => {
                    let told = Diagnostic::error(format!("run {id} is {}", seen.state()));
                    repair::advised(told, &unusable, &seen.run, project)
                }
            };
            Some(told.hint("`-f` removes it all the same"))
        }
    }
}

fn remove(
    seen: &[RemovalCandidate],
    project: &ProjectLocation,
    screen: &mut ConsoleOutput,
) -> Result<(), CommandError> {
    let (mut said, mut errors) = (String::new(), Vec::new());
    let (mut runs, mut bytes) = (0, 0);
    for run in seen {
        let size = run.size()?.total();
        match run.remove(project) {
            Ok(left) => {
                screen.report(left.as_slice());
                said.push_str(&format!("Removed {}: {}\n", run.shown(), ByteSize(size)));
                runs += 1;
                bytes += size;
            }
            Err(error) => errors.push(not_removed(&error)),
        }
    }
    if runs > 1 {
        let (runs, bytes) = (words::count(runs, "run"), ByteSize(bytes));
        said.push_str(&format!("{runs} removed, {bytes} given back\n"));
    }
    report_removals(&said, errors, screen)
}
