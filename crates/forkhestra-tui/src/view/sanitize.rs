//! Final pass over a frame: strips control characters, and characters that the terminal cannot
//! show.

use ratatui::buffer::{Buffer, Cell};
use ratatui::style::Color;
use typeset::character_set::CharacterSet;
use typeset::color_mode::PrintStyle;
use typeset::text::is_control_character;

use super::run::sparkline;

/// Sanitizes all cells.
pub(crate) fn sanitize(buffer: &mut Buffer, style: PrintStyle) {
    for cell in &mut buffer.content {
        let is_plain = matches!(cell.symbol().as_bytes(), [b' '..=b'~']);
        if !is_plain {
            spell(cell, style.letters);
        }
        if !style.colored {
            (cell.fg, cell.bg) = (Color::Reset, Color::Reset);
        }
    }
}

fn spell(cell: &mut Cell, letters: CharacterSet) {
    if cell.symbol().contains(is_control_character) {
        cell.set_symbol("·");
    }
    if letters == CharacterSet::Ascii
        && let Some(ascii) = in_ascii(cell.symbol())
    {
        cell.set_symbol(&ascii);
    }
}

/// The ASCII replacement for a sign of the UI. Other characters stay unchanged.
fn in_ascii(symbol: &str) -> Option<String> {
    let mut letters = symbol.chars();
    let (Some(letter), None) = (letters.next(), letters.next()) else { return None };
    let ours = match letter {
        '■' => Some("#"),
        '‖' => Some("\""),
        '▌' | '»' => Some(">"),
        '╮' => Some("."),
        '╯' => Some("'"),
        '…' => Some("~"),
        'Δ' => Some("d"),
        '±' => Some("%"),
        '┃' => Some("|"),
        level => sparkline::in_ascii(level),
    };
    ours.map(str::to_owned).or_else(|| {
        let spelt = CharacterSet::Ascii.transliterate(symbol);
        (spelt != symbol).then(|| spelt.into_owned())
    })
}

#[cfg(test)]
mod tests {
    use ratatui::layout::Rect;
    use ratatui::style::Style;

    use super::*;

    /// Sanitizes a single cell.
    fn finished(symbol: &str, style: PrintStyle) -> String {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 1, 1));
        buffer[(0, 0)].set_symbol(symbol).set_style(Style::new().fg(Color::Red).bg(Color::Blue));
        sanitize(&mut buffer, style);
        let cell = &buffer[(0, 0)];
        assert_eq!(cell.fg == Color::Red && cell.bg == Color::Blue, style.colored);
        cell.symbol().to_owned()
    }

    #[test]
    fn no_control_sequence_survives() {
        for symbol in ["\u{1b}", "\u{7}", "\u{9b}", "\u{202e}", "a\u{202e}", "\n"] {
            assert_eq!(finished(symbol, PrintStyle::new(true)), "·", "{symbol:?}");
            let ascii = PrintStyle { colored: false, letters: CharacterSet::Ascii };
            assert_eq!(finished(symbol, ascii), "-", "{symbol:?}");
        }
        for symbol in ["a", "é", "日", "e\u{301}"] {
            assert_eq!(finished(symbol, PrintStyle::new(false)), symbol);
        }
    }
}
