//! Lists the longest files and functions. There is no limit.

use std::cmp::Reverse;
use std::fmt;

use proc_macro2::Span;
use syn::visit::{self, Visit};

use crate::workspace::source::Source;

/// A file or function and its number of lines.
pub(crate) struct Measured {
    lines: usize,
    path: String,
    line: usize,
    name: Option<String>,
}

impl fmt::Display for Measured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:>5}  {}:{}", self.lines, self.path, self.line)?;
        match &self.name {
            Some(name) => write!(f, "  {name}"),
            None => Ok(()),
        }
    }
}

/// All files, the longest first.
pub(crate) fn files(sources: &[Source]) -> Vec<Measured> {
    let sized = sources.iter().map(|source| Measured {
        lines: source.text.lines().count(),
        path: source.path.clone(),
        line: 1,
        name: None,
    });
    longest_first(sized.collect())
}

/// All functions, the longest first.
pub(crate) fn functions(sources: &[Source]) -> Vec<Measured> {
    let mut found = Vec::new();
    for source in sources {
        Functions { path: &source.path, found: &mut found }.visit_file(&source.file);
    }
    longest_first(found)
}

fn longest_first(mut sized: Vec<Measured>) -> Vec<Measured> {
    sized.sort_by_key(|sized| Reverse(sized.lines));
    sized
}

struct Functions<'a> {
    path: &'a str,
    found: &'a mut Vec<Measured>,
}

impl Functions<'_> {
    fn add(&mut self, signature: &syn::Signature, end: Span) {
        let line = signature.fn_token.span.start().line;
        self.found.push(Measured {
            lines: end.end().line - line + 1,
            path: self.path.to_owned(),
            line,
            name: Some(signature.ident.to_string()),
        });
    }
}

impl<'ast> Visit<'ast> for Functions<'_> {
    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        self.add(&function.sig, function.block.brace_token.span.close());
        visit::visit_item_fn(self, function);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        self.add(&function.sig, function.block.brace_token.span.close());
        visit::visit_impl_item_fn(self, function);
    }

    fn visit_trait_item_fn(&mut self, function: &'ast syn::TraitItemFn) {
        if let Some(body) = &function.default {
            self.add(&function.sig, body.brace_token.span.close());
        }
        visit::visit_trait_item_fn(self, function);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_measured_from_their_signature_to_their_end() {
        let text = "\
/// Doc.
fn short() {}
impl S {
    fn long() {
        fn inner() {
        }
    }
}
trait T { fn none(); fn some() {
} }
";
        let shown: Vec<String> =
            functions(&[Source::example("x.rs", text)]).iter().map(ToString::to_string).collect();
        assert_eq!(
            shown,
            [
                "    4  x.rs:4  long",
                "    2  x.rs:5  inner",
                "    2  x.rs:9  some",
                "    1  x.rs:2  short"
            ]
        );
    }

    #[test]
    fn files_are_measured_in_lines() {
        let sources = [
            Source::example("a.rs", "fn f() {}\n"),
            Source::example("b.rs", "fn f() {}\nfn g() {}\n"),
        ];
        let shown: Vec<String> = files(&sources).iter().map(ToString::to_string).collect();
        assert_eq!(shown, ["    2  b.rs:1", "    1  a.rs:1"]);
    }
}
