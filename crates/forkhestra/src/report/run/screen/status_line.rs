//! The live line below what agents print.
//!
//! It is drawn where the next line of output will begin, and the cursor is put back there, so that
//! a window that becomes narrower leaves nothing behind. The colours that an agent left on are put
//! back as well.

use anstyle::{AnsiColor, Style};
use typeset::text::shortened;

use super::window::LiveLineWindow;

const STYLE: Style = AnsiColor::Cyan.on_default();
/// Remembers place and colours, and draws without those.
const BEGIN: &str = "\x1b7\x1b[0m";
/// Goes back to what was remembered.
const END: &str = "\x1b8";
/// Clears from the cursor on: in a window that became narrower our line goes over several.
const CLEAR: &str = "\x1b[J";

/// Clears the live line of a process that is gone, and its colours: the cursor is where the line begins.
pub(crate) const CLEAR_ABANDONED: &[u8] = b"\x1b[0m\x1b[J";

/// A line that comes and goes.
pub(crate) struct StatusLine {
    window: Box<dyn LiveLineWindow>,
    is_colored: bool,
    /// What it says, if anything.
    text: Option<String>,
    /// Whether it has to stay away for now.
    is_hidden: bool,
    /// What can be seen of it now.
    drawn: Option<String>,
}

impl StatusLine {
    /// A line that says nothing yet.
    pub(crate) fn new(window: Box<dyn LiveLineWindow>, is_colored: bool) -> Self {
        Self { window, is_colored, text: None, is_hidden: false, drawn: None }
    }

    /// Changes what it says from the next drawing on.
    pub(crate) fn set_text(&mut self, text: Option<String>) {
        self.text = text;
    }

    /// Changes whether it has to stay away.
    pub(crate) fn set_hidden(&mut self, is_hidden: bool) {
        self.is_hidden = is_hidden;
    }

    /// Whether it looks as it should, given whether there is a place for it.
    pub(crate) fn is_up_to_date(&self, is_free: bool) -> bool {
        let wanted = if is_free { self.painting() } else { None };
        self.drawn == wanted
    }

    /// Adds what removes it from the screen.
    pub(crate) fn erase(&mut self, frame: &mut Vec<u8>) {
        if self.drawn.take().is_some() {
            frame.extend_from_slice(format!("{BEGIN}{CLEAR}{END}").as_bytes());
        }
    }

    /// Adds what puts it on the screen, at the start of an empty line.
    pub(crate) fn draw(&mut self, frame: &mut Vec<u8>) {
        self.drawn = self.painting();
        if let Some(painting) = &self.drawn {
            frame.extend_from_slice(format!("{BEGIN}{painting}{END}").as_bytes());
        }
    }

    fn painting(&self) -> Option<String> {
        let text = self.text.as_deref().filter(|_| !self.is_hidden)?;
        // The last column stays empty: some terminals go to the next line as soon as it is filled.
        let text = shortened(text, self.window.columns()?.saturating_sub(1));
        Some(if self.is_colored { format!("{STYLE}{text}") } else { text })
    }
}
