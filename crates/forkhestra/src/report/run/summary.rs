//! The summary at the end of a run: a table of steps and the verdict.

use forkhestra_core::event::{CompletionSignal, ProcessEnd, RunEnd, StepEnd};
use forkhestra_core::history::{QuestionRecord, RunHistory};
use typeset::table::{TableCell, indented};

use super::duration::short_duration;
use super::reason;
use super::reported_step::ReportedStep;
use super::steering;
use crate::report::plan::dry_run::Verbosity;
use crate::report::text::flow::{questions, rounds};
use crate::report::text::step_details::{self, StartedStep};
use crate::report::text::{fallback, spend, work_summary};

/// Maximum number of commits listed for a step. None are listed if the report lists them by task.
const MAX_COMMITS: usize = 3;

/// A line for each step: number, name, result, iterations, reason, time, and spend if known. The
/// lines below a step list its checks and its work.
pub(super) fn table(run: &RunHistory, names_commits: bool) -> String {
    let rows: Vec<Vec<TableCell>> = ReportedStep::all(run).map(row).collect();
    let table = indented(&rows, "  ");
    let most = if names_commits { MAX_COMMITS } else { 0 };
    let rows = table.split_inclusive('\n').zip(ReportedStep::all(run));
    rows.map(|(row, step)| row.to_owned() + &below(step, most)).collect()
}

fn below(step: ReportedStep<'_>, most_commits: usize) -> String {
    let (plan, end, last) = (step.plan, step.state.end(), step.last_report());
    let work = step.state.work.as_ref();
    let alternatives = step.alternatives();
    let (rounds, fallback) = (step.rounds(), fallback::usage(plan, step.records()));
    let landings = step.landings();
    let past = StartedStep { plan, end, last, work, alternatives, rounds, landings, fallback };
    step_details::render(&past, most_commits, usize::MAX)
}

/// Totals of all steps, if several have started.
pub(super) fn totals(run: &RunHistory) -> Option<String> {
    let begun: Vec<ReportedStep<'_>> =
        ReportedStep::all(run).filter(ReportedStep::has_begun).collect();
    let iterations = reason::count(run.iterations(), "iteration");
    let work = work_summary::total_work(begun.iter().filter_map(|step| step.state.work.as_ref()));
    let work = work.map(|work| format!(", {work}")).unwrap_or_default();
    let time = short_duration(run.state.elapsed);
    (begun.len() > 1).then(|| format!("In all: {iterations}, {time}{work}"))
}

/// The last line of a run.
pub(super) fn verdict(run: &RunHistory, end: &RunEnd, detail: Verbosity) -> String {
    let steps = steering::steps_of(&run.state);
    match end {
        RunEnd::Complete => format!("Chain complete {steps}"),
        RunEnd::Incomplete { step, end } => {
            let name = questions::step_name(&run.state.plan, *step);
            let entry = reason::entry(end, &reason::facts(&run.state, *step));
            let why = match detail {
                Verbosity::Quiet => entry.sentence,
                // The last line of the step has the whole sentence.
                Verbosity::Normal | Verbosity::Verbose => entry.brief,
            };
            format!("Chain incomplete {steps}: step {step}, {name}, {why}")
        }
        RunEnd::Interrupted(by) => {
            let ended = if by.is_stop_request() { "stopped" } else { "interrupted" };
            format!("Chain {ended} {steps}: {}", reason::cancel(*by))
        }
    }
}

fn row(step: ReportedStep<'_>) -> Vec<TableCell> {
    let mut cells = vec![step.number.to_string(), step.name()];
    let is_reached = step.is_reached();
    if let Some(origin) = step.origin().filter(|_| is_reached) {
        cells.extend([state_word(step).to_owned(), format!("in run {origin}")]);
    } else if let Some(question) = step.question() {
        cells.extend(question_cells(step, question));
    } else {
        cells.push(if is_reached { state_word(step) } else { unreached(step) }.to_owned());
        let round = step.round_after_earlier_work();
        if is_reached || round.is_some() {
            let iterations = reason::count(step.iterations(), "iteration");
            let why = round.map_or_else(|| why(step), rounds::before_round);
            cells.extend([iterations, why, time(step)]);
            cells.extend(step.spend().into_iter().flat_map(spend::cells));
        }
    }
    cells.into_iter().map(TableCell::new).collect()
}

/// The wall time of a step, with the work of all its lanes.
fn time(step: ReportedStep<'_>) -> String {
    let time = short_duration(step.state.elapsed);
    match step.work_in_lanes() {
        Some((lanes, work)) => {
            let work = short_duration(work);
            format!("{time} ({work} of work in {lanes} lanes)")
        }
        None => time,
    }
}

/// Why the step has not begun, in the current round.
fn unreached(step: ReportedStep<'_>) -> &'static str {
    let is_not_needed = step.state.end() == Some(&StepEnd::NotNeeded);
    if is_not_needed || step.is_unneeded_alternative() { "not needed" } else { "not reached" }
}

/// The answer to a question, or how it ended without one.
fn question_cells(step: ReportedStep<'_>, question: &QuestionRecord) -> Vec<String> {
    let word = match (&question.answer, step.state.end()) {
        (Some((_, answer)), _) if answer.approved => "approved",
        (Some(_), _) => "denied",
        (None, Some(StepEnd::Skipped)) => "skipped",
        (None, _) => "open",
    };
    std::iter::once(word.to_owned()).chain(questions::answer_cells(question)).collect()
}

fn state_word(step: ReportedStep<'_>) -> &'static str {
    match step.state.end() {
        // A question that another run asked.
        Some(StepEnd::Complete(CompletionSignal::Approved)) => "approved",
        Some(StepEnd::Denied) => "denied",
        Some(StepEnd::Complete(_)) => "complete",
        Some(StepEnd::Skipped) => "skipped",
        _ if step.is_not_accepted() => "not accepted",
        _ => "incomplete",
    }
}

fn why(step: ReportedStep<'_>) -> String {
    match step.state.end() {
        // The run ended during the step.
        None => StepEnd::Cancelled.as_str().to_owned(),
        // The result column already contains `skipped`; this includes steps that never started.
        Some(StepEnd::Skipped) => "on request".to_owned(),
        Some(StepEnd::NotAccepted) => String::new(),
        Some(StepEnd::Failed(agent)) if step.is_not_accepted() => reason::agent_end(agent),
        // The verdict below has the details, which are too long for the table.
        Some(end @ StepEnd::Failed(ProcessEnd::NotStarted { .. })) => end.as_str().to_owned(),
        Some(end @ StepEnd::Failed(agent)) => {
            format!("{} ({})", end.as_str(), reason::agent_end(agent))
        }
        Some(end) => end.as_str().to_owned(),
    }
}
