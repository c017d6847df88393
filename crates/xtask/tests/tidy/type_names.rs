//! A type name occurs once in the workspace, so that a search for it finds one definition.

use std::collections::BTreeMap;

use syn::visit::{self, Visit};

use crate::workspace::finding::Finding;
use crate::workspace::source::Source;

/// Names that every reader takes as local to their module.
const EXCEPTIONS: [&str; 4] = ["Args", "Error", "Kind", "Result"];

pub(crate) fn findings(sources: &[Source]) -> Vec<Finding> {
    let mut definitions: BTreeMap<String, Vec<(&Source, usize)>> = BTreeMap::new();
    for source in sources {
        let mut names = TypeNames::default();
        names.visit_file(&source.file);
        for (name, line) in names.found {
            definitions.entry(name).or_default().push((source, line));
        }
    }
    let repeated = definitions.into_iter().filter(|(name, places)| {
        places.len() > 1 && !is_platform_pair(places) && !EXCEPTIONS.contains(&name.as_str())
    });
    repeated
        .flat_map(|(name, places)| {
            let message = format!("the type name {name} occurs {} times", places.len());
            places
                .into_iter()
                .map(move |(source, line)| source.finding(line, message.clone()))
                .collect::<Vec<_>>()
        })
        .collect()
}

/// `linux.rs` and `other.rs` of one folder define the same types for two platforms.
fn is_platform_pair(places: &[(&Source, usize)]) -> bool {
    let folders: Option<Vec<&str>> = places
        .iter()
        .map(|(source, _)| {
            let (folder, file) = source.path.rsplit_once('/')?;
            ["linux.rs", "macos.rs", "other.rs"].contains(&file).then_some(folder)
        })
        .collect();
    folders.is_some_and(|folders| folders.windows(2).all(|pair| pair[0] == pair[1]))
}

#[derive(Default)]
struct TypeNames {
    found: Vec<(String, usize)>,
}

impl TypeNames {
    fn add(&mut self, name: &syn::Ident) {
        self.found.push((name.to_string(), name.span().start().line));
    }
}

impl<'ast> Visit<'ast> for TypeNames {
    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        self.add(&item.ident);
        visit::visit_item_struct(self, item);
    }

    fn visit_item_enum(&mut self, item: &'ast syn::ItemEnum) {
        self.add(&item.ident);
        visit::visit_item_enum(self, item);
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        self.add(&item.ident);
        visit::visit_item_trait(self, item);
    }

    fn visit_item_type(&mut self, item: &'ast syn::ItemType) {
        self.add(&item.ident);
        visit::visit_item_type(self, item);
    }

    fn visit_item_union(&mut self, item: &'ast syn::ItemUnion) {
        self.add(&item.ident);
        visit::visit_item_union(self, item);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(sources: &[(&str, &str)]) -> Vec<String> {
        let sources: Vec<Source> =
            sources.iter().map(|(path, text)| Source::example(path, text)).collect();
        findings(&sources).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_name_of_two_types_is_found_in_both_places() {
        let found = shown(&[
            ("a.rs", "struct Line;\nenum Once {}"),
            ("b.rs", "fn f() {\n    type Line = u8;\n}\nmod tests {\n    trait Line {}\n}"),
        ]);
        assert_eq!(
            found,
            [
                "a.rs:1: the type name Line occurs 3 times",
                "b.rs:2: the type name Line occurs 3 times",
                "b.rs:5: the type name Line occurs 3 times",
            ]
        );
    }

    #[test]
    fn associated_types_and_the_exceptions_may_repeat() {
        let one =
            "struct Args; enum Kind {} struct Error;\nimpl Iterator for X { type Item = u8; }";
        assert_eq!(shown(&[("a.rs", one), ("b.rs", one)]), [""; 0]);
    }

    #[test]
    fn two_platforms_of_one_module_may_repeat() {
        let one = "struct Table;";
        assert_eq!(shown(&[("p/linux.rs", one), ("p/other.rs", one)]), [""; 0]);
        assert_eq!(shown(&[("p/linux.rs", one), ("q/other.rs", one)]).len(), 2);
    }
}
