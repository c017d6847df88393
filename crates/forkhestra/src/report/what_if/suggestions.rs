//! Suggested limits.

use forkhestra_core::limit::LimitScope;
use forkhestra_core::text;
use forkhestra_core::what_if::{LimitSuggestion, SimulatedLimit};
use typeset::column_table::{ColumnTable, ShrinkRule};
use typeset::style::{DIM, NAME};
use typeset::table::{TableCell, aligned};

use super::paragraph;
use super::what_if_report::LeftOutRuns;

/// Suggested limits, and the runs that they are based on.
#[derive(Debug, Clone)]
pub(crate) struct SuggestionReport {
    /// The number of ended runs.
    pub(crate) ended: usize,
    pub(crate) completed: usize,
    pub(crate) suggestions: Vec<LimitSuggestion>,
    pub(crate) left_out: LeftOutRuns,
}

/// A suggestion as an argument: `--stagnation 3`.
pub(super) fn argument(suggestion: &LimitSuggestion) -> Option<String> {
    suggestion.value.as_ref().map(|value| value.command_options().join(" "))
}

/// The suggestions for a person, as wide as the terminal.
pub(crate) fn render(report: &SuggestionReport, columns: Option<usize>) -> String {
    let runs = text::count(report.ended, "ended run");
    let mut page = format!("{runs}: {} completed\n\n", report.completed);
    let titles = ["TIGHTEST LIMIT", "BASED ON"].map(|title| TableCell::painted(title, DIM));
    let mut rows = vec![titles.to_vec()];
    rows.extend(report.suggestions.iter().filter(|suggestion| is_shown(suggestion)).map(row));
    let mut table = ColumnTable::new(vec![0, 1], rows);
    if let Some(limit) = columns {
        table.fit(limit, &ShrinkRule { cut: &[(1, 12)], left_out: &[] });
    }
    page.push_str(&aligned(&table.into_rows()));
    page.push('\n');
    notes(report).iter().for_each(|note| page.push_str(&paragraph(note, columns)));
    page
}

/// Limits of groups say nothing about runs without groups.
fn is_shown(suggestion: &LimitSuggestion) -> bool {
    suggestion.runs > 0 || suggestion.scope != Some(LimitScope::Group)
}

fn row(suggestion: &LimitSuggestion) -> Vec<TableCell> {
    match argument(suggestion) {
        Some(argument) => {
            let runs = text::count(suggestion.runs, "run");
            vec![TableCell::painted(argument, NAME), TableCell::new(runs)]
        }
        None => {
            let required = LimitSuggestion::MIN_RUNS;
            let option = format!("--{}", suggestion.option);
            let why = format!("no suggestion: {} of {required} required runs", suggestion.runs);
            vec![TableCell::painted(option, DIM), TableCell::new(why)]
        }
    }
}

fn notes(report: &SuggestionReport) -> Vec<String> {
    let mut notes = vec![
        "Each value, set alone from the beginning, would have harmed no completed run. BASED ON counts \
         the completed runs to which the limit applies."
            .to_owned(),
    ];
    for suggestion in &report.suggestions {
        if suggestion.ended_by_any_value > 0 {
            let runs = text::count(suggestion.ended_by_any_value, "further run");
            let option = suggestion.option;
            notes.push(format!(
                "Any value of --{option} would have ended {runs} that completed, because the cost is \
                 unknown."
            ));
        }
    }
    for (limit, why) in SimulatedLimit::not_simulated() {
        notes.push(format!("--{} cannot be simulated: {why}.", limit.option));
    }
    notes.extend(report.left_out.note());
    notes
}
