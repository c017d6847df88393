//! Suggested limits.

use forkhestra_core::text;
use forkhestra_core::what_if::{LimitSuggestion, SimulatedLimit};
use typeset::column_table::{ColumnTable, ShrinkRule};
use typeset::style::{DIM, NAME};
use typeset::table::{TableCell, aligned};

use super::paragraph;
use super::what_if_report::LeftOutRuns;

/// Suggested limits, and the runs that they rest on.
#[derive(Debug, Clone)]
pub(crate) struct SuggestionReport {
    pub(crate) judged: usize,
    pub(crate) done: usize,
    pub(crate) suggestions: Vec<LimitSuggestion>,
    pub(crate) left_out: LeftOutRuns,
}

/// The value of a suggestion as an option: `--stagnation 3`.
pub(super) fn option(suggestion: &LimitSuggestion) -> Option<String> {
    suggestion.value.as_ref().map(|value| value.command_options().join(" "))
}

/// The suggestions for a person, as wide as the terminal.
pub(crate) fn render(report: &SuggestionReport, columns: Option<usize>) -> String {
    let runs = text::count(report.judged, "ended run");
    let mut page = format!("{runs}: {} got done\n\n", report.done);
    let titles = ["TIGHTEST LIMIT", "RESTS ON"].map(|title| TableCell::painted(title, DIM));
    let mut rows = vec![titles.to_vec()];
    rows.extend(report.suggestions.iter().map(row));
    let mut table = ColumnTable::new(vec![0, 1], rows);
    if let Some(limit) = columns {
        table.fit(limit, &ShrinkRule { cut: &[(1, 12)], left_out: &[] });
    }
    page.push_str(&aligned(&table.into_rows()));
    page.push('\n');
    notes(report).iter().for_each(|note| page.push_str(&paragraph(note, columns)));
    page
}

fn row(suggestion: &LimitSuggestion) -> Vec<TableCell> {
    let runs = text::count(suggestion.runs, "run");
    match option(suggestion) {
        Some(option) => vec![TableCell::painted(option, NAME), TableCell::new(runs)],
        None => {
            let needed = LimitSuggestion::MIN_RUNS;
            let option = format!("--{}", suggestion.option);
            let why = format!("no suggestion: {runs} of the {needed} that are needed");
            vec![TableCell::painted(option, DIM), TableCell::new(why)]
        }
    }
}

fn notes(report: &SuggestionReport) -> Vec<String> {
    let mut notes = vec![
        "Each value alone would have harmed none of these runs. It rests on the runs that got done and \
         that tell how tight the limit can be."
            .to_owned(),
    ];
    for suggestion in report.suggestions.iter().filter(|suggestion| suggestion.incompatible > 0) {
        let runs = text::count(suggestion.incompatible, "further run");
        let option = suggestion.option;
        notes.push(format!(
            "--{option} of any value would have ended {runs} that got done: the cost is unknown."
        ));
    }
    for (limit, why) in SimulatedLimit::not_simulated() {
        notes.push(format!("--{} cannot be judged: {why}.", limit.option));
    }
    notes.extend(report.left_out.note());
    notes
}
