//! Making a list of tasks as narrow as a terminal is: first by cutting, then by saying less, and only
//! then by leaving out.

use typeset::columns::{Columns, GivesWay};

use super::column::{ARCHIVED, Column, OVERDUE};

/// A title is not cut to less than this before anything is left out.
const FAIR_TITLE: usize = 24;
/// What gives way as long as a title is worth reading.
const GIVES_WAY: GivesWay<'_, Column> = GivesWay {
    cut: &[(Column::Labels, 8), (Column::Assignee, 8), (Column::Title, FAIR_TITLE)],
    left_out: &[Column::Labels, Column::Assignee],
};
/// What gives way where there is hardly room for anything.
const GIVES_WAY_AT_LAST: GivesWay<'_, Column> = GivesWay {
    cut: &[(Column::Title, 8)],
    left_out: &[Column::Note, Column::Priority, Column::Status],
};

/// Makes a list no wider than this, if that can be done.
pub(super) fn fit(list: &mut Columns<Column>, most: usize) {
    // One long title must not take the room of what stands behind it.
    list.cut(Column::Title, FAIR_TITLE.max(most * 2 / 5), most);
    for column in [Column::Note, Column::Priority, Column::Status] {
        if list.least_width(&GIVES_WAY) > most {
            list.change(column, |text| brief(column, text));
        }
    }
    list.fit(most, &GIVES_WAY);
    list.fit(most, &GIVES_WAY_AT_LAST);
}

/// A cell of such a column, or its title, in one sign.
fn brief(column: Column, text: &str) -> String {
    match (column, text) {
        (Column::Note, OVERDUE) => "!".to_owned(),
        (Column::Note, ARCHIVED) => "a".to_owned(),
        _ => text.chars().take(1).collect(),
    }
}
