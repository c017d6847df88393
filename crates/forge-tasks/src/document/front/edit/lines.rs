//! Where lines begin and end.

use crate::document::Newline;

/// Where the line of a byte begins.
pub(super) fn start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |newline| newline + 1)
}

/// Where the line behind that of a byte begins.
pub(super) fn end(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |newline| at + newline + 1)
}

/// A line to be inserted where another one begins, or behind the last one, which may not end.
pub(super) fn new(text: &str, at: usize, line: &str, newline: Newline) -> String {
    let newline = newline.as_str();
    if at == 0 || text[..at].ends_with('\n') {
        format!("{line}{newline}")
    } else {
        format!("{newline}{line}")
    }
}
