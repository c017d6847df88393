//! A parsed Rust file.

use proc_macro2::TokenStream;

use crate::workspace::finding::Finding;

pub(crate) struct Source {
    /// From the root of the repository, with `/` between folders.
    pub(crate) path: String,
    pub(crate) text: String,
    pub(crate) file: syn::File,
    /// The tokens of the whole file, including those inside macro calls, which the parser leaves
    /// alone.
    pub(crate) tokens: TokenStream,
}

impl Source {
    pub(crate) fn parse(path: &str, text: String) -> Result<Self, Finding> {
        let tokens: Result<TokenStream, _> = text.parse();
        let tokens = tokens.map_err(|error| Finding {
            path: path.to_owned(),
            line: error.span().start().line,
            message: format!("does not parse: {error}"),
        })?;
        let file = syn::parse2(tokens.clone()).map_err(|error: syn::Error| Finding {
            path: path.to_owned(),
            line: error.span().start().line,
            message: format!("does not parse: {error}"),
        })?;
        Ok(Self { path: path.to_owned(), text, file, tokens })
    }

    /// A source for the tests of a rule.
    pub(crate) fn example(path: &str, text: &str) -> Self {
        Self::parse(path, text.to_owned()).unwrap_or_else(|finding| panic!("{finding}"))
    }

    pub(crate) fn finding(&self, line: usize, message: impl Into<String>) -> Finding {
        Finding { path: self.path.clone(), line, message: message.into() }
    }
}
