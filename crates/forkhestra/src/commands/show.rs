//! `forkhestra show`: details of one run.

pub(crate) mod show_agent;

use forkhestra_core::history::Liveness;
use forkhestra_engine::now;
use forkhestra_store::journal::recorded_run;
use forkhestra_store::{JournalLock, RunDir, RunOverview};

use crate::cli::args::runs::ShowArgs;
use crate::cli::command_error::CommandError;
use crate::cli::console_output::ConsoleOutput;
use crate::cli::exit_code;
use crate::past_runs::past_run;
use crate::past_runs::resume_command;
use crate::past_runs::run_finder::RunFinder;
use crate::project::project_location::ProjectLocation;
use crate::report::show::{self, ShowDetail, ShownRunFacts};
use crate::report::text::run_commands::RunCommands;

/// Prints the selected run.
pub(crate) fn execute(args: &ShowArgs, screen: &mut ConsoleOutput) -> Result<u8, CommandError> {
    let project = ProjectLocation::find(&args.place.project())?;
    let finder = RunFinder { project: &project, state_dir: args.place.state_dir.as_deref() };
    let (run, past) = finder.read_named_or_last(args.run.as_deref())?;
    let liveness = match past.history.state.end {
        Some(_) => Liveness::Gone,
        None => recorded_run::liveness(&run),
    };
    let owner = match liveness {
        Liveness::Alive => JournalLock::owner_of(&run)?,
        Liveness::Gone => None,
    };
    screen.report(&match liveness {
        Liveness::Gone => past_run::journal_warnings(&past.recorded),
        // While the run is active, the last line may be incomplete because it is being written.
        Liveness::Alive => past_run::broken_chain_warnings(&past.recorded),
    });
    let now = now().wall;
    let resume_command = resume_command::raising(&run, &past.history.state, &project, now);
    let columns = screen.columns();
    let subject = ShownRunFacts {
        run: &run,
        past: &past,
        liveness,
        owner,
        forks: forks_of(&run, &finder)?,
        resume_command,
        commands: RunCommands::new(&run, &past.history.state.plan, &project),
        now,
        columns,
    };
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

/// The runs that were forked from a run, newest first. None of them is older.
fn forks_of(run: &RunDir, finder: &RunFinder<'_>) -> Result<Vec<RunOverview>, CommandError> {
    let later = finder.all_runs()?.into_iter().filter(|other| other.started() >= run.started());
    // A run that cannot be read is reported by `runs`.
    let known = later.filter_map(|other| RunOverview::read(&other).ok());
    let is_fork =
        |other: &RunOverview| other.origin.as_ref().is_some_and(|origin| origin.run == *run.run());
    Ok(known.filter(is_fork).collect())
}
