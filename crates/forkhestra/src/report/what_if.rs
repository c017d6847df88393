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
const NOT_JUDGED: &str = "Only limits are judged. What an agent would have done instead is not known; \
                          money and time of harmed runs do not count as saved.";

/// The report for a person, as wide as the terminal.
pub(crate) fn render(report: &WhatIfReport, columns: Option<usize>) -> String {
    let runs = text::count(report.runs.len(), "ended run");
    let mut page = format!("{runs}: {} got done\n\n", report.done());
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
    format!("There are no ended runs to judge.\n{note}")
}

fn notes(report: &WhatIfReport) -> Vec<String> {
    let mut notes = Vec::new();
    let all = report.all_together();
    if report.has_cut_off() {
        let text = "CUT OFF counts runs in which only an iteration would have been ended. Another one \
                    would have followed, so that nothing after it is judged.";
        notes.push(text.to_owned());
    }
    if all.beyond > 0 {
        let runs = text::count(all.beyond, "run");
        notes.push(format!(
            "{runs} would have gone on where a limit ended an agent or the run. What would have come \
             then is not known."
        ));
    }
    let unknown = report.rules.iter().map(|rule| rule.summary.unknown).max().unwrap_or_default();
    if unknown > 0 {
        let runs = text::count(unknown, "run");
        notes.push(format!(
            "{runs} recorded no states of the work tree, so that --stagnation cannot be judged there."
        ));
    }
    notes.extend(report.left_out.note());
    notes.push(NOT_JUDGED.to_owned());
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
