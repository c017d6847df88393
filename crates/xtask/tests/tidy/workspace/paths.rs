//! The paths a source mentions, such as `std::io::stdin` or `println!`.

use proc_macro2::{TokenStream, TokenTree};

use crate::workspace::tokens::{for_each_level, is_punct};

/// A path as written.
#[derive(Debug, PartialEq)]
pub(crate) struct Mention {
    pub(crate) segments: Vec<String>,
    pub(crate) line: usize,
    /// Whether it is called with a `!`.
    pub(crate) is_macro: bool,
}

/// Every path, also inside macro calls. The path before the braces of a `use` is a mention of its
/// own; for the paths inside see [`crate::workspace::imports`].
pub(crate) fn mentions(tokens: &TokenStream) -> Vec<Mention> {
    let mut found = Vec::new();
    for_each_level(tokens, &mut |level| {
        let mut rest = level;
        while let Some(first) = rest.first() {
            match mention(rest) {
                Some((mention, length)) => {
                    found.push(mention);
                    rest = &rest[length..];
                }
                None => {
                    debug_assert!(!matches!(first, TokenTree::Ident(_)));
                    rest = &rest[1..];
                }
            }
        }
    });
    found
}

/// The path these tokens start with, and how many tokens it takes.
fn mention(tokens: &[TokenTree]) -> Option<(Mention, usize)> {
    let TokenTree::Ident(first) = tokens.first()? else {
        return None;
    };
    let mut segments = vec![first.to_string()];
    let mut length = 1;
    while is_punct(tokens.get(length), ':') && is_punct(tokens.get(length + 1), ':') {
        let Some(TokenTree::Ident(next)) = tokens.get(length + 2) else {
            break;
        };
        segments.push(next.to_string());
        length += 3;
    }
    // `a != b` has a `!`, too, but no group after it.
    let is_macro = is_punct(tokens.get(length), '!')
        && matches!(tokens.get(length + 1), Some(TokenTree::Group(_)));
    let mention = Mention { segments, line: first.span().start().line, is_macro };
    Some((mention, length))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<String> {
        let tokens: TokenStream = text.parse().expect("these are tokens");
        mentions(&tokens)
            .into_iter()
            .map(|mention| {
                let bang = if mention.is_macro { "!" } else { "" };
                format!("{}:{}{bang}", mention.line, mention.segments.join("::"))
            })
            .collect()
    }

    #[test]
    fn paths_are_found_whole_and_with_their_line() {
        assert_eq!(
            shown("a::b::c();\nx.d(e::<f::G>::h)"),
            ["1:a::b::c", "2:x", "2:d", "2:e", "2:f::G", "2:h"]
        );
    }

    #[test]
    fn macros_are_marked_and_looked_into() {
        assert_eq!(shown("std::print!(\"{}\", io::stdin())"), ["1:std::print!", "1:io::stdin"]);
        assert_eq!(shown("a != b"), ["1:a", "1:b"]);
    }
}
