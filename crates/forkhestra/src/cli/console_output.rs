//! The two streams a person reads: data on standard output, talk on standard error.

use std::cmp::Reverse;
use std::io::{self, IsTerminal, Write};

use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::text;
use rustix::termios::tcgetwinsize;
use typeset::color_mode::{ColorMode, PrintStyle, painted};

use crate::report::diagnostic;

/// More messages at once than anybody reads.
const MOST_SHOWN: usize = 200;

/// Where everything is printed.
pub(crate) struct ConsoleOutput {
    ink_out: PrintStyle,
    ink_err: PrintStyle,
}

impl ConsoleOutput {
    /// A screen with colours as the user wishes, each stream by itself.
    pub(crate) fn new(color: ColorMode) -> Self {
        Self { ink_out: color.style_for(&io::stdout()), ink_err: color.style_for(&io::stderr()) }
    }

    /// Prints text for people, all of it at once, with or without its colours.
    pub(crate) fn print(&mut self, text: &str) -> io::Result<()> {
        self.print_data(&painted(text, self.ink_out))
    }

    /// Prints text for programs, as it is.
    pub(crate) fn print_data(&mut self, text: &str) -> io::Result<()> {
        let mut out = io::stdout().lock();
        out.write_all(text.as_bytes())?;
        out.flush()
    }

    /// Says something to the person at the terminal that is neither wrong nor doubtful.
    pub(crate) fn remark(&mut self, text: &str) {
        // With standard error gone there is no way left to say anything; the exit code still does.
        let _ = io::stderr().write_all(painted(text, self.ink_err).as_bytes());
    }

    /// How wide a line on standard output may be; none if it does not go to a terminal.
    pub(crate) fn columns(&self) -> Option<usize> {
        let out = io::stdout();
        let columns = out.is_terminal().then(|| tcgetwinsize(&out).ok())??.ws_col;
        (columns > 0).then(|| usize::from(columns))
    }

    /// Prints messages for the person at the terminal.
    pub(crate) fn report(&mut self, diagnostics: &[Diagnostic]) {
        let mut shown: Vec<&Diagnostic> = diagnostics.iter().collect();
        let more = diagnostics.len().saturating_sub(MOST_SHOWN);
        if more > 0 {
            // What stops us must be among what is shown.
            shown.sort_by_key(|diagnostic| Reverse(diagnostic.severity));
        }
        let mut text: String = shown.into_iter().take(MOST_SHOWN).map(diagnostic::render).collect();
        if more > 0 {
            text.push_str(&format!("… and {} like these\n", text::count(more, "more message")));
        }
        self.remark(&text);
    }
}
