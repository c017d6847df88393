//! The summary at the end of a run: a table of steps and the verdict.

use forkhestra_core::event::{AgentEnd, RunEnd, StepEnd};
use forkhestra_core::explain::EndFacts;
use forkhestra_core::plan::{Plan, PlanStep};
use typeset::table::{TableCell, indented};

use super::duration::spoken;
use super::reason;
use super::run_tally::{PreviousStepTally, PreviousTally};
use super::steering;
use crate::report::plan::dry_run::DryRunDetail;
use crate::report::text::step_details::{self, StartedStep};
use crate::report::text::{spend, work_summary};

/// Maximum number of commits listed for a step. None are listed if the report lists them by task.
const MOST_COMMITS: usize = 3;

/// A line for each step: number, name, result, iterations, reason, time, and spend if known. The
/// lines below a step list its checks and its work.
pub(super) fn table(tally: &PreviousTally, plan: &Plan, names_commits: bool) -> String {
    let rows: Vec<Vec<TableCell>> = tally.steps.iter().map(row).collect();
    let table = indented(&rows, "  ");
    let rows = table.split_inclusive('\n').zip(&tally.steps).zip(&plan.steps);
    let most = if names_commits { MOST_COMMITS } else { 0 };
    rows.map(|((row, step), plan)| row.to_owned() + &below(step, plan, most)).collect()
}

fn below(step: &PreviousStepTally, plan: &PlanStep, most_commits: usize) -> String {
    let (end, last, work) = (step.end.as_ref(), step.last.as_ref(), step.work.as_ref());
    step_details::render(&StartedStep { plan, end, last, work }, most_commits, usize::MAX)
}

/// Totals of all steps, if several have started.
pub(super) fn in_all(tally: &PreviousTally) -> Option<String> {
    let begun: Vec<&PreviousStepTally> =
        tally.steps.iter().filter(|step| step.has_begun()).collect();
    let iterations = reason::count(begun.iter().map(|step| step.iterations).sum(), "iteration");
    let work = work_summary::in_all(begun.iter().filter_map(|step| step.work.as_ref()));
    let work = work.map(|work| format!(", {work}")).unwrap_or_default();
    (begun.len() > 1).then(|| format!("In all: {iterations}, {}{work}", spoken(tally.elapsed)))
}

/// The last line of a run.
pub(super) fn verdict(tally: &PreviousTally, end: &RunEnd, detail: DryRunDetail) -> String {
    let steps = steering::steps(tally.complete(), tally.steps.len(), tally.skipped());
    match end {
        RunEnd::Complete => format!("Chain complete {steps}"),
        RunEnd::Incomplete { step, end } => {
            let (name, facts) = tally
                .step(*step)
                .map_or(("?", EndFacts::UNKNOWN), |step| (&step.name, step.facts()));
            let entry = reason::entry(end, &facts);
            let why = match detail {
                DryRunDetail::Quiet => entry.sentence,
                // The last line of the step has the whole sentence.
                DryRunDetail::Normal | DryRunDetail::Verbose => entry.brief,
            };
            format!("Chain incomplete {steps}: step {step}, {name}, {why}")
        }
        RunEnd::Interrupted(by) => {
            let ended = if by.is_stop_request() { "stopped" } else { "interrupted" };
            format!("Chain {ended} {steps}: {}", reason::cancel(*by))
        }
    }
}

fn row(step: &PreviousStepTally) -> Vec<TableCell> {
    let mut cells = vec![step.number.to_string(), step.name.clone()];
    if step.has_begun() {
        let state = match &step.end {
            Some(StepEnd::Complete(_)) => "complete",
            Some(StepEnd::Skipped) => "skipped",
            _ => "incomplete",
        };
        let iterations = reason::count(step.iterations, "iteration");
        cells.extend([state.to_owned(), iterations, why(step), spoken(step.time())]);
        cells.extend(step.spend().into_iter().flat_map(spend::cells));
    } else {
        cells.push("not reached".to_owned());
    }
    cells.into_iter().map(TableCell::new).collect()
}

fn why(step: &PreviousStepTally) -> String {
    match &step.end {
        // The run ended during the step.
        None => StepEnd::Cancelled.as_str().to_owned(),
        // The result column already contains `skipped`; this includes steps that never started.
        Some(StepEnd::Skipped) => "on request".to_owned(),
        // The verdict below has the details, which are too long for the table.
        Some(end @ StepEnd::Failed(AgentEnd::NotStarted { .. })) => end.as_str().to_owned(),
        Some(end @ StepEnd::Failed(agent)) => {
            format!("{} ({})", end.as_str(), reason::agent_end(agent))
        }
        Some(end) => end.as_str().to_owned(),
    }
}
