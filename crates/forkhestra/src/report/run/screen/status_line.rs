//! The live line below the output of agents.
//!
//! It is drawn where the next line of output begins, and the cursor returns there, so that a
//! narrowed window keeps no remains. The colours that an agent left active are restored too.

use anstyle::{AnsiColor, Style};
use typeset::text::shortened;

use super::window::LiveLineWindow;

const STYLE: Style = AnsiColor::Cyan.on_default();
/// Saves cursor position and colours, and resets the colours.
const BEGIN: &str = "\x1b7\x1b[0m";
/// Restores the saved cursor state.
const END: &str = "\x1b8";
/// Clears from the cursor to the end of the screen: in a narrowed window the line wraps.
const CLEAR: &str = "\x1b[J";

/// Clears the live line of a finished process and its colours. The cursor is at the start of that
/// line.
pub(crate) const CLEAR_ABANDONED: &[u8] = b"\x1b[0m\x1b[J";

/// A line that is drawn and erased around other output.
pub(crate) struct StatusLine {
    window: Box<dyn LiveLineWindow>,
    is_colored: bool,
    text: Option<String>,
    is_hidden: bool,
    /// The text on the screen, if drawn.
    drawn: Option<String>,
}

impl StatusLine {
    /// Creates a line without text.
    pub(crate) fn new(window: Box<dyn LiveLineWindow>, is_colored: bool) -> Self {
        Self { window, is_colored, text: None, is_hidden: false, drawn: None }
    }

    /// Sets the text for the next drawing.
    pub(crate) fn set_text(&mut self, text: Option<String>) {
        self.text = text;
    }

    /// Sets whether the line is hidden.
    pub(crate) fn set_hidden(&mut self, is_hidden: bool) {
        self.is_hidden = is_hidden;
    }

    /// Whether the drawn text is current, given whether the cursor is free for it.
    pub(crate) fn is_up_to_date(&self, is_free: bool) -> bool {
        let wanted = if is_free { self.painting() } else { None };
        self.drawn == wanted
    }

    /// Appends the bytes that erase the line.
    pub(crate) fn erase(&mut self, frame: &mut Vec<u8>) {
        if self.drawn.take().is_some() {
            frame.extend_from_slice(format!("{BEGIN}{CLEAR}{END}").as_bytes());
        }
    }

    /// Appends the bytes that draw the line, at the start of an empty line.
    pub(crate) fn draw(&mut self, frame: &mut Vec<u8>) {
        self.drawn = self.painting();
        if let Some(painting) = &self.drawn {
            frame.extend_from_slice(format!("{BEGIN}{painting}{END}").as_bytes());
        }
    }

    fn painting(&self) -> Option<String> {
        let text = self.text.as_deref().filter(|_| !self.is_hidden)?;
        // The last column stays empty: some terminals wrap as soon as it is filled.
        let text = shortened(text, self.window.columns()?.saturating_sub(1));
        Some(if self.is_colored { format!("{STYLE}{text}") } else { text })
    }
}
