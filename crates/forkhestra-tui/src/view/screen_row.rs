//! A row of the screen, in pieces of one style each.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use typeset::text::{shortened, visible};
use unicode_width::UnicodeWidthStr;

/// A row of the screen.
#[derive(Debug, Clone, Default)]
pub(crate) struct ScreenRow {
    pieces: Vec<(Style, String)>,
}

impl ScreenRow {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Adds trusted or sanitized text.
    #[must_use]
    pub(crate) fn add(mut self, style: Style, text: impl Into<String>) -> Self {
        self.pieces.push((style, text.into()));
        self
    }

    /// Adds untrusted text, which is sanitized.
    #[must_use]
    pub(crate) fn add_foreign(self, style: Style, text: &str) -> Self {
        self.add(style, clean(text))
    }

    /// Appends another row.
    #[must_use]
    pub(crate) fn join(mut self, other: Self) -> Self {
        self.pieces.extend(other.pieces);
        self
    }

    /// Width in columns.
    pub(crate) fn width(&self) -> usize {
        self.pieces.iter().map(|(_, text)| text.width()).sum()
    }

    /// Draws the row into the first line of an area, cut to its width.
    pub(crate) fn draw(&self, area: Rect, buffer: &mut Buffer) {
        if area.is_empty() {
            return;
        }
        let end = area.right();
        let mut column = area.x;
        let is_cut = self.width() > usize::from(area.width);
        for (style, text) in &self.pieces {
            let room = usize::from(end - column);
            if room == 0 {
                return;
            }
            // The piece that does not fit ends with an ellipsis.
            let is_last = is_cut && text.width() > room;
            let text = if is_last { shortened(text, room) } else { text.clone() };
            // Resets the style of earlier content.
            let style = Style::reset().patch(*style);
            (column, _) = buffer.set_stringn(column, area.y, text, room, style);
            if is_last {
                return;
            }
        }
    }

    /// Draws the row right-aligned and returns the remaining area. A row that does not fit is not
    /// drawn.
    pub(crate) fn draw_right(&self, area: Rect, buffer: &mut Buffer) -> Rect {
        let width = columns(self.width());
        if width == 0 || width > area.width {
            return area;
        }
        let at = Rect { x: area.right() - width, width, ..area };
        self.draw(at, buffer);
        Rect { width: area.width - width, ..area }
    }
}

/// Untrusted text on one line, without control characters.
pub(crate) fn clean(text: &str) -> String {
    visible(&text.replace('\t', "    "))
}

/// A number of columns or rows as the terminal counts them.
pub(crate) fn columns(number: usize) -> u16 {
    u16::try_from(number).unwrap_or(u16::MAX)
}

/// The row of an area with this index; an empty area if there is no such row.
pub(crate) fn row_at(area: Rect, number: usize) -> Rect {
    let number = columns(number);
    if number >= area.height {
        return Rect { height: 0, ..area };
    }
    Rect { y: area.y + number, height: 1, ..area }
}
