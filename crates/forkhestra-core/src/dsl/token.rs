//! The tokens of a chain.

use crate::diagnostic::source::Span;

/// A token and its position in the text of the chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct DslToken {
    pub(super) kind: DslTokenKind,
    pub(super) span: Span,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DslTokenKind {
    /// `->`
    Arrow,
    /// `(`
    Open,
    /// `)`
    Close,
    /// `|`
    Bar,
    /// The word `else`.
    Else,
    /// An operator of a shell, which is no part of the language: `||` or `&&`.
    ShellOperator,
    /// Everything between two other tokens: an agent or a question with its count and lanes, or the
    /// count and lanes of a group. White space at the ends is excluded.
    Text,
}

use DslTokenKind::{Arrow, Bar, Close, Else, Open, ShellOperator, Text};

/// The symbols that end a word. A longer one comes before its beginning.
const SYMBOLS: [(&str, DslTokenKind); 6] = [
    ("->", Arrow),
    ("||", ShellOperator),
    ("&&", ShellOperator),
    ("(", Open),
    (")", Close),
    ("|", Bar),
];

/// Splits a chain into its tokens.
pub(super) fn tokens(text: &str) -> Vec<DslToken> {
    let mut tokens = Vec::new();
    let (mut at, mut word_start) = (0, 0);
    while at < text.len() {
        let rest = &text[at..];
        match SYMBOLS.into_iter().find(|(symbol, _)| rest.starts_with(symbol)) {
            Some((symbol, kind)) => {
                push_text(text, Span::new(word_start, at), &mut tokens);
                tokens.push(DslToken { kind, span: Span::new(at, at + symbol.len()) });
                at += symbol.len();
                word_start = at;
            }
            None => at += rest.chars().next().map_or(1, char::len_utf8),
        }
    }
    push_text(text, Span::new(word_start, at), &mut tokens);
    tokens
}

/// Splits a text without symbols at the word `else`.
fn push_text(text: &str, part: Span, tokens: &mut Vec<DslToken>) {
    let mut run: Option<Span> = None;
    let flush = |run: &mut Option<Span>, tokens: &mut Vec<DslToken>| {
        tokens.extend(run.take().map(|span| DslToken { kind: Text, span }));
    };
    for word in words(text, part) {
        if &text[word.range()] == "else" {
            flush(&mut run, tokens);
            tokens.push(DslToken { kind: Else, span: word });
        } else {
            let start = run.map_or(word.start, |run| run.start);
            run = Some(Span::new(start, word.end));
        }
    }
    flush(&mut run, tokens);
}

/// The words of a part of a text.
pub(super) fn words(text: &str, part: Span) -> impl Iterator<Item = Span> {
    let content = &text[part.range()];
    content.split_whitespace().map(move |word| {
        let start = part.start + (word.as_ptr() as usize - content.as_ptr() as usize);
        Span::new(start, start + word.len())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<(DslTokenKind, &str)> {
        tokens(text).into_iter().map(|token| (token.kind, &text[token.span.range()])).collect()
    }

    #[test]
    fn symbols_end_words_and_keywords_are_whole_words() {
        let table: [(&str, &[(DslTokenKind, &str)]); 9] = [
            ("", &[]),
            (" \t\n", &[]),
            ("a->b", &[(Text, "a"), (Arrow, "->"), (Text, "b")]),
            ("a : 2 -> b c", &[(Text, "a : 2"), (Arrow, "->"), (Text, "b c")]),
            ("a else b", &[(Text, "a"), (Else, "else"), (Text, "b")]),
            ("elsewhere else else:3", &[(Text, "elsewhere"), (Else, "else"), (Text, "else:3")]),
            (
                "(a|b)else c",
                &[
                    (Open, "("),
                    (Text, "a"),
                    (Bar, "|"),
                    (Text, "b"),
                    (Close, ")"),
                    (Else, "else"),
                    (Text, "c"),
                ],
            ),
            (
                "a||b && c",
                &[
                    (Text, "a"),
                    (ShellOperator, "||"),
                    (Text, "b"),
                    (ShellOperator, "&&"),
                    (Text, "c"),
                ],
            ),
            ("é→-> 構", &[(Text, "é→"), (Arrow, "->"), (Text, "構")]),
        ];
        for (text, expected) in table {
            assert_eq!(shown(text), expected, "{text:?}");
        }
    }
}
