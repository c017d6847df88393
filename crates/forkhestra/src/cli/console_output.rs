//! The output streams of a command: data goes to standard output, messages to standard error.

use std::cmp::Reverse;
use std::io::{self, Write};

use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::text;
use typeset::color_mode::{ColorMode, PrintStyle, painted};
use typeset::console::terminal_columns;

use crate::report::diagnostic;

/// Upper bound for the messages of one report.
const MAX_SHOWN: usize = 200;

/// Writer for standard output and standard error.
pub(crate) struct ConsoleOutput {
    stdout_style: PrintStyle,
    stderr_style: PrintStyle,
}

impl ConsoleOutput {
    /// Chooses colours for each stream separately, by the user's [`ColorMode`].
    pub(crate) fn new(color: ColorMode) -> Self {
        Self {
            stdout_style: color.style_for(&io::stdout()),
            stderr_style: color.style_for(&io::stderr()),
        }
    }

    /// Prints text for people in one write, with or without colours.
    pub(crate) fn print(&mut self, text: &str) -> io::Result<()> {
        self.print_data(&painted(text, self.stdout_style))
    }

    /// Prints text for programs, unchanged.
    pub(crate) fn print_data(&mut self, text: &str) -> io::Result<()> {
        let mut out = io::stdout().lock();
        out.write_all(text.as_bytes())?;
        out.flush()
    }

    /// Prints a message to standard error that is neither an error nor a warning.
    pub(crate) fn remark(&mut self, text: &str) {
        // If standard error is closed, the message is dropped; the exit code still reports the
        // result.
        let _ = io::stderr().write_all(painted(text, self.stderr_style).as_bytes());
    }

    /// The width of the terminal on standard output; `None` if it is not a terminal.
    pub(crate) fn columns(&self) -> Option<usize> {
        terminal_columns()
    }

    /// Prints diagnostics to standard error.
    pub(crate) fn report(&mut self, diagnostics: &[Diagnostic]) {
        let mut shown: Vec<&Diagnostic> = diagnostics.iter().collect();
        let more = diagnostics.len().saturating_sub(MAX_SHOWN);
        if more > 0 {
            // The most severe messages must be among those shown.
            shown.sort_by_key(|diagnostic| Reverse(diagnostic.severity));
        }
        let mut text: String = shown.into_iter().take(MAX_SHOWN).map(diagnostic::render).collect();
        if more > 0 {
            text.push_str(&format!("… and {} like these\n", text::count(more, "more message")));
        }
        self.remark(&text);
    }
}
