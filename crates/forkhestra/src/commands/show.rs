//! `forkhestra show`: everything about one run.

use forkhestra_core::history::Liveness;
use forkhestra_engine::now;
use forkhestra_store::history::{self, RecordedRun};
use forkhestra_store::{JournalLock, RunDir};

use crate::args_runs::ShowArgs;
use crate::error::CommandError;
use crate::find_run::{self, RunFinder};
use crate::project::ProjectLocation;
use crate::report::show::{self, ShowDetail, ShownRunFacts};
use crate::resume_command;
use crate::screen::ConsoleOutput;
use crate::{exit_code, recorded, repair};

/// Shows a run.
pub(crate) fn execute(args: &ShowArgs, screen: &mut ConsoleOutput) -> Result<u8, CommandError> {
    let project = ProjectLocation::find(&args.place.project())?;
    let places = RunFinder { project: &project, state_dir: args.place.state_dir.as_deref() };
    let (run, past) = match &args.run {
        Some(name) => {
            let run = places.find_named(name)?;
            let past =
                history::read(&run).map_err(|error| repair::refused(&error, &run, &project))?;
            (run, past)
        }
        None => last(&places)?,
    };
    let liveness = match past.history.state.end {
        Some(_) => Liveness::Gone,
        None => history::liveness(&run),
    };
    let owner = match liveness {
        Liveness::Alive => JournalLock::owner_of(&run)?,
        Liveness::Gone => None,
    };
    // Of one that is going on, the last line may be just being written.
    if liveness == Liveness::Gone {
        screen.report(&recorded::journal_warnings(&past.recorded));
    }
    let now = now().wall;
    let resume_command = resume_command::raising(&run, &past.history.state, &project, now);
    let columns = screen.columns();
    let subject =
        ShownRunFacts { run: &run, past: &past, liveness, owner, resume_command, now, columns };
    if args.json {
        screen.print_data(&show::json(&subject, args.why))?;
    } else if args.why {
        screen.print(&show::why(&subject))?;
    } else if args.all {
        screen.print(&show::render(&subject, ShowDetail::All))?;
    } else if args.verbose {
        screen.print(&show::render(&subject, ShowDetail::Last))?;
    } else {
        screen.print(&show::page(&subject))?;
    }
    Ok(exit_code::COMPLETE)
}

/// The last run of this work tree of which anything was recorded.
fn last(places: &RunFinder<'_>) -> Result<(RunDir, RecordedRun), CommandError> {
    for run in places.here_to_the_moment()? {
        match history::read(&run) {
            Ok(past) => return Ok((run, past)),
            Err(error) if error.is_empty_run() => {}
            Err(error) => return Err(repair::refused(&error, &run, places.project)),
        }
    }
    Err(find_run::no_runs_here())
}
