//! Making a list of tasks as narrow as a terminal is.

use typeset::columns::{Columns, GivesWay};

use super::Column;

/// What gives way in a list of tasks.
const GIVES_WAY: GivesWay<'_, Column> = GivesWay {
    cut: &[(Column::Labels, 8), (Column::Assignee, 8), (Column::Title, 24)],
    left_out: &[Column::Labels, Column::Assignee, Column::Priority, Column::Status],
};
/// What is left of a title where there is no room for anything else.
const SHORTEST_TITLE: usize = 8;

/// Makes a list no wider than this, if that can be done.
pub(super) fn fit(list: &mut Columns<Column>, most: usize) {
    list.fit(most, &GIVES_WAY);
    list.cut(Column::Title, SHORTEST_TITLE, most);
}
