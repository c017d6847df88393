//! Finds unfinished work, and tests that do not test.

use proc_macro2::{TokenStream, TokenTree};

use crate::workspace::comments::only_comments;
use crate::workspace::finding::Finding;
use crate::workspace::imports::{imports, resolved};
use crate::workspace::paths::mentions;
use crate::workspace::source::Source;
use crate::workspace::tokens::{for_each_level, identifiers, is_punct};

const MACROS: &[&str] = &["todo", "unimplemented", "dbg"];
const ATTRIBUTES: &[&str] = &["ignore", "should_panic"];
/// Searched in comments only, so this list does not match itself.
const WORDS: &[&str] = &["FIXME", "TODO", "XXX"];

pub(crate) fn findings(source: &Source) -> Vec<Finding> {
    let mut found = unfinished_macros(source);
    found.extend(unwanted_attributes(source));
    found.extend(notes_to_self(source));
    found.extend(sleeps_in_tests(source));
    found
}

fn unfinished_macros(source: &Source) -> Vec<Finding> {
    mentions(&source.tokens)
        .into_iter()
        .filter(|mention| mention.is_macro)
        .filter_map(|mention| Some((mention.line, mention.segments.into_iter().next_back()?)))
        .filter(|(_, name)| MACROS.contains(&name.as_str()))
        .map(|(line, name)| source.finding(line, format!("`{name}!` is left in the code")))
        .collect()
}

/// Attributes are searched among the tokens: inside `proptest!` and similar macros they are not
/// parsed.
fn unwanted_attributes(source: &Source) -> Vec<Finding> {
    let mut found = Vec::new();
    for_each_level(&source.tokens, &mut |level| {
        for pair in level.windows(2) {
            let (hash, TokenTree::Group(attribute)) = (&pair[0], &pair[1]) else {
                continue;
            };
            if !is_punct(Some(hash), '#') {
                continue;
            }
            if let Some(name) = unwanted(&attribute.stream()) {
                let line = attribute.span_open().start().line;
                found.push(source.finding(line, format!("`#[{name}]` hides what a test says")));
            }
        }
    });
    found
}

/// The unwanted name in an attribute: at its start, or anywhere after a condition.
fn unwanted(attribute: &TokenStream) -> Option<String> {
    let names: Vec<String> = identifiers(attribute).iter().map(ToString::to_string).collect();
    let conditional = names.first().is_some_and(|name| name == "cfg_attr");
    let looked_at = if conditional { names.len() } else { 1 };
    names.into_iter().take(looked_at).find(|name| ATTRIBUTES.contains(&name.as_str()))
}

fn notes_to_self(source: &Source) -> Vec<Finding> {
    let comments = only_comments(source);
    let mut found = Vec::new();
    for (index, line) in comments.lines().enumerate() {
        let words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
        for word in words.filter(|word| WORDS.contains(word)) {
            found.push(source.finding(index + 1, format!("a comment says {word}")));
        }
    }
    found
}

/// A test that sleeps is slow on a fast machine and wrong on a slow one.
fn sleeps_in_tests(source: &Source) -> Vec<Finding> {
    let imports = imports(&source.file);
    let first_test_line = first_test_line(source);
    mentions(&source.tokens)
        .into_iter()
        .filter(|mention| first_test_line.is_some_and(|first| mention.line >= first))
        .filter(|mention| {
            resolved(&mention.segments, &imports)
                .iter()
                .any(|path| path.join("::").ends_with("thread::sleep"))
        })
        .map(|mention| source.finding(mention.line, "a test sleeps; wait for a condition instead"))
        .collect()
}

/// Where test code begins: at the top of files in a `tests` folder, elsewhere with the test module,
/// which is last.
pub(crate) fn first_test_line(source: &Source) -> Option<usize> {
    if source.path.split('/').any(|folder| folder == "tests") {
        return Some(1);
    }
    let is_test_module = |item: &&syn::ItemMod| {
        item.attrs.iter().any(|attribute| {
            let syn::Meta::List(list) = &attribute.meta else {
                return false;
            };
            list.path.is_ident("cfg") && identifiers(&list.tokens).iter().any(|name| name == "test")
        })
    };
    let modules = source.file.items.iter().filter_map(|item| match item {
        syn::Item::Mod(module) => Some(module),
        _ => None,
    });
    modules.filter(is_test_module).map(|module| module.ident.span().start().line).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines_in(path: &str, text: &str) -> Vec<usize> {
        let source = Source::example(path, text);
        findings(&source).iter().map(|finding| finding.line).collect()
    }

    fn lines(text: &str) -> Vec<usize> {
        lines_in("crates/some/src/lib.rs", text)
    }

    #[test]
    fn macros_for_unfinished_code_are_caught() {
        for name in MACROS {
            assert_eq!(lines(&format!("fn f() {{\n    {name}!()\n}}")), [2]);
            assert_eq!(lines(&format!("fn f() {{ g!({name}!(x)) }}")), [1]);
        }
        assert!(lines("fn todo() { todo(); let dbg = 1; }").is_empty());
        assert!(lines("const X: &str = \"todo!()\";").is_empty());
    }

    #[test]
    fn tests_that_do_not_run_or_want_a_panic_are_caught() {
        for name in ATTRIBUTES {
            assert_eq!(lines(&format!("#[test]\n#[{name}]\nfn f() {{}}")), [2]);
            assert_eq!(lines(&format!("#[{name} = \"x\"]\nfn f() {{}}")), [1]);
            assert_eq!(lines(&format!("#[cfg_attr(unix, {name})]\nfn f() {{}}")), [1]);
            assert_eq!(lines(&format!("p! {{ #[test] #[{name}] fn f() {{}} }}")), [1]);
        }
        assert!(lines("#[derive(Debug)]\nstruct S { ignore: bool }").is_empty());
        assert!(lines("#[arg(ignore)]\nstruct S;").is_empty());
    }

    #[test]
    fn notes_in_comments_are_caught_and_the_same_words_in_strings_are_not() {
        for word in WORDS {
            assert_eq!(lines(&format!("fn f() {{\n    // {word}: later\n}}")), [2]);
            assert_eq!(lines(&format!("/// See {word}(me).\nfn f() {{}}")), [1]);
            assert!(lines(&format!("const X: &str = \"// {word}\";")).is_empty());
            assert!(lines(&format!("// {word}S is another word, {word}_A too\n")).is_empty());
        }
    }

    #[test]
    fn sleeping_is_caught_in_tests_only() {
        let full = "fn f() { std::thread::sleep(d); }";
        assert_eq!(lines_in("crates/some/tests/it/main.rs", full), [1]);
        assert!(lines(full).is_empty());

        let imported = "use std::thread;\nfn f() { thread::sleep(d); }";
        assert_eq!(lines_in("crates/some/tests/it.rs", imported), [2]);
        let bare = "use std::thread::{self, sleep};\nfn f() { sleep(d); }";
        assert!(lines_in("crates/some/tests/it.rs", bare).contains(&2));

        let module = format!("{full}\n#[cfg(test)]\nmod tests {{\n    {full}\n}}");
        assert_eq!(lines(&module), [4]);
    }
}
