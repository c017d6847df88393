//! Public items have a doc comment. Fields and variants need none: their names say enough.

use proc_macro2::Span;
use syn::visit::{self, Visit};
use syn::{Attribute, Visibility};

use crate::workspace::finding::Finding;
use crate::workspace::source::Source;

pub(crate) fn applies_to(source: &Source) -> bool {
    source.path.starts_with("crates/") && source.path.contains("/src/")
}

pub(crate) fn findings(source: &Source) -> Vec<Finding> {
    let mut items = UndocumentedItems { source, found: Vec::new() };
    items.visit_file(&source.file);
    items.found
}

struct UndocumentedItems<'a> {
    source: &'a Source,
    found: Vec<Finding>,
}

impl UndocumentedItems<'_> {
    fn check(&mut self, visibility: &Visibility, attributes: &[Attribute], name: Span) {
        let is_public = matches!(visibility, Visibility::Public(_));
        if is_public && !attributes.iter().any(|attribute| attribute.path().is_ident("doc")) {
            self.found
                .push(self.source.finding(name.start().line, "a public item has no doc comment"));
        }
    }
}

impl<'ast> Visit<'ast> for UndocumentedItems<'_> {
    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        self.check(&item.vis, &item.attrs, item.ident.span());
    }

    fn visit_item_enum(&mut self, item: &'ast syn::ItemEnum) {
        self.check(&item.vis, &item.attrs, item.ident.span());
    }

    fn visit_item_type(&mut self, item: &'ast syn::ItemType) {
        self.check(&item.vis, &item.attrs, item.ident.span());
    }

    fn visit_item_const(&mut self, item: &'ast syn::ItemConst) {
        self.check(&item.vis, &item.attrs, item.ident.span());
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        self.check(&item.vis, &item.attrs, item.ident.span());
        for method in item.items.iter().filter_map(trait_method) {
            self.check(&item.vis, &method.attrs, method.sig.ident.span());
        }
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.check(&item.vis, &item.attrs, item.sig.ident.span());
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.check(&item.vis, &item.attrs, item.sig.ident.span());
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !item.attrs.iter().any(is_for_tests) {
            visit::visit_item_mod(self, item);
        }
    }
}

fn trait_method(item: &syn::TraitItem) -> Option<&syn::TraitItemFn> {
    match item {
        syn::TraitItem::Fn(method) => Some(method),
        _ => None,
    }
}

fn is_for_tests(attribute: &Attribute) -> bool {
    let condition = attribute.parse_args::<syn::Ident>();
    attribute.path().is_ident("cfg") && condition.is_ok_and(|condition| condition == "test")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<usize> {
        let source = Source::example("crates/c/src/x.rs", text);
        assert!(applies_to(&source));
        findings(&source).iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn public_items_and_methods_without_a_doc_comment_are_found() {
        let text = "\
pub struct A { pub field: u8 }
/// Documented.
pub enum B { Variant }
pub fn f() {}
impl B {
    pub fn method() {}
    fn private() {}
}
/// Documented.
pub trait T {
    fn required();
}
";
        assert_eq!(lines(text), [1, 4, 6, 11]);
    }

    #[test]
    fn private_items_and_test_modules_need_none() {
        let text =
            "struct A;\npub(crate) fn f() {}\n#[cfg(test)]\nmod tests {\n    pub fn g() {}\n}\n";
        assert_eq!(lines(text), [0; 0]);
    }
}
