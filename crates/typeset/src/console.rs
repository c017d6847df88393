//! What command-line programs share: the width of the terminal and errors in one line.

use std::error::Error;
use std::io::{self, IsTerminal};

use rustix::termios::tcgetwinsize;

/// The exit code when standard output was closed: 128 + SIGPIPE, as if the signal had ended the
/// process.
pub const OUTPUT_CLOSED: u8 = 141;

/// The width of the terminal on standard output; `None` if it is not a terminal.
pub fn terminal_columns() -> Option<usize> {
    let out = io::stdout();
    let columns = out.is_terminal().then(|| tcgetwinsize(&out).ok())??.ws_col;
    (columns > 0).then(|| usize::from(columns))
}

/// An error with all its causes, in one line. A cause that the text already ends with is omitted.
pub fn error_chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        if !text.ends_with(&more) {
            text.push_str(&format!(": {more}"));
        }
        cause = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct ChainedError(&'static str, Option<Box<ChainedError>>);

    impl std::fmt::Display for ChainedError {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str(self.0)
        }
    }

    impl Error for ChainedError {
        fn source(&self) -> Option<&(dyn Error + 'static)> {
            self.1.as_deref().map(|source| source as &dyn Error)
        }
    }

    #[test]
    fn causes_follow_unless_the_text_ends_with_them() {
        let chain = |texts: &[&'static str]| {
            let mut error = None;
            for text in texts.iter().rev() {
                error = Some(Box::new(ChainedError(text, error)));
            }
            error_chain(&error.expect("there is a text"))
        };
        assert_eq!(chain(&["a", "b", "c"]), "a: b: c");
        assert_eq!(chain(&["cannot: full", "full"]), "cannot: full");
    }
}
