//! One line of output.

use std::borrow::Cow;

use ratatui::style::Style;

/// One line of output. Whoever makes one has made its text harmless: there is no control character in
/// it, and nothing that changes the direction of text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OutputLine {
    /// Its text, in pieces of one style each.
    pub spans: Vec<(Style, String)>,
    /// Whether it came on standard error.
    pub is_error: bool,
    /// Whether it was longer than is kept.
    pub is_cut: bool,
    /// Whether something before it was not kept.
    pub follows_gap: bool,
}

impl OutputLine {
    /// A line of one piece in no style.
    pub fn plain(text: impl Into<String>) -> Self {
        Self { spans: vec![(Style::new(), text.into())], ..Self::default() }
    }

    /// Its text without its styles.
    pub fn text(&self) -> Cow<'_, str> {
        match self.spans.as_slice() {
            [] => Cow::Borrowed(""),
            [(_, text)] => Cow::Borrowed(text),
            spans => spans.iter().map(|(_, text)| text.as_str()).collect::<String>().into(),
        }
    }

    /// About how many bytes of memory it takes.
    pub fn size(&self) -> usize {
        let spans =
            self.spans.iter().map(|(_, text)| text.capacity() + size_of::<(Style, String)>());
        size_of::<Self>() + spans.sum::<usize>()
    }
}
