//! The names that the `use` declarations of a file import.

use proc_macro2::Ident;
use syn::UseTree;
use syn::visit::Visit;

/// One name brought in by a `use`, with nested trees unfolded.
#[derive(Debug, PartialEq)]
pub(crate) struct Import {
    pub(crate) segments: Vec<String>,
    /// `None` for a `*`.
    pub(crate) name: Option<String>,
    pub(crate) line: usize,
}

/// The imports of all modules and functions of a file together: a name that means one thing in one
/// of them and another in the next would confuse readers as well.
pub(crate) fn imports(file: &syn::File) -> Vec<Import> {
    let mut collector = Collector(Vec::new());
    collector.visit_file(file);
    collector.0
}

/// Writes out a path from its first imported name on: `io::stdin` becomes `std::io::stdin` after
/// `use std::io`.
pub(crate) fn resolved(segments: &[String], imports: &[Import]) -> Vec<Vec<String>> {
    let Some((first, rest)) = segments.split_first() else {
        return Vec::new();
    };
    let mut meanings = vec![segments.to_vec()];
    for import in imports {
        if import.name.as_ref() == Some(first) && import.segments != [first.clone()] {
            meanings.push(import.segments.iter().chain(rest).cloned().collect());
        }
    }
    meanings
}

struct Collector(Vec<Import>);

impl Collector {
    fn walk(&mut self, prefix: &[String], tree: &UseTree) {
        match tree {
            UseTree::Path(path) => self.walk(&joined(prefix, &path.ident), &path.tree),
            UseTree::Name(name) if name.ident == "self" => {
                self.add(prefix.to_vec(), prefix.last().cloned(), &name.ident);
            }
            UseTree::Name(name) => {
                let segments = joined(prefix, &name.ident);
                self.add(segments, Some(name.ident.to_string()), &name.ident);
            }
            UseTree::Rename(rename) => {
                let segments = if rename.ident == "self" {
                    prefix.to_vec()
                } else {
                    joined(prefix, &rename.ident)
                };
                self.add(segments, Some(rename.rename.to_string()), &rename.ident);
            }
            UseTree::Glob(glob) => self.0.push(Import {
                segments: prefix.to_vec(),
                name: None,
                line: glob.star_token.spans[0].start().line,
            }),
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.walk(prefix, tree);
                }
            }
        }
    }

    fn add(&mut self, segments: Vec<String>, name: Option<String>, at: &Ident) {
        let line = at.span().start().line;
        self.0.push(Import { segments, name, line });
    }
}

impl<'ast> Visit<'ast> for Collector {
    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.walk(&[], &item.tree);
    }

    fn visit_item_extern_crate(&mut self, item: &'ast syn::ItemExternCrate) {
        let name = item.rename.as_ref().map_or(&item.ident, |(_, name)| name);
        self.add(vec![item.ident.to_string()], Some(name.to_string()), &item.ident);
    }
}

fn joined(prefix: &[String], ident: &Ident) -> Vec<String> {
    let mut segments = prefix.to_vec();
    segments.push(ident.to_string());
    segments
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<Import> {
        imports(&syn::parse_file(text).expect("this is Rust"))
    }

    fn shown(text: &str) -> Vec<String> {
        let show = |import: &Import| {
            let name = import.name.as_deref().unwrap_or("*");
            format!("{}:{} as {name}", import.line, import.segments.join("::"))
        };
        of(text).iter().map(show).collect()
    }

    #[test]
    fn nested_trees_are_unfolded() {
        assert_eq!(
            shown("use std::{fs,\n io::{self, Read as R, prelude::*}};"),
            [
                "1:std::fs as fs",
                "2:std::io as io",
                "2:std::io::Read as R",
                "2:std::io::prelude as *"
            ]
        );
        assert_eq!(shown("extern crate a as b;"), ["1:a as b"]);
    }

    #[test]
    fn imports_inside_functions_and_modules_count() {
        assert_eq!(
            shown("fn f() { use a::b; }\nmod m { use c::d; }"),
            ["1:a::b as b", "2:c::d as d"]
        );
    }

    #[test]
    fn a_path_is_written_out_from_its_import() {
        let imports = of("use std::io; use std::time as clock;");
        let full = |path: &str| -> Vec<String> {
            let segments: Vec<String> = path.split("::").map(str::to_owned).collect();
            let meanings = resolved(&segments, &imports);
            meanings.iter().map(|meaning| meaning.join("::")).collect()
        };
        assert_eq!(full("io::stdin"), ["io::stdin", "std::io::stdin"]);
        assert_eq!(full("clock::Instant"), ["clock::Instant", "std::time::Instant"]);
        assert_eq!(full("other::io"), ["other::io"]);
    }
}
