//! `mod.rs` only wires: it declares modules and names what they offer.

use syn::Item;
use syn::spanned::Spanned as _;

use crate::workspace::finding::Finding;
use crate::workspace::source::Source;

pub(crate) fn applies_to(source: &Source) -> bool {
    source.path.rsplit('/').next() == Some("mod.rs")
}

pub(crate) fn findings(source: &Source) -> Vec<Finding> {
    let logic = source.file.items.iter().filter(|item| !wires(item));
    logic
        .map(|item| {
            let line = item.span().start().line;
            source.finding(line, "mod.rs only wires; move this into a file named after it")
        })
        .collect()
}

fn wires(item: &Item) -> bool {
    match item {
        Item::Mod(module) => module.content.is_none(),
        Item::Use(_) | Item::ExternCrate(_) => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anything_but_modules_and_uses_is_found() {
        let text = "//! Doc.\n\nmod a;\npub use a::A;\n\nfn logic() {}\nmod inline {}\n";
        let source = Source::example("c/src/x/mod.rs", text);
        assert!(applies_to(&source));
        let lines: Vec<usize> = findings(&source).iter().map(|finding| finding.line).collect();
        assert_eq!(lines, [6, 7]);
    }

    #[test]
    fn other_files_may_hold_logic() {
        assert!(!applies_to(&Source::example("c/src/x.rs", "fn logic() {}")));
    }
}
