//! Making a list as narrow as a terminal is: first by cutting, then by leaving out.

use super::Column;
use crate::cli::report::table::{Cell, GAP, widths};
use crate::cli::report::text::shortened;

/// The columns that are cut, the first one first, and what is left of them at least.
const CUT: [(Column, usize); 3] = [(Column::Labels, 8), (Column::Assignee, 8), (Column::Title, 24)];
/// The columns that nobody needs as much as the others, the least needed first.
const LEFT_OUT: [Column; 4] = [Column::Labels, Column::Assignee, Column::Priority, Column::Status];
/// What is left of a title where there is no room for anything else.
const SHORTEST_TITLE: usize = 8;

/// The rows of a list, with its titles first.
pub(super) struct Rows {
    pub(super) columns: Vec<Column>,
    pub(super) rows: Vec<Vec<Cell>>,
}

impl Rows {
    /// Makes them no wider than this, if that can be done.
    pub(super) fn fit(mut self, most: usize) -> Vec<Vec<Cell>> {
        for column in LEFT_OUT {
            if self.least_width() > most {
                self.leave_out(column);
            }
        }
        for (column, least) in CUT {
            self.cut(column, least, most);
        }
        self.cut(Column::Title, SHORTEST_TITLE, most);
        self.rows
    }

    /// How wide they are when everything is cut that can be.
    fn least_width(&self) -> usize {
        let least = |column: &Column| CUT.iter().find(|(cut, _)| cut == column);
        let widths = self.columns.iter().zip(widths(&self.rows));
        let cut = widths.map(|(column, width)| least(column).map_or(width, |cut| width.min(cut.1)));
        cut.sum::<usize>() + self.gaps()
    }

    fn gaps(&self) -> usize {
        GAP.len() * self.columns.len().saturating_sub(1)
    }

    fn leave_out(&mut self, column: Column) {
        let Some(index) = self.index(column) else { return };
        self.columns.remove(index);
        for row in &mut self.rows {
            row.remove(index);
        }
    }

    fn cut(&mut self, column: Column, least: usize, most: usize) {
        let Some(index) = self.index(column) else { return };
        let widths = widths(&self.rows);
        let others = widths.iter().sum::<usize>() - widths[index] + self.gaps();
        let room = most.saturating_sub(others).max(least);
        for row in &mut self.rows {
            row[index].text = shortened(&row[index].text, room);
        }
    }

    fn index(&self, column: Column) -> Option<usize> {
        self.columns.iter().position(|there| *there == column)
    }
}
