//! The end of a run: what came of each step, and the verdict.

use forkhestra_core::event::{AgentEnd, RunEnd, StepEnd};
use forkhestra_core::limit::Limit;
use typeset::table::{Cell, indented};

use super::duration::spoken;
use super::reason;
use super::tally::{StepTally, Tally};
use crate::report::dry_run::Detail;
use crate::report::spent;

/// A line for each step: number, name, what became of it, iterations, reason, time, and what it spent
/// if that is known.
pub(super) fn table(tally: &Tally) -> String {
    let rows: Vec<Vec<Cell>> = tally.steps.iter().map(row).collect();
    indented(&rows, "  ")
}

/// The last line of a run.
pub(super) fn verdict(tally: &Tally, end: &RunEnd, detail: Detail) -> String {
    let steps = format!("({}/{} steps)", tally.complete(), tally.steps.len());
    match end {
        RunEnd::Complete => format!("{} complete {steps}", what(tally)),
        RunEnd::Incomplete { step, end } => {
            let (name, iterations, max_wait) =
                tally.step(*step).map_or(("?", 0, Limit::Off), |step| {
                    (step.name.as_str(), step.iterations, step.max_wait)
                });
            let why = match detail {
                Detail::Quiet => reason::step_end(end, iterations, max_wait),
                // The end of the step has the whole story.
                Detail::Normal | Detail::Verbose => {
                    reason::step_end_in_brief(end, iterations, max_wait)
                }
            };
            format!("Chain incomplete {steps}: step {step}, {name}, {why}")
        }
        RunEnd::Interrupted(by) => format!("Chain interrupted {steps}: {}", reason::cancel(*by)),
    }
}

/// A chain in which nothing loops is called a pipeline.
fn what(tally: &Tally) -> &'static str {
    let loops = tally.steps.iter().any(|step| step.most.is_some());
    if loops || tally.steps.is_empty() { "Chain" } else { "Pipeline" }
}

fn row(step: &StepTally) -> Vec<Cell> {
    let mut cells = vec![step.number.to_string(), step.name.clone()];
    if step.has_begun() {
        let state = if step.is_complete() { "done" } else { "incomplete" };
        let iterations = reason::count(step.iterations, "iteration");
        cells.extend([state.to_owned(), iterations, why(step), spoken(step.time())]);
        cells.extend(step.spend().into_iter().flat_map(spent::cells));
    } else {
        cells.push("skipped".to_owned());
    }
    cells.into_iter().map(Cell::new).collect()
}

fn why(step: &StepTally) -> String {
    match &step.end {
        // The run ended while the step went on.
        None => StepEnd::Cancelled.word().to_owned(),
        // The verdict below has the whole story, which would tear the table apart.
        Some(end @ StepEnd::Failed(AgentEnd::NotStarted { .. })) => end.word().to_owned(),
        Some(end @ StepEnd::Failed(agent)) => {
            format!("{} ({})", end.word(), reason::agent_end(agent))
        }
        Some(end) => end.word().to_owned(),
    }
}
