//! Making a list of runs as narrow as a terminal is: first by saying less, then by leaving out.

use super::Column;
use crate::report::table::{Cell, GAP, widths};
use crate::report::text::shortened;

/// The columns that are cut, the first one first, and what is left of them at least.
const CUT: [(Column, usize); 3] = [(Column::Chain, 12), (Column::Directory, 12), (Column::Step, 8)];
/// The columns that nobody needs as much as the others, the least needed first.
const LEFT_OUT: [Column; 6] = [
    Column::Duration,
    Column::Started,
    Column::Cost,
    Column::Directory,
    Column::Iterations,
    Column::Chain,
];

/// The rows of a list, with its titles first.
pub(super) struct Rows {
    pub(super) columns: Vec<Column>,
    pub(super) rows: Vec<Vec<Cell>>,
}

impl Rows {
    /// Makes them no wider than this, if that can be done.
    pub(super) fn fit(mut self, most: usize) -> Vec<Vec<Cell>> {
        if self.least_width() > most {
            self.be_brief();
        }
        for column in LEFT_OUT {
            if self.least_width() > most {
                self.leave_out(column);
            }
        }
        for (column, least) in CUT {
            self.cut(column, least, most);
        }
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

    /// Leaves out the year, and most of the titles of narrow columns.
    fn be_brief(&mut self) {
        self.change(Column::Iterations, |text| text.replace("ITERATIONS", "ITER"));
        self.change(Column::Started, |text| match text.split_once('-') {
            Some((_, rest)) => rest.to_owned(),
            None => text.replace(" (UTC)", ""),
        });
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
        self.change(column, |text| shortened(text, room));
    }

    fn change(&mut self, column: Column, change: impl Fn(&str) -> String) {
        let Some(index) = self.index(column) else { return };
        for row in &mut self.rows {
            row[index].text = change(&row[index].text);
        }
    }

    fn index(&self, column: Column) -> Option<usize> {
        self.columns.iter().position(|there| *there == column)
    }
}
