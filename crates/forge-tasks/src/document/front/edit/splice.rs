//! Replacing parts of a text.

use std::ops::Range;

/// Parts of a text and what comes in their place.
#[derive(Debug, Default)]
pub(super) struct Splices {
    all: Vec<(Range<usize>, String)>,
}

impl Splices {
    pub(super) fn replace(&mut self, range: Range<usize>, text: String) {
        self.all.push((range, text));
    }

    pub(super) fn insert(&mut self, at: usize, text: String) {
        self.replace(at..at, text);
    }

    pub(super) fn delete(&mut self, range: Range<usize>) {
        self.replace(range, String::new());
    }

    /// The text with the replacements made; none if they are in each other's way. What is inserted
    /// at the same place stays in the order in which it was asked for.
    pub(super) fn apply(&self, text: &str) -> Option<String> {
        let mut all: Vec<_> = self.all.iter().collect();
        all.sort_by_key(|(range, _)| (range.start, range.end));
        let mut out = String::with_capacity(text.len() + 64);
        let mut position = 0;
        for (range, new) in all {
            out.push_str(text.get(position..range.start)?);
            out.push_str(new);
            position = range.end;
        }
        out.push_str(text.get(position..)?);
        Some(out)
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
