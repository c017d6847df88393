//! One line of output.

use std::borrow::Cow;

use ratatui::style::Style;

/// One line of output. Its text is sanitized: it contains neither control characters nor characters
/// that change the text direction.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OutputLine {
    /// The text in spans of one style each.
    pub spans: Vec<(Style, String)>,
    /// Whether it came from standard error.
    pub is_error: bool,
    /// Whether the end was cut off.
    pub is_cut: bool,
    /// Whether output before it is missing.
    pub follows_gap: bool,
}

impl OutputLine {
    /// Creates a line with a single unstyled span.
    pub fn plain(text: impl Into<String>) -> Self {
        Self { spans: vec![(Style::new(), text.into())], ..Self::default() }
    }

    /// The text without styles.
    pub fn text(&self) -> Cow<'_, str> {
        match self.spans.as_slice() {
            [] => Cow::Borrowed(""),
            [(_, text)] => Cow::Borrowed(text),
            spans => spans.iter().map(|(_, text)| text.as_str()).collect::<String>().into(),
        }
    }

    /// Approximate memory in bytes.
    pub fn size(&self) -> usize {
        let spans =
            self.spans.iter().map(|(_, text)| text.capacity() + size_of::<(Style, String)>());
        size_of::<Self>() + spans.sum::<usize>()
    }
}
