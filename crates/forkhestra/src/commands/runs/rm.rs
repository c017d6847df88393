//! `forkhestra runs rm`: removes the runs that were named.

use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::words;
use forkhestra_store::{JournalLock, LockError, RemoveError, history};

use super::removing::{Seen, not_removed, tell};
use crate::args_runs::RunsRmArgs;
use crate::byte_size::ByteSize;
use crate::error::CliError;
use crate::find_run::Places;
use crate::project::Project;
use crate::resume_command::resume_command;
use crate::retention::Standing;
use crate::screen::Screen;
use crate::{exit_code, repair};

/// Removes runs: all of them, or none if one must not be.
pub(super) fn execute(args: &RunsRmArgs, screen: &mut Screen) -> Result<u8, CliError> {
    let project = Project::find(&args.place.project())?;
    let places = Places { project: &project, state_dir: args.place.state_dir.as_deref() };
    let mut seen = Vec::new();
    for run in places.all_named(&args.runs)? {
        seen.push(Seen::look(run)?);
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
fn refusal(seen: &Seen, force: bool, project: &Project) -> Option<Diagnostic> {
    let id = seen.run.run();
    match seen.standing {
        Standing::Over => None,
        Standing::Open | Standing::Unreadable if force => None,
        Standing::GoingOn => {
            // A name that cannot be read is only missing in a message.
            let owner = JournalLock::owner_of(&seen.run).ok().flatten();
            let going_on = LockError::GoingOn { run: id.clone(), owner };
            Some(not_removed(&RemoveError::Lock(going_on)))
        }
        Standing::Open | Standing::Unreadable => {
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

fn remove(seen: &[Seen], project: &Project, screen: &mut Screen) -> Result<(), CliError> {
    let (mut said, mut errors) = (String::new(), Vec::new());
    let (mut runs, mut bytes) = (0, 0);
    for run in seen {
        let size = run.size()?.total();
        match run.remove(project) {
            Ok(left) => {
                screen.tell(left.as_slice());
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
    tell(&said, errors, screen)
}
