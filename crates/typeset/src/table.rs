//! Tables with aligned columns.

use anstyle::Style;
use unicode_width::UnicodeWidthStr;

use crate::style::paint;

/// The separator between two cells.
pub const GAP: &str = "  ";

/// One cell of a table.
#[derive(Debug, Clone)]
pub struct TableCell {
    text: String,
    style: Style,
}

impl TableCell {
    /// A cell with this text, which must be safe to print.
    pub fn new(text: impl Into<String>) -> Self {
        Self::painted(text, Style::new())
    }

    /// A cell in a colour.
    pub fn painted(text: impl Into<String>, style: Style) -> Self {
        Self { text: text.into(), style }
    }

    /// The text without its colour.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The width in columns.
    pub fn width(&self) -> usize {
        self.text.width()
    }

    /// The text with its colour.
    pub fn styled(&self) -> String {
        paint(self.style, &self.text)
    }

    /// Replaces the text and keeps the colour. The text must be safe to print.
    pub(crate) fn set_text(&mut self, text: String) {
        self.text = text;
    }
}

/// The width of each column's widest cell.
pub fn widths(rows: &[Vec<TableCell>]) -> Vec<usize> {
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
pub fn aligned(rows: &[Vec<TableCell>]) -> String {
    aligned_to(rows, &widths(rows))
}

/// A line for each row, with columns of these widths.
pub fn aligned_to(rows: &[Vec<TableCell>], widths: &[usize]) -> String {
    rows.iter().map(|row| line(row, widths) + "\n").collect()
}

/// A line for each row, with an indent.
pub fn indented(rows: &[Vec<TableCell>], indent: &str) -> String {
    let widths = widths(rows);
    rows.iter().map(|row| format!("{indent}{}\n", line(row, &widths))).collect()
}

/// A row without trailing blanks.
fn line(row: &[TableCell], widths: &[usize]) -> String {
    let filled = row.iter().rposition(|cell| !cell.text.is_empty()).map_or(0, |last| last + 1);
    let mut line = String::new();
    for (index, (cell, width)) in row[..filled].iter().zip(widths).enumerate() {
        line.push_str(&cell.styled());
        if index + 1 < filled {
            line.push_str(&" ".repeat(width.saturating_sub(cell.width())));
            line.push_str(GAP);
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::style::DIM;

    fn rows() -> [Vec<TableCell>; 3] {
        [["a", "日本", "x"], ["bbb", "c", ""], ["", "", ""]]
            .map(|row| row.map(TableCell::new).to_vec())
    }

    #[test]
    fn cells_stand_below_one_another_and_nothing_hangs_over() {
        assert_eq!(aligned(&rows()), "a    日本  x\nbbb  c\n\n");
    }

    #[test]
    fn rows_can_be_moved_to_the_right() {
        assert_eq!(indented(&rows(), "> "), "> a    日本  x\n> bbb  c\n> \n");
    }

    #[test]
    fn columns_can_be_wider_than_their_cells_and_cells_wider_than_their_columns() {
        assert_eq!(aligned_to(&rows(), &[4, 2, 1]), "a     日本  x\nbbb   c\n\n");
    }

    #[test]
    fn colours_take_no_room() {
        let rows = [
            vec![TableCell::painted("a", DIM), TableCell::new("b")],
            vec![TableCell::new("cc"), TableCell::new("d")],
        ];
        let plain = anstream::adapter::strip_str(&aligned(&rows)).to_string();
        assert_eq!(plain, "a   b\ncc  d\n");
        assert!(aligned(&rows).contains('\u{1b}'));
    }
}
