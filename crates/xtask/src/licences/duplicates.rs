//! Finds crates that the shipped program would contain in two versions.

use std::collections::{BTreeMap, BTreeSet};

use devkit::cargo::cargo;
use devkit::command;
use devkit::error::Result;
use devkit::workspace::Workspace;

/// The package whose programs are shipped.
const SHIPPED: &str = "forkhestra";

/// A crate that is contained twice, and the reason.
struct AcceptedDuplicate {
    name: &'static str,
    because: &'static str,
}

const ACCEPTED: &[AcceptedDuplicate] = &[AcceptedDuplicate {
    name: "getrandom",
    because: "ring, which TLS for notifications needs, is behind what makes temporary names",
}];

/// The versions of each crate in the program.
pub(super) struct ShippedPackage(BTreeMap<String, BTreeSet<String>>);

impl ShippedPackage {
    /// Reads everything that is linked into the program on this platform: no dependencies of tests,
    /// and nothing behind a procedural macro, which runs in the compiler.
    ///
    /// The graph in `cargo metadata` would be wrong: it includes optional dependencies of features
    /// that are off.
    pub(super) fn read(workspace: &Workspace) -> Result<Self> {
        let mut tree = cargo(workspace, ["tree", "--locked", "--package", SHIPPED]);
        tree.args(["--edges", "normal,no-proc-macro", "--prefix", "none"]);
        command::stdout_of(&mut tree).map(|text| Self::parse(&text))
    }

    /// Reads lines such as `clap v4.6.7 (*)` or `core v0.0.0 (/some/path)`.
    fn parse(tree: &str) -> Self {
        let mut versions: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for line in tree.lines() {
            let mut words = line.split_whitespace();
            if let (Some(name), Some(version)) = (words.next(), words.next()) {
                versions.entry(name.to_owned()).or_default().insert(version.to_owned());
            }
        }
        Self(versions)
    }

    pub(super) fn count(&self) -> usize {
        self.0.values().map(BTreeSet::len).sum()
    }

    /// One line for each crate that is shipped in more than one version without a reason, and for
    /// each reason that is no longer needed.
    pub(super) fn problems(&self) -> Vec<String> {
        self.compare(ACCEPTED)
    }

    fn compare(&self, accepted: &[AcceptedDuplicate]) -> Vec<String> {
        let is_accepted = |name: &str| accepted.iter().any(|entry| entry.name == name);
        let is_twice = |name: &str| self.0.get(name).is_some_and(|versions| versions.len() > 1);

        let unexplained = self.0.iter().filter(|(name, _)| is_twice(name) && !is_accepted(name));
        let unexplained = unexplained.map(|(name, versions)| {
            let versions: Vec<&str> = versions.iter().map(String::as_str).collect();
            format!("{name}: shipped in versions {}", versions.join(" and "))
        });
        let outdated = accepted.iter().filter(|entry| !is_twice(entry.name));
        let outdated = outdated.map(|AcceptedDuplicate { name, because }| {
            format!("{name}: accepted twice ({because}), but is there once")
        });
        unexplained.chain(outdated).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TREE: &str = "\
forkhestra v0.1.0 (/repo/crates/forkhestra)
a v1.0.0
b v2.0.0
b v2.0.0 (*)
forkhestra-core v0.0.0 (/repo/crates/forkhestra-core)
";

    #[test]
    fn a_crate_that_is_used_twice_in_one_version_is_fine() {
        let shipped = ShippedPackage::parse(TREE);
        assert_eq!(shipped.count(), 4);
        assert_eq!(shipped.compare(&[]), [""; 0]);
    }

    #[test]
    fn a_second_version_is_found_unless_accepted() {
        let shipped = ShippedPackage::parse(&format!("{TREE}a v3.0.0\n"));
        assert_eq!(shipped.compare(&[]), ["a: shipped in versions v1.0.0 and v3.0.0"]);
        let accepted =
            [AcceptedDuplicate { name: "a", because: "two of our dependencies disagree" }];
        assert_eq!(shipped.compare(&accepted), [""; 0]);
    }

    #[test]
    fn an_unneeded_acceptance_is_reported() {
        let accepted = [AcceptedDuplicate { name: "a", because: "it was needed once" }];
        assert_eq!(
            ShippedPackage::parse(TREE).compare(&accepted),
            ["a: accepted twice (it was needed once), but is there once"]
        );
    }
}
