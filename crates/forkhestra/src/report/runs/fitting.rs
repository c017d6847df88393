//! Making a list of runs as narrow as a terminal is: first by saying less, then by leaving out.

use typeset::columns::{Columns, GivesWay};

use super::Column;

/// What gives way in a list of runs.
const GIVES_WAY: GivesWay<'_, Column> = GivesWay {
    cut: &[(Column::Chain, 12), (Column::Directory, 12), (Column::Step, 8)],
    left_out: &[
        Column::Duration,
        Column::Started,
        Column::Cost,
        Column::Directory,
        Column::Iterations,
        Column::Chain,
    ],
};

/// Makes a list no wider than this, if that can be done.
pub(super) fn fit(list: &mut Columns<Column>, most: usize) {
    if list.least_width(&GIVES_WAY) > most {
        be_brief(list);
    }
    list.fit(most, &GIVES_WAY);
}

/// Leaves out the year, and most of the titles of narrow columns.
fn be_brief(list: &mut Columns<Column>) {
    list.change(Column::Iterations, |text| text.replace("ITERATIONS", "ITER"));
    list.change(Column::Started, |text| match text.split_once('-') {
        Some((_, rest)) => rest.to_owned(),
        None => text.split(' ').next().unwrap_or(text).to_owned(),
    });
}
