//! The two streams a person reads: data on standard output, talk on standard error.

use std::io::{self, Write};

use anstream::{AutoStream, ColorChoice};
use forkhestra_core::diagnostic::Diagnostic;

use crate::args::Color;
use crate::report::diagnostic;

/// Where everything is printed. Colours are dropped where the reader does not want them.
pub(crate) struct Screen {
    out: AutoStream<io::Stdout>,
    err: AutoStream<io::Stderr>,
}

impl Screen {
    /// A screen with colours as the user wishes.
    pub(crate) fn new(color: Color) -> Self {
        let choice = match color {
            Color::Auto => ColorChoice::Auto,
            Color::Always => ColorChoice::Always,
            Color::Never => ColorChoice::Never,
        };
        Self {
            out: AutoStream::new(io::stdout(), choice),
            err: AutoStream::new(io::stderr(), choice),
        }
    }

    /// Prints data, all of it at once.
    pub(crate) fn print(&mut self, text: &str) -> io::Result<()> {
        self.out.write_all(text.as_bytes())?;
        self.out.flush()
    }

    /// Prints messages for the person at the terminal.
    pub(crate) fn tell(&mut self, diagnostics: &[Diagnostic]) {
        let text: String = diagnostics.iter().map(diagnostic::render).collect();
        // With standard error gone there is no way left to say anything; the exit code still does.
        let _ = self.err.write_all(text.as_bytes());
        let _ = self.err.flush();
    }
}
