//! Fits the table of runs to the terminal: abbreviates first, then drops columns.

use typeset::column_table::{ColumnTable, ShrinkRule};

use super::RunsColumn;

/// Columns that are cut, and columns that are dropped, in order.
const SHRINK_RULE: ShrinkRule<'_, RunsColumn> = ShrinkRule {
    cut: &[(RunsColumn::Chain, 12), (RunsColumn::Directory, 12), (RunsColumn::Step, 8)],
    left_out: &[
        RunsColumn::Duration,
        RunsColumn::Started,
        RunsColumn::Cost,
        RunsColumn::Directory,
        RunsColumn::Iterations,
        RunsColumn::Chain,
    ],
};

/// Narrows the table to `limit` columns, if possible.
pub(super) fn fit(list: &mut ColumnTable<RunsColumn>, limit: usize) {
    if list.min_width(&SHRINK_RULE) > limit {
        shorten_cells(list);
    }
    list.fit(limit, &SHRINK_RULE);
}

/// Drops the year and abbreviates titles of narrow columns.
fn shorten_cells(list: &mut ColumnTable<RunsColumn>) {
    list.change(RunsColumn::Iterations, |text| text.replace("ITERATIONS", "ITER"));
    list.change(RunsColumn::Started, |text| match text.split_once('-') {
        Some((_, rest)) => rest.to_owned(),
        None => text.split(' ').next().unwrap_or(text).to_owned(),
    });
}
