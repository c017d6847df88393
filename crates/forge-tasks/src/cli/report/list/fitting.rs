//! Making a list of tasks as narrow as a terminal is: first by cutting, then by saying less, and
//! only then by leaving out.

use typeset::column_table::{ColumnTable, ShrinkRule};

use super::column::{ARCHIVED, ListColumn, OVERDUE};

/// A title is not cut to less than this before anything is left out.
const FAIR_TITLE: usize = 24;
/// The columns that shrink while titles stay readable.
const GIVES_WAY: ShrinkRule<'_, ListColumn> = ShrinkRule {
    cut: &[(ListColumn::Labels, 8), (ListColumn::Assignee, 8), (ListColumn::Title, FAIR_TITLE)],
    left_out: &[ListColumn::Labels, ListColumn::Assignee],
};
/// The columns that shrink on very narrow terminals.
const GIVES_WAY_AT_LAST: ShrinkRule<'_, ListColumn> = ShrinkRule {
    cut: &[(ListColumn::Title, 8)],
    left_out: &[ListColumn::Note, ListColumn::Priority, ListColumn::Status],
};

/// Makes a list no wider than this, if that can be done.
pub(super) fn fit(list: &mut ColumnTable<ListColumn>, most: usize) {
    // One long title must not displace the columns after it.
    list.cut(ListColumn::Title, FAIR_TITLE.max(most * 2 / 5), most);
    for column in [ListColumn::Note, ListColumn::Priority, ListColumn::Status] {
        if list.least_width(&GIVES_WAY) > most {
            list.change(column, |text| brief(column, text));
        }
    }
    list.fit(most, &GIVES_WAY);
    list.fit(most, &GIVES_WAY_AT_LAST);
}

/// A cell of such a column, or its title, in one sign.
fn brief(column: ListColumn, text: &str) -> String {
    match (column, text) {
        (ListColumn::Note, OVERDUE) => "!".to_owned(),
        (ListColumn::Note, ARCHIVED) => "a".to_owned(),
        _ => text.chars().take(1).collect(),
    }
}
