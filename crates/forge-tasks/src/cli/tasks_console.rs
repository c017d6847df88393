//! The streams of the program: data on standard output, messages on standard error.

use std::fmt::Display;
use std::io::{self, BufRead, IsTerminal, Write};

use anstyle::Style;
use typeset::color_mode::{ColorMode, PrintStyle, painted};
use typeset::console::terminal_columns;
use typeset::style::{BAD, DIM, WARNING, paint};
use typeset::text::visible;

/// The most warnings that are printed.
const MAX_WARNINGS: usize = 100;

/// The streams for output, messages and answers.
pub(crate) struct TasksConsole<'a> {
    pub(crate) out: &'a mut dyn Write,
    pub(crate) err: &'a mut dyn Write,
    pub(crate) input: &'a mut dyn BufRead,
    pub(crate) features: StreamFeatures,
}

/// The features of the streams.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct StreamFeatures {
    /// The colours of standard output.
    pub(crate) out: PrintStyle,
    /// The colours of standard error.
    pub(crate) err: PrintStyle,
    /// The maximum width of a line on standard output; `None` for no limit.
    pub(crate) columns: Option<usize>,
    /// Whether the user can be asked.
    pub(crate) can_ask: bool,
}

impl StreamFeatures {
    /// Determines the features from options, environment and streams, in this order.
    pub(crate) fn real(color: ColorMode, columns: Option<usize>) -> Self {
        let (out, err) = (io::stdout(), io::stderr());
        Self {
            out: color.style_for(&out),
            err: color.style_for(&err),
            columns: columns.or_else(terminal_columns),
            can_ask: io::stdin().is_terminal() && err.is_terminal(),
        }
    }
}

impl TasksConsole<'_> {
    /// The same streams for a shorter time.
    pub(crate) fn reborrow(&mut self) -> TasksConsole<'_> {
        TasksConsole { out: self.out, err: self.err, input: self.input, features: self.features }
    }

    /// Prints text for people in one write, with or without colours.
    pub(crate) fn print(&mut self, text: &str) -> io::Result<()> {
        self.print_data(&painted(text, self.features.out))
    }

    /// Prints text for programs, unchanged.
    pub(crate) fn print_data(&mut self, text: &str) -> io::Result<()> {
        self.out.write_all(text.as_bytes())?;
        self.out.flush()
    }

    /// Prints the error that ends the command.
    pub(crate) fn error(&mut self, message: &str) {
        self.tell("error", BAD.bold(), message);
    }

    /// Prints a note.
    pub(crate) fn note(&mut self, message: &str) {
        self.tell("note", DIM, message);
    }

    /// Prints warnings, a line each.
    pub(crate) fn warn<D: Display>(&mut self, messages: &[D]) {
        for message in messages.iter().take(MAX_WARNINGS) {
            self.tell("warning", WARNING, &message.to_string());
        }
        let more = messages.len().saturating_sub(MAX_WARNINGS);
        if more > 0 {
            self.tell("warning", WARNING, &format!("… and {more} more like these"));
        }
    }

    /// Asks a question with the answers yes and no. The default is no.
    pub(crate) fn ask(&mut self, question: &str) -> io::Result<bool> {
        self.talk(&format!("{} [y/N] ", visible(question)));
        let mut answer = String::new();
        self.input.read_line(&mut answer)?;
        Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
    }

    /// Prints a message.
    pub(crate) fn say(&mut self, message: &str) {
        self.talk(&format!("{}\n", visible(message)));
    }

    fn tell(&mut self, kind: &str, style: Style, message: &str) {
        self.talk(&format!("{} {}\n", paint(style, &format!("{kind}:")), visible(message)));
    }

    fn talk(&mut self, text: &str) {
        // If standard error is closed, only the exit code is left.
        let _ = self.err.write_all(painted(text, self.features.err).as_bytes());
        let _ = self.err.flush();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(
        features: StreamFeatures,
        input: &str,
        act: impl FnOnce(&mut TasksConsole<'_>),
    ) -> (String, String) {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let mut input = input.as_bytes();
        act(&mut TasksConsole { out: &mut out, err: &mut err, input: &mut input, features });
        let text = |bytes| String::from_utf8(bytes).expect("it is text");
        (text(out), text(err))
    }

    #[test]
    fn messages_are_one_line_without_control_characters() {
        let (out, err) = said(StreamFeatures::default(), "", |console| {
            console.error("no \u{1b}[2J\nhere");
            console.warn(&["odd"]);
        });
        assert_eq!(err, "error: no \\u{1b}[2J\\nhere\nwarning: odd\n");
        assert_eq!(out, "");
    }

    #[test]
    fn a_long_list_of_warnings_is_cut() {
        let warnings = vec!["odd"; MAX_WARNINGS + 2];
        let (_, err) = said(StreamFeatures::default(), "", |console| console.warn(&warnings));
        assert_eq!(err.lines().count(), MAX_WARNINGS + 1);
        assert!(err.ends_with("warning: … and 2 more like these\n"), "{err}");
    }

    #[test]
    fn colours_are_kept_only_where_they_are_wanted() {
        let colored = StreamFeatures { out: PrintStyle::new(true), ..StreamFeatures::default() };
        for (features, expected) in [(colored, true), (StreamFeatures::default(), false)] {
            let (out, err) = said(features, "", |console| {
                console.print(&paint(DIM, "x")).expect("there is room");
                console.error("y");
            });
            assert_eq!((out.contains('\u{1b}'), err.contains('\u{1b}')), (expected, false));
        }
    }

    #[test]
    fn a_question_is_confirmed_only_by_y_or_yes() {
        for (answer, expected) in
            [("y\n", true), ("YES\n", true), ("\n", false), ("", false), ("no\n", false)]
        {
            let (_, err) = said(StreamFeatures::default(), answer, |console| {
                assert_eq!(console.ask("Sure?").expect("there is an answer"), expected, "{answer}");
            });
            assert_eq!(err, "Sure? [y/N] ");
        }
    }
}
