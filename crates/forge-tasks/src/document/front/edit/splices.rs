//! Replacements in a text, and the positions of its lines.

use std::ops::Range;

use crate::document::Newline;
use crate::document::splice::{self, Splice};

/// The replacements of all edits.
#[derive(Debug, Default)]
pub(super) struct Splices {
    all: Vec<Splice>,
    /// Lines above an entry. They come after lines that belong to the entry before it.
    above: Vec<Splice>,
}

impl Splices {
    pub(super) fn replace(&mut self, range: Range<usize>, text: String) {
        self.all.push(Splice::replace(range, text));
    }

    pub(super) fn insert(&mut self, at: usize, text: String) {
        self.all.push(Splice::insert(at, text));
    }

    pub(super) fn insert_above(&mut self, at: usize, text: String) {
        self.above.push(Splice::insert(at, text));
    }

    pub(super) fn delete(&mut self, range: Range<usize>) {
        self.all.push(Splice::remove(range));
    }

    pub(super) fn apply(&self, text: &str) -> Option<String> {
        splice::apply(text, self.all.iter().chain(&self.above))
    }
}

/// Where the line of a byte begins.
pub(super) fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |newline| newline + 1)
}

/// Where the next line begins.
pub(super) fn line_end(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |newline| at + newline + 1)
}

/// A line to insert at the start of another one, or after the last one, which may lack its newline.
pub(super) fn new_line(text: &str, at: usize, line: &str, newline: Newline) -> String {
    let newline = newline.as_str();
    if at == 0 || text[..at].ends_with('\n') {
        format!("{line}{newline}")
    } else {
        format!("{newline}{line}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replacements_are_made_in_any_order_unless_they_overlap() {
        let mut splices = Splices::default();
        splices.delete(3..5);
        splices.insert(3, "x".to_owned());
        splices.insert(3, "y".to_owned());
        splices.replace(0..1, "A".to_owned());
        assert_eq!(splices.apply("abcdef").as_deref(), Some("Abcxyf"));
        splices.delete(4..6);
        assert_eq!(splices.apply("abcdef"), None);
    }
}
