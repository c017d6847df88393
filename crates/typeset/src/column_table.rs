//! Fits a table into the width of a terminal, by cutting columns and by omitting some.

use crate::table::{GAP, TableCell, widths};
use crate::text::shortened;

/// A table with named columns. The first row has the titles.
#[derive(Debug, Clone)]
pub struct ColumnTable<C> {
    names: Vec<C>,
    rows: Vec<Vec<TableCell>>,
}

/// Which columns shrink when there is not enough space.
#[derive(Debug, Clone, Copy)]
pub struct ShrinkRule<'a, C> {
    /// The columns that are cut, in order, each with its minimum width.
    pub cut: &'a [(C, usize)],
    /// The columns that can be omitted, the least important first.
    pub left_out: &'a [C],
}

impl<C: Copy + PartialEq> ColumnTable<C> {
    /// A table of these columns. Each row must have a cell for every column.
    pub fn new(names: Vec<C>, rows: Vec<Vec<TableCell>>) -> Self {
        debug_assert!(rows.iter().all(|row| row.len() == names.len()), "no row is ragged");
        Self { names, rows }
    }

    /// The rows in their current form.
    pub fn into_rows(self) -> Vec<Vec<TableCell>> {
        self.rows
    }

    /// Omits the columns that have nothing below their title.
    pub fn leave_out_empty(&mut self) {
        for column in self.names.clone() {
            let index = self.index(column);
            let is_empty = |row: &Vec<TableCell>| {
                index.and_then(|index| row.get(index)).is_none_or(|cell| cell.text().is_empty())
            };
            if self.rows.iter().skip(1).all(is_empty) {
                self.leave_out(column);
            }
        }
    }

    /// Makes the table no wider than `most`, if possible: columns that do not fit even when cut are
    /// omitted, and the others are cut.
    pub fn fit(&mut self, most: usize, gives_way: &ShrinkRule<'_, C>) {
        for column in gives_way.left_out {
            if self.min_width(gives_way) > most {
                self.leave_out(*column);
            }
        }
        for (column, least) in gives_way.cut {
            self.cut(*column, *least, most);
        }
    }

    /// The width of the table when all columns are cut to their minimum.
    pub fn min_width(&self, gives_way: &ShrinkRule<'_, C>) -> usize {
        let least = |column: &C| gives_way.cut.iter().find(|(cut, _)| cut == column);
        let widths = self.names.iter().zip(widths(&self.rows));
        let cut = widths.map(|(column, width)| least(column).map_or(width, |cut| width.min(cut.1)));
        cut.sum::<usize>() + self.gaps()
    }

    /// Cuts a column, if it exists, until the table is no wider than `most` or the column is
    /// `least` wide.
    pub fn cut(&mut self, column: C, least: usize, most: usize) {
        let widths = widths(&self.rows);
        let Some(width) = self.index(column).and_then(|index| widths.get(index)) else { return };
        let others = widths.iter().sum::<usize>() - width + self.gaps();
        let room = most.saturating_sub(others).max(least);
        self.change(column, |text| shortened(text, room));
    }

    /// Changes all texts of a column, if it exists. The new texts must be safe to print.
    pub fn change(&mut self, column: C, change: impl Fn(&str) -> String) {
        let Some(index) = self.index(column) else { return };
        for row in &mut self.rows {
            let text = change(row[index].text());
            row[index].set_text(text);
        }
    }

    fn leave_out(&mut self, column: C) {
        let Some(index) = self.index(column) else { return };
        self.names.remove(index);
        for row in &mut self.rows {
            row.remove(index);
        }
    }

    fn gaps(&self) -> usize {
        GAP.len() * self.names.len().saturating_sub(1)
    }

    fn index(&self, column: C) -> Option<usize> {
        self.names.iter().position(|there| *there == column)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use unicode_width::UnicodeWidthStr;

    use super::*;
    use crate::table::aligned;

    const SHRINK_RULE: ShrinkRule<'_, char> =
        ShrinkRule { cut: &[('t', 6), ('n', 3)], left_out: &['n', 't'] };

    fn columns(rows: &[[&str; 3]]) -> ColumnTable<char> {
        let rows = rows.iter().map(|row| row.map(TableCell::new).to_vec()).collect();
        ColumnTable::new(vec!['i', 't', 'n'], rows)
    }

    fn fitted(most: usize) -> String {
        let mut columns = columns(&[["ID", "TITLE", "NAME"], ["T-1", "Fix the login", "lovelace"]]);
        columns.fit(most, &SHRINK_RULE);
        aligned(&columns.into_rows())
    }

    #[test]
    fn a_table_with_enough_room_stays_as_it_is() {
        assert_eq!(fitted(28), "ID   TITLE          NAME\nT-1  Fix the login  lovelace\n");
    }

    #[test]
    fn columns_without_content_can_be_left_out() {
        let mut columns = columns(&[["ID", "TITLE", "NAME"], ["T-1", "", "x"], ["T-2", "", ""]]);
        columns.leave_out_empty();
        assert_eq!(aligned(&columns.into_rows()), "ID   NAME\nT-1  x\nT-2\n");
    }

    #[test]
    fn columns_are_cut_one_after_the_other() {
        assert_eq!(fitted(24), "ID   TITLE      NAME\nT-1  Fix the …  lovelace\n");
        assert_eq!(fitted(18), "ID   TITLE   NAME\nT-1  Fix t…  love…\n");
    }

    #[test]
    fn what_does_not_fit_is_left_out() {
        assert_eq!(fitted(15), "ID   TITLE\nT-1  Fix the l…\n");
        assert_eq!(fitted(10), "ID\nT-1\n");
        assert_eq!(fitted(1), "ID\nT-1\n");
    }

    #[test]
    fn a_column_that_is_not_there_is_no_matter() {
        let mut columns = columns(&[["a", "b", "c"]]);
        columns.cut('x', 1, 1);
        columns.change('x', |_| String::new());
        columns.change('t', str::to_uppercase);
        assert_eq!(aligned(&columns.into_rows()), "a  B  c\n");
    }

    proptest! {
        #[test]
        fn a_table_is_as_narrow_as_it_can_be(
            texts in prop::collection::vec(["[a日]{0,4}", "[a日 ]{0,20}", "[a日]{0,9}"], 0..4),
            most in 0_usize..50,
        ) {
            let rows: Vec<[&str; 3]> =
                texts.iter().map(|row| [row[0].as_str(), row[1].as_str(), row[2].as_str()]).collect();
            let mut columns = columns(&rows);
            let nothing_but_ids = rows.iter().map(|row| row[0].width()).max().unwrap_or(0);
            columns.fit(most, &SHRINK_RULE);
            let shown = aligned(&columns.into_rows());
            let widest = shown.lines().map(UnicodeWidthStr::width).max().unwrap_or(0);
            prop_assert!(widest <= most.max(nothing_but_ids), "{most}:\n{shown}");
        }
    }
}
