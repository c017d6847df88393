//! `forkhestra show`: everything about one run.

use forkhestra_core::history::Liveness;
use forkhestra_engine::now;
use forkhestra_store::history::{self, Past};
use forkhestra_store::{JournalLock, RunDir};

use crate::args_runs::ShowArgs;
use crate::error::CliError;
use crate::find_run::{self, Places};
use crate::project::Project;
use crate::report::show::{self, Extent, Subject};
use crate::resume_command;
use crate::screen::Screen;
use crate::{exit_code, recorded, repair};

/// Shows a run.
pub(crate) fn execute(args: &ShowArgs, screen: &mut Screen) -> Result<u8, CliError> {
    let project = Project::find(&args.place.project())?;
    let places = Places { project: &project, state_dir: args.place.state_dir.as_deref() };
    let (run, past) = match &args.run {
        Some(name) => {
            let run = places.named(name)?;
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
        screen.tell(&recorded::doubts(&past.recorded));
    }
    let now = now().wall;
    let resume_command = resume_command::raising(&run, &past.history.state, &project, now);
    let columns = screen.columns();
    let subject = Subject { run: &run, past: &past, liveness, owner, resume_command, now, columns };
    if args.json {
        screen.print_data(&show::json(&subject, args.why))?;
    } else if args.why {
        screen.print(&show::why(&subject))?;
    } else if args.all {
        screen.print(&show::render(&subject, Extent::All))?;
    } else if args.verbose {
        screen.print(&show::render(&subject, Extent::Last))?;
    } else {
        screen.print(&show::page(&subject))?;
    }
    Ok(exit_code::COMPLETE)
}

/// The last run of this work tree of which anything was recorded.
fn last(places: &Places<'_>) -> Result<(RunDir, Past), CliError> {
    for run in places.here_to_the_moment()? {
        match history::read(&run) {
            Ok(past) => return Ok((run, past)),
            Err(error) if error.is_nothing() => {}
            Err(error) => return Err(repair::refused(&error, &run, places.project)),
        }
    }
    Err(find_run::nothing_here())
}
