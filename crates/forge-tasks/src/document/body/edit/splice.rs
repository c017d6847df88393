//! Pieces of a text that are replaced.

use std::ops::Range;

/// A byte range of a text and its replacement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Splice {
    pub(super) range: Range<usize>,
    pub(super) new: String,
}

impl Splice {
    pub(super) fn replace(range: Range<usize>, new: impl Into<String>) -> Self {
        Self { range, new: new.into() }
    }

    pub(super) fn insert(at: usize, new: impl Into<String>) -> Self {
        Self::replace(at..at, new)
    }

    pub(super) fn remove(range: Range<usize>) -> Self {
        Self::replace(range, "")
    }
}

/// Replaces pieces of a text, which are in order and do not overlap.
pub(super) fn apply(text: &str, splices: &[Splice]) -> String {
    let added: usize = splices.iter().map(|splice| splice.new.len()).sum();
    let mut result = String::with_capacity(text.len() + added);
    let mut done = 0;
    for splice in splices {
        result.push_str(&text[done..splice.range.start]);
        result.push_str(&splice.new);
        done = splice.range.end;
    }
    result.push_str(&text[done..]);
    result
}
