//! `forkhestra what-if`: simulates other limits on past runs.

use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::event::LimitChanges;
use forkhestra_core::text;
use forkhestra_core::what_if::{
    LimitSimulation, LimitSuggestion, SimulatedLimit, SuggestionSearch,
};
use forkhestra_engine::now;

use super::selected_runs::SelectedRuns;
use crate::cli::args::analysis::what_if::WhatIfArgs;
use crate::cli::command_error::CommandError;
use crate::cli::console_output::ConsoleOutput;
use crate::cli::exit_code;
use crate::past_runs::run_finder::RunFinder;
use crate::project::project_location::ProjectLocation;
use crate::report::what_if::{self, SuggestionReport, WhatIfReport};

/// Limits do not decide whether an event fits those before it.
const APPLIED: &str = "the events were applied when the run was read";

/// Prints what the limits would have done, or suggests limits.
pub(crate) fn execute(args: &WhatIfArgs, screen: &mut ConsoleOutput) -> Result<u8, CommandError> {
    let limits = &args.limits.0;
    refuse_limits(limits, args.suggest)?;
    let project = ProjectLocation::find(&args.place.project())?;
    let places = RunFinder { project: &project, state_dir: args.place.state_dir.as_deref() };
    let runs = SelectedRuns::find(&places, args, now().wall)?;
    if args.suggest { suggest(args, runs, screen) } else { compare(args, runs, screen) }
}

/// Refuses a command line without a limit, or with one that cannot be simulated.
fn refuse_limits(limits: &LimitChanges, suggests: bool) -> Result<(), CommandError> {
    let is_empty = *limits == LimitChanges::default();
    let wrong = match (is_empty, suggests) {
        (true, false) => Diagnostic::error("no limit is named")
            .hint("name one, as in `forkhestra what-if --stagnation 3 --max-cost 5`")
            .hint("`--suggest` prints the tightest limits that would have harmed no completed run"),
        (false, true) => {
            Diagnostic::error("`--suggest` and a limit exclude each other: it searches the values")
                .hint("leave one of them out")
        }
        (true, true) | (false, false) => {
            let not_simulated =
                SimulatedLimit::not_simulated().filter(|(limit, _)| limit.only(limits).is_some());
            let refusal = |(option, why): (&str, &str)| {
                Diagnostic::error(format!("`--{option}` cannot be simulated: {why}"))
                    .hint("leave it out")
            };
            let refused: Vec<Diagnostic> =
                not_simulated.map(|(limit, why)| refusal((limit.option, why))).collect();
            return if refused.is_empty() { Ok(()) } else { Err(refused.into()) };
        }
    };
    Err(CommandError::wrong(wrong))
}

fn compare(
    args: &WhatIfArgs,
    mut runs: SelectedRuns<'_>,
    screen: &mut ConsoleOutput,
) -> Result<u8, CommandError> {
    let mut report = WhatIfReport::new(&args.limits.0);
    runs.for_each(|run, past| {
        let events = &past.recorded.events;
        let outcome =
            |limits: &LimitChanges| LimitSimulation::outcome(events, limits).expect(APPLIED);
        let outcomes = report.limits().map(outcome).collect();
        report.add(run, outcomes);
    })?;
    screen.report(&runs.warnings);
    report.left_out = runs.left_out;
    if args.json {
        screen.print_data(&what_if::json(&report))?;
    } else if report.runs.is_empty() {
        screen.remark(&what_if::no_runs(&report.left_out));
    } else {
        screen.print(&what_if::render(&report, screen.columns()))?;
    }
    Ok(exit_code::COMPLETE)
}

fn suggest(
    args: &WhatIfArgs,
    mut runs: SelectedRuns<'_>,
    screen: &mut ConsoleOutput,
) -> Result<u8, CommandError> {
    let mut searches: Vec<SuggestionSearch> =
        SimulatedLimit::all().map(SuggestionSearch::new).collect();
    let (mut ended, mut completed) = (0, 0);
    runs.for_each(|run, past| {
        ended += 1;
        // Only a run that completed can be harmed.
        if run.completed {
            completed += 1;
            let (events, last) = (&past.recorded.events, &past.history.state);
            searches.iter_mut().for_each(|search| search.add(events, last).expect(APPLIED));
        }
    })?;
    screen.report(&runs.warnings);
    if completed < LimitSuggestion::MIN_RUNS {
        screen.report(&[too_few(ended, completed, args)]);
        return Ok(exit_code::INCOMPLETE);
    }
    let suggestions = searches.iter().map(SuggestionSearch::suggestion).collect();
    let report = SuggestionReport { ended, completed, suggestions, left_out: runs.left_out };
    if args.json {
        screen.print_data(&what_if::suggestions_json(&report))?;
    } else {
        screen.print(&what_if::render_suggestions(&report, screen.columns()))?;
    }
    Ok(exit_code::COMPLETE)
}

fn too_few(ended: usize, completed: usize, args: &WhatIfArgs) -> Diagnostic {
    let (runs, needed) = (text::count(ended, "ended run"), LimitSuggestion::MIN_RUNS);
    let message = format!(
        "too few runs for a suggestion: {completed} of {runs} completed, and {needed} are required"
    );
    let is_part = args.since.is_some() || !args.runs.is_empty();
    let hint = match (is_part, args.all) {
        (true, _) => Some("leave out RUN and `--since` to include all runs"),
        (false, false) => Some("`--all` includes the runs of all work trees"),
        (false, true) => None,
    };
    Diagnostic::error(message).maybe_hint(hint.map(str::to_owned))
}
