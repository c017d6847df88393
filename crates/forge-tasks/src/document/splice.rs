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

/// The text with all replacements; `None` if they overlap. Insertions at the same position keep
/// their order.
pub(super) fn apply<'a>(
    text: &str,
    splices: impl IntoIterator<Item = &'a Splice>,
) -> Option<String> {
    let mut splices: Vec<&Splice> = splices.into_iter().collect();
    splices.sort_by_key(|splice| (splice.range.start, splice.range.end));
    let mut result = String::with_capacity(text.len() + 64);
    let mut position = 0;
    for Splice { range, new } in splices {
        result.push_str(text.get(position..range.start)?);
        result.push_str(new);
        position = range.end;
    }
    result.push_str(text.get(position..)?);
    Some(result)
}
