//! The table of limits.

use forkhestra_core::what_if::LimitSavings;
use typeset::column_table::{ColumnTable, ShrinkRule};
use typeset::style::{BAD, DIM, NAME};
use typeset::table::{TableCell, aligned};

use super::what_if_report::{LimitRule, WhatIfReport};
use crate::report::run::short_duration;

/// A column of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RuleColumn {
    Limit,
    Ended,
    CutOff,
    Harmed,
    Money,
    Time,
}

/// Columns that are cut, and columns that are dropped, in order.
const SHRINK_RULE: ShrinkRule<'_, RuleColumn> = ShrinkRule {
    cut: &[(RuleColumn::Limit, 12)],
    left_out: &[RuleColumn::Time, RuleColumn::Money, RuleColumn::CutOff],
};

/// A row for each limit, and one for all together.
pub(super) fn render(report: &WhatIfReport, columns: Option<usize>) -> String {
    let is_shown = |column: &RuleColumn| match column {
        RuleColumn::CutOff => report.has_cut_off(),
        RuleColumn::Money => report.has_cost(),
        RuleColumn::Limit | RuleColumn::Ended | RuleColumn::Harmed | RuleColumn::Time => true,
    };
    let shown: Vec<RuleColumn> = ALL.into_iter().filter(is_shown).collect();
    let titles = shown.iter().map(|column| TableCell::painted(title(*column), DIM)).collect();
    let mut rows = vec![titles];
    for rule in &report.rules {
        rows.push(shown.iter().map(|column| cell(*column, rule)).collect());
    }
    let mut table = ColumnTable::new(shown, rows);
    if let Some(limit) = columns {
        table.fit(limit, &SHRINK_RULE);
    }
    aligned(&table.into_rows())
}

const ALL: [RuleColumn; 6] = [
    RuleColumn::Limit,
    RuleColumn::Ended,
    RuleColumn::CutOff,
    RuleColumn::Harmed,
    RuleColumn::Money,
    RuleColumn::Time,
];

const fn title(column: RuleColumn) -> &'static str {
    match column {
        RuleColumn::Limit => "LIMIT",
        RuleColumn::Ended => "ENDED EARLIER",
        RuleColumn::CutOff => "CUT OFF",
        RuleColumn::Harmed => "HARMED",
        RuleColumn::Money => "MONEY SAVED",
        RuleColumn::Time => "TIME SAVED",
    }
}

fn cell(column: RuleColumn, rule: &LimitRule) -> TableCell {
    let summary = &rule.summary;
    let count = |number: usize| TableCell::new(number.to_string());
    match column {
        RuleColumn::Limit => TableCell::painted(rule.name(), NAME),
        RuleColumn::Ended => count(summary.ended),
        RuleColumn::CutOff => count(summary.cut_off),
        RuleColumn::Harmed if summary.harmed > 0 => {
            TableCell::painted(summary.harmed.to_string(), BAD)
        }
        RuleColumn::Harmed => count(summary.harmed),
        RuleColumn::Money => TableCell::new(money(&summary.saved)),
        RuleColumn::Time => TableCell::new(short_duration(summary.saved.time)),
    }
}

/// The money that is saved, as far as it is known.
fn money(saved: &LimitSavings) -> String {
    let at_least = if saved.at_least { "≥" } else { "" };
    format!("{at_least}{}", saved.money)
}
