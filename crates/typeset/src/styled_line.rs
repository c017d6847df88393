//! A line in several colours.

use std::ops::Range;

use anstyle::Style;

use crate::style::paint;
use crate::text::folds;

/// A line in several colours. Its texts must be safe to print.
#[derive(Debug, Clone, Default)]
pub struct StyledLine {
    text: String,
    /// The end offset of each colour.
    colors: Vec<(usize, Style)>,
}

impl StyledLine {
    /// A line in one colour.
    pub fn painted(text: &str, style: Style) -> Self {
        let mut line = Self::default();
        line.append(text, style);
        line
    }

    /// Appends a text.
    pub fn append(&mut self, text: &str, style: Style) {
        self.text.push_str(text);
        self.colors.push((self.text.len(), style));
    }

    /// Whether the line is empty.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// The whole line with its colours.
    pub fn styled(&self) -> String {
        self.part(0..self.text.len())
    }

    /// The line with its colours, broken between words into lines that fit.
    pub fn folded(&self, columns: usize) -> Vec<String> {
        folds(&self.text, columns).into_iter().map(|part| self.part(part)).collect()
    }

    fn part(&self, part: Range<usize>) -> String {
        let mut shown = String::new();
        let mut start = part.start;
        for (end, style) in &self.colors {
            let end = (*end).min(part.end);
            if start < end {
                shown.push_str(&paint(*style, &self.text[start..end]));
                start = end;
            }
        }
        shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::style::{BAD, DIM};

    #[test]
    fn a_line_that_is_broken_keeps_its_colours() {
        let mut line = StyledLine::painted("one two ", Style::new());
        line.append("three", DIM);
        line.append(" four five", BAD);
        assert!(!line.is_empty() && StyledLine::default().is_empty());
        let all = format!("one two {}{}", paint(DIM, "three"), paint(BAD, " four five"));
        assert_eq!(line.styled(), all);
        let parts = [
            "one two".to_owned(),
            format!("{}{}", paint(DIM, "three"), paint(BAD, " four")),
            paint(BAD, "five"),
        ];
        assert_eq!(line.folded(10), parts);
    }
}
