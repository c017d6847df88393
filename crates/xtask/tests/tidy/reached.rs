//! Finds files that no `mod` declaration reaches: they are not compiled, so their errors and tests
//! go unnoticed.

use std::collections::{BTreeMap, BTreeSet};

use syn::{Item, ItemMod};

use crate::workspace::finding::Finding;
use crate::workspace::source::Source;

/// The sources that cannot be reached from the roots.
pub(crate) fn findings(sources: &[Source], roots: &[String]) -> Vec<Finding> {
    let by_path: BTreeMap<&str, &Source> =
        sources.iter().map(|source| (source.path.as_str(), source)).collect();
    let mut waiting: Vec<(String, Folder)> =
        roots.iter().map(|root| (root.clone(), Folder::of_root(root))).collect();
    let mut seen = BTreeSet::new();
    while let Some((path, folder)) = waiting.pop() {
        let Some(source) = by_path.get(path.as_str()) else {
            continue;
        };
        if seen.insert(path) {
            waiting.extend(declared(&source.file.items, &source.path, &folder));
        }
    }
    sources
        .iter()
        .filter(|source| !seen.contains(&source.path))
        .map(|source| source.finding(1, "no `mod` declaration reaches this file"))
        .collect()
}

/// The folder in which the modules declared in a file are looked for.
struct Folder(String);

impl Folder {
    /// A root's modules lie beside it, whatever it is called.
    fn of_root(path: &str) -> Self {
        Self(parent(path).to_owned())
    }

    /// Those of a module lie beside its `mod.rs`, or in a folder with its name.
    fn of_module(path: &str) -> Self {
        match path.strip_suffix("/mod.rs") {
            Some(folder) => Self(folder.to_owned()),
            None => Self(path.trim_end_matches(".rs").to_owned()),
        }
    }
}

/// Where the modules declared by these items may be: both places are returned, one of them exists.
fn declared(items: &[Item], file: &str, folder: &Folder) -> Vec<(String, Folder)> {
    let mut found = Vec::new();
    for item in items {
        let Item::Mod(module) = item else {
            continue;
        };
        match &module.content {
            Some((_, inner)) => {
                let folder = Folder(format!("{}/{}", folder.0, module.ident));
                found.extend(declared(inner, file, &folder));
            }
            None => found.extend(places(module, file, folder)),
        }
    }
    found
}

fn places(module: &ItemMod, file: &str, folder: &Folder) -> Vec<(String, Folder)> {
    if let Some(path) = explicit_path(module) {
        let path = format!("{}/{path}", parent(file));
        // A file named by a `#[path]` attribute is treated as a `mod.rs` would be.
        let folder = Folder::of_root(&path);
        return vec![(path, folder)];
    }
    [format!("{}/{}.rs", folder.0, module.ident), format!("{}/{}/mod.rs", folder.0, module.ident)]
        .into_iter()
        .map(|path| {
            let folder = Folder::of_module(&path);
            (path, folder)
        })
        .collect()
}

fn explicit_path(module: &ItemMod) -> Option<String> {
    module.attrs.iter().find_map(|attribute| {
        let syn::Meta::NameValue(pair) = &attribute.meta else {
            return None;
        };
        let syn::Expr::Lit(literal) = &pair.value else {
            return None;
        };
        match &literal.lit {
            syn::Lit::Str(path) if pair.path.is_ident("path") => Some(path.value()),
            _ => None,
        }
    })
}

fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unreached(files: &[(&str, &str)], roots: &[&str]) -> Vec<String> {
        let sources: Vec<Source> =
            files.iter().map(|(path, text)| Source::example(path, text)).collect();
        let roots: Vec<String> = roots.iter().map(|root| (*root).to_owned()).collect();
        findings(&sources, &roots).into_iter().map(|finding| finding.path).collect()
    }

    #[test]
    fn modules_are_followed_beside_roots_and_into_folders() {
        let files = [
            ("c/src/lib.rs", "mod a;\n#[cfg(unix)]\nmod b;"),
            ("c/src/a.rs", "mod deep;"),
            ("c/src/a/deep.rs", ""),
            ("c/src/b/mod.rs", "mod other;"),
            ("c/src/b/other.rs", ""),
            ("c/tests/it/main.rs", "mod list;"),
            ("c/tests/it/list.rs", ""),
        ];
        assert!(unreached(&files, &["c/src/lib.rs", "c/tests/it/main.rs"]).is_empty());
    }

    #[test]
    fn a_forgotten_file_is_caught() {
        let files = [
            ("c/src/lib.rs", "mod a;"),
            ("c/src/a.rs", ""),
            ("c/src/forgotten.rs", ""),
            ("c/tests/it/main.rs", ""),
            ("c/tests/it/forgotten.rs", ""),
        ];
        assert_eq!(
            unreached(&files, &["c/src/lib.rs", "c/tests/it/main.rs"]),
            ["c/src/forgotten.rs", "c/tests/it/forgotten.rs"]
        );
    }

    #[test]
    fn inline_modules_and_path_attributes_are_understood() {
        let files = [
            ("c/src/lib.rs", "mod inline { mod x; }\n#[path = \"odd.rs\"]\nmod y;"),
            ("c/src/inline/x.rs", ""),
            ("c/src/odd.rs", "mod beside;"),
            ("c/src/beside.rs", ""),
        ];
        assert!(unreached(&files, &["c/src/lib.rs"]).is_empty());
    }

    #[test]
    fn a_module_of_a_test_does_not_reach_the_folder_of_another() {
        let files = [("c/tests/one.rs", "mod helper;"), ("c/tests/one/helper.rs", "")];
        assert_eq!(unreached(&files, &["c/tests/one.rs"]), ["c/tests/one/helper.rs"]);
    }
}
