//! The table of limits.

use forkhestra_core::what_if::LimitSavings;
use typeset::column_table::{ColumnTable, ShrinkRule};
use typeset::style::{BAD, DIM, NAME};
use typeset::table::{TableCell, aligned};

use super::what_if_report::{LimitResult, WhatIfReport};
use crate::report::run::short_duration;

/// A column of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ResultColumn {
    Limit,
    Ended,
    StepEnded,
    IterationEnded,
    Harmed,
    Money,
    Time,
}

/// Columns that are dropped, in order. The limit is the key of the row: it is cut last.
const SHRINK_RULES: [ShrinkRule<'_, ResultColumn>; 2] = [
    ShrinkRule {
        cut: &[],
        left_out: &[
            ResultColumn::Time,
            ResultColumn::Money,
            ResultColumn::IterationEnded,
            ResultColumn::StepEnded,
            ResultColumn::Ended,
        ],
    },
    ShrinkRule { cut: &[(ResultColumn::Limit, 12)], left_out: &[] },
];

/// A row for each limit, and one for all together.
pub(super) fn render(report: &WhatIfReport, columns: Option<usize>) -> String {
    let is_shown = |column: &ResultColumn| match column {
        ResultColumn::StepEnded => report.has_step_ended(),
        ResultColumn::IterationEnded => report.has_iteration_ended(),
        ResultColumn::Money => report.has_cost(),
        ResultColumn::Limit | ResultColumn::Ended | ResultColumn::Harmed | ResultColumn::Time => {
            true
        }
    };
    let shown: Vec<ResultColumn> = ALL.into_iter().filter(is_shown).collect();
    let titles = shown.iter().map(|column| TableCell::painted(title(*column), DIM)).collect();
    let mut rows = vec![titles];
    for result in &report.results {
        rows.push(shown.iter().map(|column| cell(*column, result)).collect());
    }
    let mut table = ColumnTable::new(shown, rows);
    if let Some(limit) = columns {
        SHRINK_RULES.iter().for_each(|rule| table.fit(limit, rule));
    }
    aligned(&table.into_rows())
}

const ALL: [ResultColumn; 7] = [
    ResultColumn::Limit,
    ResultColumn::Ended,
    ResultColumn::StepEnded,
    ResultColumn::IterationEnded,
    ResultColumn::Harmed,
    ResultColumn::Money,
    ResultColumn::Time,
];

const fn title(column: ResultColumn) -> &'static str {
    match column {
        ResultColumn::Limit => "LIMIT",
        ResultColumn::Ended => "ENDED EARLIER",
        ResultColumn::StepEnded => "STEP ENDED",
        ResultColumn::IterationEnded => "ITERATION ENDED",
        ResultColumn::Harmed => "HARMED",
        ResultColumn::Money => "MONEY SAVED",
        ResultColumn::Time => "TIME SAVED",
    }
}

fn cell(column: ResultColumn, result: &LimitResult) -> TableCell {
    let summary = &result.summary;
    let count = |number: usize| TableCell::new(number.to_string());
    match column {
        ResultColumn::Limit => TableCell::painted(result.name(), NAME),
        ResultColumn::Ended => count(summary.ended),
        ResultColumn::StepEnded => count(summary.step_ended),
        ResultColumn::IterationEnded => count(summary.iteration_ended),
        ResultColumn::Harmed if summary.harmed > 0 => {
            TableCell::painted(summary.harmed.to_string(), BAD)
        }
        ResultColumn::Harmed => count(summary.harmed),
        ResultColumn::Money => TableCell::new(money(&summary.saved)),
        ResultColumn::Time => TableCell::new(short_duration(summary.saved.time)),
    }
}

/// The money that is saved, as far as it is known.
fn money(saved: &LimitSavings) -> String {
    if !saved.is_money_known() {
        return "unknown".to_owned();
    }
    let at_least = if saved.at_least { "≥" } else { "" };
    format!("{at_least}{}", saved.money)
}
