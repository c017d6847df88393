//! The core does not depend on what it would do IO with.

use crate::finding::Finding;
use crate::packages::Packages;
use crate::repository::Repository;

const CORE: &str = "forkhestra-core";
const MANIFEST: &str = "crates/forkhestra-core/Cargo.toml";
const FORBIDDEN: &[&str] = &["libc", "nix", "rustix", "tokio"];

pub(crate) fn findings(packages: &Packages, repository: &Repository) -> Vec<Finding> {
    forbidden(&packages.dependencies(CORE), &repository.text(MANIFEST))
}

fn forbidden(dependencies: &[String], manifest: &str) -> Vec<Finding> {
    dependencies
        .iter()
        .filter(|name| FORBIDDEN.contains(&name.as_str()))
        .map(|name| Finding {
            path: MANIFEST.to_owned(),
            line: line_of(name, manifest),
            message: format!("the core must not depend on `{name}`"),
        })
        .collect()
}

/// The line that mentions a name, or the first one: a renamed dependency may be declared anywhere.
fn line_of(name: &str, manifest: &str) -> usize {
    let mut lines = manifest.lines();
    lines.position(|line| line.contains(name)).unwrap_or(0) + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn io_crates_are_caught_and_others_are_not() {
        let manifest = "[dependencies]\nserde = \"1\"\ntokio = \"1\"\n";
        let found = forbidden(&["serde".to_owned(), "tokio".to_owned()], manifest);
        assert_eq!(found.len(), 1);
        assert_eq!(
            found[0].to_string(),
            "crates/forkhestra-core/Cargo.toml:3: the core must not depend on `tokio`"
        );
    }
}
