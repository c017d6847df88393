//! Whether we may ship what we depend on: licences, sources, and nothing twice.

mod duplicates;
mod metadata;
mod spdx;

use std::path::Path;

use crate::error::{Error, Result};
use crate::workspace::Workspace;

use self::duplicates::Shipped;
use self::metadata::{Metadata, Package};
use self::spdx::Expression;

/// Licences that ask for no more than their text being passed on.
const ALLOWED: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    // Of data: the certificates of the authorities that Mozilla trusts.
    "CDLA-Permissive-2.0",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// Exceptions that only add permissions to a licence above.
const ALLOWED_EXCEPTIONS: &[&str] = &["LLVM-exception"];

const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";

pub(crate) fn run(workspace: &Workspace) -> Result<()> {
    let packages = Metadata::read(workspace)?.packages;
    let shipped = Shipped::read(workspace)?;

    let mut problems: Vec<String> =
        packages.iter().filter_map(|package| problem(package, &workspace.root)).collect();
    problems.extend(shipped.problems());
    if problems.is_empty() {
        println!("{} packages are used, {} are shipped", packages.len(), shipped.count());
        return Ok(());
    }
    for problem in &problems {
        println!("{problem}");
    }
    Err(Error::Unmet(format!("{} of the dependencies cannot be accepted", problems.len())))
}

/// Why a single package cannot be accepted, if so.
fn problem(package: &Package, root: &Path) -> Option<String> {
    let name = format!("{} {}", package.name, package.version);
    match package.source.as_deref() {
        Some(CRATES_IO) => {}
        Some(elsewhere) => return Some(format!("{name}: comes from {elsewhere}, not crates.io")),
        None if package.manifest_path.starts_with(root) => {}
        None => return Some(format!("{name}: comes from a path outside the workspace")),
    }
    let Some(license) = package.license.as_deref() else {
        return Some(format!("{name}: names no licence"));
    };
    match Expression::parse(license) {
        Ok(expression) if expression.is_satisfied_by(&is_allowed) => None,
        Ok(_) => Some(format!("{name}: `{license}` is not in the allow list")),
        Err(error) => Some(format!("{name}: cannot read the licence `{license}`: {error}")),
    }
}

fn is_allowed(licence: &str, exception: Option<&str>) -> bool {
    ALLOWED.contains(&licence)
        && exception.is_none_or(|exception| ALLOWED_EXCEPTIONS.contains(&exception))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(source: Option<&str>, license: Option<&str>) -> Package {
        Package {
            name: "some".to_owned(),
            version: "1.0.0".to_owned(),
            license: license.map(str::to_owned),
            source: source.map(str::to_owned),
            manifest_path: "/repo/crates/some/Cargo.toml".into(),
        }
    }

    #[test]
    fn permissive_packages_from_the_registry_and_our_own_are_accepted() {
        for license in [
            "MIT OR Apache-2.0",
            "Apache-2.0 WITH LLVM-exception",
            "(MIT OR Apache-2.0) AND Unicode-3.0",
            "GPL-3.0-only OR ISC",
        ] {
            for source in [Some(CRATES_IO), None] {
                let package = package(source, Some(license));
                assert_eq!(problem(&package, Path::new("/repo")), None);
            }
        }
    }

    #[test]
    fn what_cannot_be_accepted_is_said_with_its_reason() {
        let cases = [
            (Some(CRATES_IO), Some("GPL-3.0-only"), "not in the allow list"),
            (Some(CRATES_IO), Some("MIT AND GPL-2.0"), "not in the allow list"),
            (Some(CRATES_IO), Some("MIT WITH Odd-exception"), "not in the allow list"),
            (Some(CRATES_IO), Some("MIT OR"), "cannot read"),
            (Some(CRATES_IO), None, "names no licence"),
            (Some("git+https://example.com/x"), Some("MIT"), "not crates.io"),
        ];
        for (source, license, expected) in cases {
            let package = package(source, license);
            let said = problem(&package, Path::new("/repo")).expect("not acceptable");
            assert!(said.contains(expected), "{said}");
        }
        let outside = problem(&package(None, Some("MIT")), Path::new("/elsewhere"));
        assert!(outside.is_some_and(|said| said.contains("outside the workspace")));
    }
}
