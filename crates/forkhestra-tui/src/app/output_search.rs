//! Search in output.

use std::ops::Range;

use crate::output::OutputBuffer;

/// A search and its matches so far.
#[derive(Debug, Clone, Default)]
pub(crate) struct OutputSearch {
    needle: String,
    /// Keys of the matching lines, in order.
    found: Vec<i64>,
    /// Keys of the lines already searched.
    searched: Range<i64>,
    /// The current match.
    pub(crate) here: Option<i64>,
}

impl OutputSearch {
    pub(crate) fn new(needle: &str, buffer: &OutputBuffer) -> Self {
        let first = buffer.first_key();
        let mut search =
            Self { needle: needle.to_owned(), searched: first..first, ..Self::default() };
        search.advance(buffer);
        search
    }

    pub(crate) fn needle(&self) -> &str {
        &self.needle
    }

    /// Searches new lines and drops removed ones. The last line is searched again, because it may
    /// have grown.
    pub(crate) fn advance(&mut self, buffer: &OutputBuffer) {
        let (first, end) = (buffer.first_key(), buffer.end_key());
        let again = end.min(self.searched.end).saturating_sub(1).max(first);
        self.found.retain(|key| (first..again).contains(key));
        let has = |key: &i64| {
            buffer.at(*key).is_some_and(|line| find(&line.text(), &self.needle).next().is_some())
        };
        let earlier: Vec<i64> = (first..self.searched.start.min(again)).filter(has).collect();
        let later: Vec<i64> = (again..end).filter(has).collect();
        self.found.splice(0..0, earlier);
        self.found.extend(later);
        self.searched = first..end;
    }

    /// Number of matching lines.
    pub(crate) fn count(&self) -> usize {
        self.found.len()
    }

    /// Number of the current match, counted from one.
    pub(crate) fn number(&self) -> Option<usize> {
        self.found.binary_search(&self.here?).ok().map(|index| index + 1)
    }

    /// Goes to the next match after a line, wrapping around.
    pub(crate) fn next(&mut self, after: i64) -> Option<i64> {
        let index = self.found.partition_point(|key| *key <= after);
        self.here = self.found.get(index).or(self.found.first()).copied();
        self.here
    }

    /// Goes to the previous match before a line, wrapping around.
    pub(crate) fn previous(&mut self, before: i64) -> Option<i64> {
        let index = self.found.partition_point(|key| *key < before);
        let found = index.checked_sub(1).and_then(|index| self.found.get(index));
        self.here = found.or(self.found.last()).copied();
        self.here
    }
}

/// Occurrences of `needle` in a text. The search ignores case unless `needle` contains an
/// upper-case letter.
pub(crate) fn find<'a>(text: &'a str, needle: &'a str) -> impl Iterator<Item = Range<usize>> + 'a {
    let is_exact = needle.contains(char::is_uppercase);
    let wanted = needle.as_bytes();
    let is_there = move |start: usize| {
        let Some(part) = text.as_bytes().get(start..start + wanted.len()) else { return false };
        if is_exact { part == wanted } else { part.eq_ignore_ascii_case(wanted) }
    };
    let mut start = 0;
    std::iter::from_fn(move || {
        if wanted.is_empty() {
            return None;
        }
        let found = (start..text.len()).find(|start| is_there(*start))?;
        start = found + wanted.len();
        Some(found..start)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::{BufferPatch, OutputLine};

    fn patch(lines: &[&str]) -> BufferPatch {
        let after = lines.iter().map(|line| OutputLine::plain(*line)).collect();
        BufferPatch { after, ..BufferPatch::default() }
    }

    #[test]
    fn a_capital_in_the_needle_makes_the_search_case_sensitive() {
        let at = |needle| find("Error: an error é", needle).map(|r| r.start).collect::<Vec<_>>();
        assert_eq!(at("error"), [0, 10]);
        assert_eq!(at("Error"), [0]);
        assert_eq!(at("é"), [16]);
        assert_eq!(at(""), [0; 0]);
    }

    #[test]
    fn later_matches_are_found_too() {
        let mut buffer = OutputBuffer::default();
        buffer.apply(patch(&["a match", "none"]));
        let mut search = OutputSearch::new("match", &buffer);
        assert_eq!((search.count(), search.next(-1)), (1, Some(0)));
        buffer.apply(patch(&["a match", "another match"]));
        buffer.apply(BufferPatch {
            before: vec![OutputLine::plain("match")],
            ..BufferPatch::default()
        });
        search.advance(&buffer);
        assert_eq!((search.count(), search.number()), (4, Some(2)));
        assert_eq!((search.next(0), search.next(2), search.next(3)), (Some(2), Some(3), Some(-1)));
        assert_eq!((search.previous(-1), search.previous(3)), (Some(3), Some(2)));
    }

    #[test]
    fn a_last_line_that_grows_is_searched_again() {
        let mut buffer = OutputBuffer::default();
        let open =
            |text| BufferPatch { open: Some(OutputLine::plain(text)), ..BufferPatch::default() };
        buffer.apply(open("ma"));
        let mut search = OutputSearch::new("match", &buffer);
        buffer.apply(open("match"));
        search.advance(&buffer);
        assert_eq!(search.count(), 1);
        search.advance(&buffer);
        assert_eq!(search.count(), 1);
    }
}
