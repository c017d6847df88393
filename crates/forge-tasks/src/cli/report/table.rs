//! Rows whose cells stand below one another.

use anstyle::Style;
use unicode_width::UnicodeWidthStr;

use super::style::paint;

/// What stands between two cells.
pub(crate) const GAP: &str = "  ";

/// One cell of a table.
#[derive(Debug, Clone)]
pub(crate) struct Cell {
    pub(crate) text: String,
    style: Style,
}

impl Cell {
    /// A cell with this text, which must be safe to print.
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self::painted(text, Style::new())
    }

    /// The same in a colour.
    pub(crate) fn painted(text: impl Into<String>, style: Style) -> Self {
        Self { text: text.into(), style }
    }

    /// How many columns it fills.
    pub(crate) fn width(&self) -> usize {
        self.text.width()
    }

    fn shown(&self) -> String {
        paint(self.style, &self.text)
    }
}

/// How wide each column must be for its widest cell.
pub(crate) fn widths(rows: &[Vec<Cell>]) -> Vec<usize> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let mut widths = vec![0; columns];
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.width().max(*width);
        }
    }
    widths
}

/// A line for each row.
pub(crate) fn aligned(rows: &[Vec<Cell>]) -> String {
    aligned_to(rows, &widths(rows))
}

/// A line for each row, with columns of these widths.
pub(crate) fn aligned_to(rows: &[Vec<Cell>], widths: &[usize]) -> String {
    rows.iter().map(|row| line(row, widths) + "\n").collect()
}

/// A row without what nobody sees at its end.
fn line(row: &[Cell], widths: &[usize]) -> String {
    let filled = row.iter().rposition(|cell| !cell.text.is_empty()).map_or(0, |last| last + 1);
    let mut line = String::new();
    for (index, (cell, width)) in row[..filled].iter().zip(widths).enumerate() {
        line.push_str(&cell.shown());
        if index + 1 < filled {
            line.push_str(&" ".repeat(width.saturating_sub(cell.width())));
            line.push_str(GAP);
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::super::style::DIM;
    use super::*;

    #[test]
    fn cells_stand_below_one_another_and_nothing_hangs_over() {
        let row = |cells: [&str; 3]| cells.map(Cell::new).to_vec();
        let rows = [row(["a", "日本", "x"]), row(["bbb", "c", ""]), row(["", "", ""])];
        assert_eq!(aligned(&rows), "a    日本  x\nbbb  c\n\n");
    }

    #[test]
    fn colours_take_no_room() {
        let rows =
            [vec![Cell::painted("a", DIM), Cell::new("b")], vec![Cell::new("cc"), Cell::new("d")]];
        let plain = anstream::adapter::strip_str(&aligned(&rows)).to_string();
        assert_eq!(plain, "a   b\ncc  d\n");
        assert!(aligned(&rows).contains('\u{1b}'));
    }
}
