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
    Completed,
}

/// Columns that are cut, and columns that are dropped, in order. The limit says what the row is
/// about: it is cut last.
const SHRINK_RULES: [ShrinkRule<'_, HarmedColumn>; 2] = [
    ShrinkRule {
        cut: &[(HarmedColumn::Chain, 12), (HarmedColumn::End, 16)],
        left_out: &[HarmedColumn::Completed, HarmedColumn::Chain, HarmedColumn::End],
    },
    ShrinkRule { cut: &[(HarmedColumn::Limit, 12)], left_out: &[] },
];

/// A line for each run and limit that would have harmed it; empty if there is none.
pub(super) fn render(report: &WhatIfReport, columns: Option<usize>) -> String {
    let all = [
        HarmedColumn::Id,
        HarmedColumn::Chain,
        HarmedColumn::Limit,
        HarmedColumn::End,
        HarmedColumn::Completed,
    ];
    let titles = ["HARMED RUN", "CHAIN", "LIMIT", "WOULD HAVE ENDED", "COMPLETED"];
    let mut rows = vec![titles.map(|title| TableCell::painted(title, DIM)).to_vec()];
    for (index, run) in report.runs.iter().enumerate() {
        let harmful = harmful(report, index).into_iter();
        rows.extend(harmful.map(|(result, end)| row(run, &result.name(), end)));
    }
    if rows.len() == 1 {
        return String::new();
    }
    let mut list = ColumnTable::new(all.to_vec(), rows);
    if let Some(limit) = columns {
        SHRINK_RULES.iter().for_each(|rule| list.fit(limit, rule));
    }
    aligned(&list.into_rows()) + "\n"
}

/// The limits that would have harmed a run, each alone, or else all together.
fn harmful(report: &WhatIfReport, index: usize) -> Vec<(&LimitResult, &EarlierEnd)> {
    let harmful = report.results.iter().filter_map(|result| {
        let (_, end) = result.earlier.iter().find(|(run, end)| *run == index && end.completed)?;
        Some((result, end))
    });
    let (all, mut each): (Vec<_>, Vec<_>) = harmful.partition(|(result, _)| result.is_all);
    if each.is_empty() {
        each = all;
    }
    each
}

fn row(run: &SimulatedRun, limit: &str, end: &EarlierEnd) -> Vec<TableCell> {
    let agent = run.agents.get(end.step - 1).map_or("", String::as_str);
    let place = format!("{} of {}: {}", end.position, visible(agent), end.effect.as_str());
    let later = match end.later_iterations {
        0 => "with no further iteration".to_owned(),
        more => format!("{} later", text::count(more, "iteration")),
    };
    vec![
        TableCell::painted(run.id.as_str(), NAME),
        TableCell::new(visible(&run.chain)),
        TableCell::new(limit),
        TableCell::new(place),
        TableCell::new(later),
    ]
}
