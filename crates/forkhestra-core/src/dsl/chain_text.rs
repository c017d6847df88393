//! The text of a chain and its position in a source.

use std::sync::Arc;

use crate::diagnostic::source::{SourceText, Span};

/// The text of a chain, which may be a part of a larger source.
pub(super) struct ChainText<'a> {
    pub(super) text: &'a str,
    pub(super) source: &'a Arc<SourceText>,
    position: ChainTextPosition,
}

/// Where the text is in its source.
enum ChainTextPosition {
    /// The source has the same bytes, from this offset.
    Verbatim(usize),
    /// The source has the text in another form; every part of the text has this span.
    Encoded(Span),
}

impl<'a> ChainText<'a> {
    /// A source that is a chain and nothing else.
    pub(super) fn whole_source(source: &'a Arc<SourceText>) -> Self {
        Self { text: &source.text, source, position: ChainTextPosition::Verbatim(0) }
    }

    /// The value of a JSON string.
    pub(super) fn in_literal(source: &'a Arc<SourceText>, literal: Span, text: &'a str) -> Self {
        let written = source.text.get(literal.range()).unwrap_or_default();
        let content = written.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        let position = match content {
            Some(content) if content == text => ChainTextPosition::Verbatim(literal.start + 1),
            Some(_) | None => ChainTextPosition::Encoded(literal),
        };
        Self { text, source, position }
    }

    /// The position in the source of a part of the text.
    pub(super) fn in_source(&self, span: Span) -> Span {
        match self.position {
            ChainTextPosition::Verbatim(offset) => {
                Span::new(offset + span.start, offset + span.end)
            }
            ChainTextPosition::Encoded(literal) => literal,
        }
    }

    /// The characters of a part of the text.
    pub(super) fn slice(&self, span: Span) -> &'a str {
        &self.text[span.range()]
    }
}
