//! The runs that limits would have harmed.

use forkhestra_core::text;
use forkhestra_core::what_if::EarlierEnd;
use typeset::column_table::{ColumnTable, ShrinkRule};
use typeset::style::{DIM, NAME};
use typeset::table::{TableCell, aligned};
use typeset::text::visible;

use super::what_if_report::{LimitResult, SimulatedRun, WhatIfReport};

/// A column of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum HarmedColumn {
    Id,
    Chain,
    Limit,
    End,
    Later,
}

/// Columns that are cut, and columns that are dropped, in order.
const SHRINK_RULE: ShrinkRule<'_, HarmedColumn> = ShrinkRule {
    cut: &[(HarmedColumn::Chain, 12), (HarmedColumn::End, 16), (HarmedColumn::Limit, 12)],
    left_out: &[HarmedColumn::Later, HarmedColumn::Chain],
};

/// A line for each run and limit that would have harmed it; empty if there is none.
pub(super) fn render(report: &WhatIfReport, columns: Option<usize>) -> String {
    let all = [
        HarmedColumn::Id,
        HarmedColumn::Chain,
        HarmedColumn::Limit,
        HarmedColumn::End,
        HarmedColumn::Later,
    ];
    let titles = ["HARMED RUN", "CHAIN", "LIMIT", "WOULD HAVE ENDED", "GOT DONE"];
    let mut rows = vec![titles.map(|title| TableCell::painted(title, DIM)).to_vec()];
    for (index, run) in report.runs.iter().enumerate() {
        let harmful = harmful(report, index).into_iter();
        rows.extend(harmful.map(|(rule, end)| row(run, &rule.name(), end)));
    }
    if rows.len() == 1 {
        return String::new();
    }
    let mut list = ColumnTable::new(all.to_vec(), rows);
    if let Some(limit) = columns {
        list.fit(limit, &SHRINK_RULE);
    }
    aligned(&list.into_rows()) + "\n"
}

/// The rules that would have harmed a run: those of one limit, or else all together.
fn harmful(report: &WhatIfReport, index: usize) -> Vec<(&LimitResult, &EarlierEnd)> {
    let end = |rule: &'_ LimitResult| {
        rule.earlier.iter().position(|(run, end)| *run == index && end.got_done)
    };
    let harmful = report.rules.iter().filter_map(|rule| Some((rule, &rule.earlier[end(rule)?].1)));
    let (all, mut each): (Vec<_>, Vec<_>) = harmful.partition(|(rule, _)| rule.is_all);
    if each.is_empty() {
        each = all;
    }
    each
}

fn row(run: &SimulatedRun, rule: &str, end: &EarlierEnd) -> Vec<TableCell> {
    let agent = run.agents.get(end.step - 1).map_or("", String::as_str);
    let place = format!("{} of {}: {}", end.position, visible(agent), end.effect.as_str());
    let later = match end.later_iterations {
        0 => "with no further iteration".to_owned(),
        more => format!("{} later", text::count(more, "iteration")),
    };
    vec![
        TableCell::painted(run.id.as_str(), NAME),
        TableCell::new(visible(&run.chain)),
        TableCell::new(rule),
        TableCell::new(place),
        TableCell::new(later),
    ]
}
