//! `forkhestra stats`: statistics of runs.

use forkhestra_core::stats::{RunStatistics, StatsQuery, StatsReport, UnreadableRunFigures};
use forkhestra_core::text;
use forkhestra_core::time::Timestamp;
use forkhestra_engine::now;
use forkhestra_store::{RunDir, run_notes};
use typeset::text::escaped_json;

use crate::cli::args::analysis::stats::StatsArgs;
use crate::cli::command_error::{CommandError, in_full};
use crate::cli::console_output::ConsoleOutput;
use crate::cli::exit_code;
use crate::past_runs::repair;
use crate::past_runs::run_finder::RunFinder;
use crate::project::project_location::ProjectLocation;
use crate::report::stats::{self, StatsLayout};
use crate::report::text::local_time::{self, minute_in_zone};

/// Prints the statistics of one run, or of all runs of this work tree or of all work trees.
pub(crate) fn execute(args: &StatsArgs, screen: &mut ConsoleOutput) -> Result<u8, CommandError> {
    let project = ProjectLocation::find(&args.place.project())?;
    let places = RunFinder { project: &project, state_dir: args.place.state_dir.as_deref() };
    let since = args.since.map(|since| since.timestamp(now().wall));
    let counted = match &args.run {
        Some(name) => {
            let run = places.find_named(name)?;
            let read = run_notes::read_statistics(&run);
            let statistics = read.map_err(|error| repair::refused(&error, &run, &project))?;
            CountedRuns { statistics: vec![statistics], ..CountedRuns::default() }
        }
        None => {
            let found = if args.all { places.all_runs()? } else { places.work_tree_runs()? };
            CountedRuns::read(found, since, &project, screen)
        }
    };
    let single = args.run.as_ref().and(counted.statistics.first().cloned());
    let is_empty = counted.is_empty();
    let query = StatsQuery { by: args.by.map(Into::into), since, day_of: &local_time::day };
    let report = StatsReport::of(counted.statistics, query)
        .with_left_out(counted.replays, counted.unreadable);
    if args.json {
        let json = serde_json::to_string_pretty(&report).expect("texts and numbers are JSON");
        screen.print_data(&(escaped_json(&json).into_owned() + "\n"))?;
    } else if is_empty {
        let others = if args.all { 0 } else { places.all_runs()?.len() };
        screen.remark(&no_runs_text(since, args.all, others));
    } else {
        let directories = args.all.then_some(&project.environment);
        let single = single.as_ref();
        let layout = StatsLayout { columns: screen.columns(), single, directories };
        screen.print(&stats::render(&report, &layout))?;
    }
    Ok(exit_code::COMPLETE)
}

/// The text without runs. It mentions runs of other work trees, so that they do not seem lost.
fn no_runs_text(since: Option<Timestamp>, is_all: bool, others: usize) -> String {
    if let Some(since) = since {
        return format!("No run began since {}.\n", minute_in_zone(since));
    }
    match (is_all, others) {
        (true, _) => "There are no runs.\n".to_owned(),
        (false, 0) => "There are no runs here.\n".to_owned(),
        (false, others) => format!(
            "There are no runs of this work tree; `forkhestra stats --all` counts {} of others.\n",
            text::count(others, "run")
        ),
    }
}

/// The runs that count, and those that do not.
#[derive(Default)]
struct CountedRuns {
    statistics: Vec<RunStatistics>,
    replays: u32,
    unreadable: Vec<UnreadableRunFigures>,
}

impl CountedRuns {
    /// Reads runs. An unreadable one is reported and does not count; neither does a replay, which
    /// cost nothing.
    fn read(
        runs: Vec<RunDir>,
        since: Option<Timestamp>,
        project: &ProjectLocation,
        screen: &mut ConsoleOutput,
    ) -> Self {
        let mut counted = Self::default();
        let mut warnings = Vec::new();
        let may_count = |run: &RunDir| since.is_none_or(|since| run.may_have_started_since(since));
        for run in runs.into_iter().filter(may_count) {
            match run_notes::read_statistics_if_any(&run) {
                None => {}
                Some(Ok(read)) if since.is_some_and(|since| read.started < since) => {}
                Some(Ok(read)) if read.is_replay => counted.replays += 1,
                Some(Ok(read)) => counted.statistics.push(read),
                Some(Err(error)) => {
                    warnings.push(repair::unreadable_warning(&error, &run, project));
                    counted.unreadable.push(UnreadableRunFigures {
                        run: run.run().to_string(),
                        error: in_full(&error),
                        repair: repair::repair_command(&error, &run, project),
                    });
                }
            }
        }
        screen.report(&warnings);
        counted
    }

    fn is_empty(&self) -> bool {
        self.statistics.is_empty() && self.replays == 0 && self.unreadable.is_empty()
    }
}
