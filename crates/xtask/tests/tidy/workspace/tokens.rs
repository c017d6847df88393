//! Searches tokens at any depth.

use proc_macro2::{Ident, TokenStream, TokenTree};

/// Calls back with every sequence of sibling tokens: the file's own, and the inside of every group.
pub(crate) fn for_each_level(tokens: &TokenStream, visit: &mut impl FnMut(&[TokenTree])) {
    let level: Vec<TokenTree> = tokens.clone().into_iter().collect();
    visit(&level);
    for token in &level {
        if let TokenTree::Group(group) = token {
            for_each_level(&group.stream(), visit);
        }
    }
}

/// Every identifier or keyword, at any depth.
pub(crate) fn identifiers(tokens: &TokenStream) -> Vec<Ident> {
    let mut found = Vec::new();
    for_each_level(tokens, &mut |level| {
        found.extend(level.iter().filter_map(|token| match token {
            TokenTree::Ident(ident) => Some(ident.clone()),
            _ => None,
        }));
    });
    found
}

pub(crate) fn is_punct(token: Option<&TokenTree>, wanted: char) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == wanted)
}
