//! Skipping of lines that cannot matter, without examining each.

use memchr::memmem::{Finder, find};

use super::ansi::ESCAPE;
use super::marker_patterns::MarkerPatterns;

/// The length of a search string that replaces several markers with a common part, such as
/// `COMPLETE` in the default ones.
const SHARED: usize = 8;

/// Finds what every line has that is not plain text: a part of a marker, a fence, or an escape
/// code, which may hide the other two.
#[derive(Debug, Clone)]
pub(super) struct LineHints(Vec<LineHint>);

#[derive(Debug, Clone)]
struct LineHint {
    finder: Finder<'static>,
    /// The last match, so that no byte is searched twice.
    found: Option<usize>,
}

impl LineHints {
    pub(super) fn new(patterns: &MarkerPatterns) -> Self {
        let needles: Vec<&[u8]> = patterns.needles().collect();
        let needles = shared(&needles).map_or(needles, |piece| vec![piece]);
        let others: [&[u8]; 3] = [&[ESCAPE], b"```", b"~~~"];
        let hint =
            |needle: &[u8]| LineHint { finder: Finder::new(needle).into_owned(), found: None };
        Self(needles.into_iter().chain(others).map(hint).collect())
    }

    /// Must be called before another text is searched.
    pub(super) fn forget(&mut self) {
        self.0.iter_mut().for_each(|hint| hint.found = None);
    }

    /// The first hint in a text at or behind `from`, which never decreases.
    pub(super) fn next(&mut self, text: &[u8], from: usize) -> Option<usize> {
        let first = self.0.iter_mut().map(|hint| hint.next(text, from)).min()?;
        (first < text.len()).then_some(first)
    }
}

impl LineHint {
    /// The next match; the length of the text if there is none.
    fn next(&mut self, text: &[u8], from: usize) -> usize {
        match self.found {
            Some(found) if found >= from => found,
            _ => {
                let found = self.finder.find(&text[from..]);
                *self.found.insert(found.map_or(text.len(), |at| from + at))
            }
        }
    }
}

/// A part that several needles have in common.
fn shared<'a>(needles: &[&'a [u8]]) -> Option<&'a [u8]> {
    let (first, others) = needles.split_first()?;
    if others.is_empty() {
        return None;
    }
    first.windows(SHARED).find(|piece| others.iter().all(|other| find(other, piece).is_some()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::marker::Marker;

    #[test]
    fn the_default_markers_have_a_piece_in_common() {
        let patterns =
            MarkerPatterns::new(&Marker::defaults()).expect("no regular expression is there");
        let needles: Vec<&[u8]> = patterns.needles().collect();
        assert_eq!(shared(&needles), Some(b"COMPLETE".as_slice()));
        assert_eq!(shared(&needles[..1]), None);
        assert_eq!(shared(&[b"COMPLETE_A".as_slice(), b"DONE".as_slice()]), None);
        assert_eq!(shared(&[]), None);
    }
}
