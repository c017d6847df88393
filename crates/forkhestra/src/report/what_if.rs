//! Report of `what-if`.

mod harmed;
mod json;
mod results;
mod suggestions;
#[cfg(test)]
mod tests;
mod what_if_report;

pub(crate) use json::{json, suggestions_json};
pub(crate) use suggestions::{SuggestionReport, render as render_suggestions};
pub(crate) use what_if_report::{LeftOutRuns, SimulatedRun, WhatIfReport};

use forkhestra_core::text;
use typeset::text::wrapped;

/// What the numbers do not say.
const NOT_SIMULATED: &str = "Only limits are simulated. What an agent would have done after an earlier end is unknown. \
                             Money and time of harmed runs do not count as saved.";

/// The report for a person, as wide as the terminal.
pub(crate) fn render(report: &WhatIfReport, columns: Option<usize>) -> String {
    let runs = text::count(report.runs.len(), "ended run");
    let mut page = format!("{runs}: {} completed\n\n", report.completed());
    page.push_str(&results::render(report, columns));
    page.push('\n');
    page.push_str(&harmed::render(report, columns));
    for note in notes(report) {
        page.push_str(&paragraph(&note, columns));
    }
    page
}

/// The text without runs.
pub(crate) fn no_runs(left_out: &LeftOutRuns) -> String {
    let note = left_out.note().map(|note| format!("{note}\n")).unwrap_or_default();
    format!("There are no ended runs.\n{note}")
}

fn notes(report: &WhatIfReport) -> Vec<String> {
    let mut notes = Vec::new();
    if report.has_step_ended() {
        let text = "STEP ENDED counts runs in which only one step would have ended earlier. Another round or an \
                    alternative would have followed, so nothing after that point is simulated.";
        notes.push(text.to_owned());
    }
    if report.has_iteration_ended() {
        let text = "ITERATION ENDED counts runs in which only one iteration would have ended earlier. The loop \
                    would have continued, so nothing after that point is simulated.";
        notes.push(text.to_owned());
    }
    if report.continued > 0 {
        let runs = text::count(report.continued, "run");
        notes.push(format!(
            "{runs} would have continued past a limit that ended an agent or the run; what would have \
             followed is unknown."
        ));
    }
    let not_simulated = report.results.iter().map(|result| result.summary.not_simulated).max();
    if let Some(number) = not_simulated.filter(|number| *number > 0) {
        let runs = text::count(number, "run");
        notes.push(format!(
            "{runs} recorded no states of the work tree, so --stagnation cannot be simulated there."
        ));
    }
    notes.extend(report.left_out.note());
    notes.push(NOT_SIMULATED.to_owned());
    notes
}

/// A text in lines that fit.
fn paragraph(text: &str, columns: Option<usize>) -> String {
    let lines = match columns {
        Some(columns) => wrapped(text, columns),
        None => vec![text.split_whitespace().collect::<Vec<_>>().join(" ")],
    };
    lines.iter().map(|line| format!("{line}\n")).collect()
}
